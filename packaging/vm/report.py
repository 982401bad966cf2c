"""Verdicts and figures of a run."""
import json
import sys
import time


class Report:
    def __init__(self, as_json):
        self.as_json = as_json
        self.began = time.monotonic()
        self.checks, self.figures = [], {}

    def check(self, name, passed, detail=""):
        """Records a verdict and prints it. Returns whether it has passed."""
        self.checks.append({"name": name, "passed": bool(passed), "detail": str(detail)})
        verdict = "PASS" if passed else "FAIL"
        print(f"{verdict}  {name}" + (f": {detail}" if detail else ""), file=self.stream, flush=True)
        return bool(passed)

    def note(self, text):
        print(f"      {text}", file=self.stream, flush=True)

    @property
    def stream(self):
        return sys.stderr if self.as_json else sys.stdout

    def finish(self):
        """Prints the summary and returns the exit status."""
        failed = [check["name"] for check in self.checks if not check["passed"]]
        seconds = round(time.monotonic() - self.began)
        if self.as_json:
            print(json.dumps({"passed": not failed, "seconds": seconds, "checks": self.checks, "figures": self.figures}))
        else:
            print(f"vm-test: {len(self.checks) - len(failed)} of {len(self.checks)} checks passed, {seconds} s")
        return 1 if failed else 0


def spread(values):
    """Count, median and maximum of durations in seconds."""
    if not values:
        return {"count": 0}
    ordered = sorted(values)
    return {"count": len(ordered), "median": round(ordered[len(ordered) // 2], 3), "max": round(ordered[-1], 3)}
