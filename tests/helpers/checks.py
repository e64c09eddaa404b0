"""A frame for tests in Python: functions marked @test run at once, and check() checks one condition between them; a failure does
not stop the others. skip(reason) ends a test that cannot run here. finish() prints the counts and exits with 1 if a test failed
or none ran, else with 77 if a test was skipped (ctest reports it as skipped), else with 0."""
import sys

counts = {"passed": 0, "failed": 0, "skipped": 0}


class Skipped(Exception):
    pass


def skip(reason):
    raise Skipped(reason)


def test(body):
    try:
        body()
        counts["passed"] += 1
    except Skipped as reason:
        counts["skipped"] += 1
        print(f"skipped {body.__name__}: {reason}")
    except Exception as problem:
        counts["failed"] += 1
        print(f"FAILED {body.__name__}: {type(problem).__name__}: {problem}")
    return body


def check(condition, what):
    counts["passed" if condition else "failed"] += 1
    if not condition:
        print("FAILED", what)


def has(text, *facts):
    """Whether a message contains each of these names, values and numbers. Its sentences may be rewritten."""
    return all(fact in text for fact in facts)


def finish():
    print(", ".join(f"{counts[kind]} {kind}" for kind in counts if kind != "skipped" or counts[kind]))
    if counts["failed"] or not sum(counts.values()):
        sys.exit(1)
    sys.exit(77 if counts["skipped"] else 0)
