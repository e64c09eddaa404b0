"""A frame for tests in Python: functions marked @test run at once, and check() looks at one thing between them; a failure does
not stop the others, finish() says how many."""
import sys

counts = {"passed": 0, "failed": 0}


def test(body):
    try:
        body()
        counts["passed"] += 1
    except Exception as problem:
        counts["failed"] += 1
        print(f"FAILED {body.__name__}: {type(problem).__name__}: {problem}")
    return body


def check(condition, what):
    counts["passed" if condition else "failed"] += 1
    if not condition:
        print("FAILED", what)


def finish():
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    sys.exit(counts["failed"] > 0 or counts["passed"] == 0)
