"""scikit-learn's check_estimator with every expected exception and its reason. Also a program, for Debian's version of it."""
import sys
import warnings

import puad

EXPECTED = {
    "check_supervised_y_no_nan": "NaN in y is an unlabeled row and not an error (infinity is one)",
    "check_classifiers_classes": "y of -1 and 1 means known normal rows and known anomalies: nothing is unlabeled, which the method reports",
    "check_do_not_raise_errors_in_init_or_set_params": "names and values of options are checked when they are set, not at fit",
}


def failures():
    import sklearn
    from sklearn.utils.estimator_checks import check_estimator

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 6):
            results = check_estimator(puad.Detector(), on_fail=None, on_skip=None, expected_failed_checks=EXPECTED)
            assert len(results) > 40
            bad = [f"{one['check_name']}: {one['exception']!r}" for one in results if one["status"] == "failed"]
            useless = set(EXPECTED) - {one["check_name"] for one in results if one["status"] == "xfail"}
            return bad + [f"{name} is listed and passes" for name in useless]
        bad = []
        for estimator, check in check_estimator(puad.Detector(), generate_only=True):
            name = check.func.__name__
            try:
                check(estimator)
            except Exception as error:
                if name not in EXPECTED:
                    bad.append(f"{name}: {error!r}")
        return bad


if __name__ == "__main__":
    found = failures()
    print("\n".join(found) or "passed")
    sys.exit(bool(found))
