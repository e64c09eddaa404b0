"""bench/series_metrics.py: VUS-PR of a case computed by hand, and its limits."""
import os
import sys

SOURCE = os.environ.get("SOURCE", ".")
sys.path[:0] = [os.path.join(SOURCE, "bench"), os.path.join(SOURCE, "tests", "helpers")]
try:
    import numpy
except ImportError as missing_package:
    print(f"skipped: {missing_package}")
    sys.exit(77)
import series_metrics
from checks import finish, test

TRUTH = numpy.array([0, 0, 1, 1, 0, 0])


@test
def six_rows_have_the_area_computed_by_hand():
    scores = numpy.array([1, 6, 2, 5, 4, 3])
    # Without a buffer: rows 1, 3, 4, 5, 2, 0 are flagged one after another. Recall rises by 1/2 at precision 1/2 and by 1/2 at precision 2/5.
    assert abs(series_metrics.vus_pr(TRUTH, scores, 0) - 0.45) < 1e-9
    # A buffer of 2 rows: labels 0, .7071, 1, 1, .7071, 0. Recall .3004, .7253, .8918, .8918, 1, 1 at precision .7071, .8536, .8047, .6036, .6828.
    # A buffer of 1 row adds nothing: (.45 + .45 + .7830) / 3.
    assert abs(series_metrics.vus_pr(TRUTH, scores, 2) - 0.560984) < 1e-5


@test
def a_perfect_score_has_area_1_and_equal_scores_the_rate_of_anomalies():
    assert series_metrics.vus_pr(TRUTH, numpy.array([1, 2, 6, 5, 4, 3]), 2) == 1
    assert abs(series_metrics.vus_pr(TRUTH, numpy.ones(6), 0) - 2 / 6) < 1e-9


@test
def the_buffer_is_the_period_of_the_channel():
    assert series_metrics.buffer_length(numpy.sin(numpy.arange(2000) * 2 * numpy.pi / 50)) == 50
    assert series_metrics.buffer_length(numpy.zeros(100)) == 125


finish()
