"""Counting what test runners print, and the table at the end."""

import dataclasses
import html
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from drydock_stack.suites import Suite

_SUREFIRE = re.compile(r"Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)$")
_TALK = ("[INFO]", "[WARNING]", '{"@timestamp"', "    (see https://errorprone", "  Did you mean", "  reason: ", "\x1b[")
_VITEST = re.compile(r"^ *Tests  \d+ (passed|failed|skipped)")
_NAMED = re.compile(r"^(?:\[ERROR\]   (?=[A-Z])|\[ERROR\] (?=/.+:\[\d)|FAILED |ERROR | *FAIL  )(.+)$")
_DURATION = re.compile(r"^([\d.]+)s (?:call|setup|teardown) +(\S.*)$")
_OF_DURATIONS = re.compile(r"=+ slowest \d+ durations =+$|\(\d+ durations < .* hidden\b")
_TESTCASE = re.compile(r'<testcase name="([^"]*)" classname="([^"]*)" time="([\d.,]+)"')
_REPORTS = ("*/target/surefire-reports/TEST-*.xml", "*/*/target/surefire-reports/TEST-*.xml")
_NAMES_MAX = 12
_SLOWEST = 20
_NAME_LENGTH_MAX = 300
_PYTEST = re.compile(r"(passed|failed|errors?|skipped)\b.* in [\d.]+s")


@dataclasses.dataclass
class Outcome:
    """How one suite ended; ``passed``, ``failed`` and ``skipped`` are counted from its own summary lines."""

    suite: Suite
    minutes: float = 0.0
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    strict: bool = False
    broken: bool = False
    failures: list[str] = dataclasses.field(default_factory=list)
    times: list[tuple[float, str]] = dataclasses.field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Where it is ``strict``, as in continuous integration, a skipped test proves nothing and is a failure."""
        return not self.broken and not self.failed and not (self.strict and self.skipped)

    def add(self, line: str) -> None:
        """Counts what a line of its output sums up, or keeps what it tells of one test: that it failed, or how long it took."""
        passed, failed, skipped = count(line)
        self.passed += passed
        self.failed += failed
        self.skipped += skipped
        name = _NAMED.match(line.rstrip())
        if name and name[1][:_NAME_LENGTH_MAX] not in self.failures:
            self.failures.append(name[1][:_NAME_LENGTH_MAX])
        duration = _DURATION.match(line.rstrip())
        if duration:
            self.times.append((float(duration[1]), duration[2]))


def count(line: str) -> tuple[int, int, int]:
    """Passed, failed and skipped of a summary line of pytest, Vitest or Surefire; zeros for any other line."""
    surefire = _SUREFIRE.search(line.strip())
    if surefire:
        total, failures, errors, skipped = map(int, surefire.groups())
        return total - failures - errors - skipped, failures + errors, skipped
    if _PYTEST.search(line) or _VITEST.search(line):
        found = {kind.rstrip("s"): int(number) for number, kind in re.findall(r"(\d+) (passed|failed|errors?|skipped)\b", line)}
        return found.get("passed", 0), found.get("failed", 0) + found.get("error", 0), found.get("skipped", 0)
    return 0, 0, 0


def is_worth_showing(line: str) -> bool:
    """Talk of Maven, durations, warnings and logs of tested programs stay in the suite's log; what went wrong and totals are shown."""
    if _DURATION.match(line) or _OF_DURATIONS.match(line):
        return False
    if line.startswith(_TALK):
        return "Tests run" in line and "Time elapsed" not in line
    return bool(line.strip())


def surefire_times(root: Path, since: float) -> list[tuple[float, str]]:
    """Seconds and name of every Java test of a checkout whose report was written ``since`` then."""
    reports = (report for pattern in _REPORTS for report in root.glob(pattern))
    texts = (report.read_text() for report in reports if report.stat().st_mtime >= since)
    found = (case for text in texts for case in _TESTCASE.findall(text))
    return [(float(seconds.replace(",", "")), f"{kind.rpartition('.')[2]}.{html.unescape(name)}") for name, kind, seconds in found]


def slowest(times: Iterable[tuple[float, str]]) -> str:
    """The tests that took longest: where a run that grew too long can be made shorter."""
    rows = [f"{seconds:8.1f} s  {name[:_NAME_LENGTH_MAX]}\n" for seconds, name in sorted(times, reverse=True)[:_SLOWEST]]
    return "".join(["the slowest tests\n", *rows]) if rows else ""


def table(set_up_minutes: float, all_minutes: float, outcomes: Sequence[Outcome]) -> str:
    """Minutes of every suite, then the failed tests by name; the last line counts them all."""
    rows = [f"{'set-up':12} {set_up_minutes:6.1f} min"]
    for outcome in outcomes:
        counts = f"{outcome.passed} passed, {outcome.failed} failed" + (f", {outcome.skipped} skipped" if outcome.skipped else "")
        rows.append(f"{outcome.suite.name:12} {outcome.minutes:6.1f} min  {'ok' if outcome.ok else 'FAILED':6} {counts}")
    rows.append(f"{'all':12} {all_minutes:6.1f} min")
    names = [f"{outcome.suite.name:9}| {name}" for outcome in outcomes for name in outcome.failures]
    rows += names[:_NAMES_MAX] + ([f"and {len(names) - _NAMES_MAX} more"] if len(names) > _NAMES_MAX else [])
    passed = sum(outcome.passed for outcome in outcomes)
    # A suite that broke without a failed test (a compiler error, a time-out, lint, a skipped one where none may be) counts as one failure.
    failed = sum(outcome.failed or int(not outcome.ok) for outcome in outcomes)
    return "\n".join([*rows, f"{passed} passed, {failed} failed"]) + "\n"
