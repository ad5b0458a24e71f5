"""The test suites in one list, run one after the other, with the minutes and the counts of each at the end."""

import dataclasses
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Sequence

from drydock_stack import java, processes, python_environment, setup, toolchain
from drydock_stack.failure import StackError
from drydock_stack.instance import Instance
from drydock_stack.progress import say

PYTEST = ("{python}", "-m", "pytest", "-q", "-m")
MAVEN = ("{maven}", "-B", "-ntp", "-Dstyle.color=never")
NOTHING_COLLECTED = 5  # pytest's exit code


@dataclasses.dataclass(frozen=True)
class Suite:
    """Commands that stop at the first failure. ``full``: too long for every change. ``stores``: needs PostgreSQL, etcd and Temporal up."""

    name: str
    proves: str
    commands: tuple[tuple[str, ...], ...]
    seconds: float = 900
    full: bool = False
    stores: bool = False


SUITES = (
    Suite(
        "lint",
        "style and lint of Python and Java",
        (("{python}", "-m", "ruff", "check", "."), ("{python}", "-m", "ruff", "format", "--check", "."), (*MAVEN, "-q", "spotless:check")),
    ),
    Suite("python", "Python without servers or hosts", ((*PYTEST, "not stack and not lab and not e2e"),)),
    Suite("java", "Java without servers or hosts", ((*MAVEN, "verify"),)),
    Suite("stack", "the embedded stack itself: crash, restart, data kept", ((*PYTEST, "stack"),)),
    Suite(
        "component",
        "Java on the real PostgreSQL, etcd and Temporal",
        ((*MAVEN, "test", "-Dtest.groups=stack", "-Dexcluded.test.groups=", "-Dsurefire.failIfNoSpecifiedTests=false"),),
        stores=True,
    ),
    Suite("lab", "one lab host: boot, packages, wrapper", ((*PYTEST, "lab and not e2e"),)),
    Suite("e2e", "whole rollouts over stack and lab, with controls and kills", ((*PYTEST, "e2e and not full"),), seconds=1800),
    Suite("e2e-full", "every crash point and fault", ((*PYTEST, "e2e and full"),), seconds=7200, full=True),
)
NAMES = tuple(suite.name for suite in SUITES)


@dataclasses.dataclass
class Outcome:
    """How one suite ended; ``passed`` and ``failed`` are counted from its own summary lines."""

    suite: Suite
    minutes: float = 0.0
    passed: int = 0
    failed: int = 0
    broken: bool = False


def run(instance: Instance, only: Sequence[str] | None, full: bool) -> int:
    """Runs the chosen suites, all of them even after one failed; returns the exit code."""
    unknown = sorted(set(only or ()) - set(NAMES))
    if unknown:
        raise StackError(f"There is no suite {', '.join(unknown)}; the suites are {', '.join(NAMES)}.", exit_code=2)
    began = time.monotonic()
    setup.run(instance)
    set_up_minutes = (time.monotonic() - began) / 60
    chosen = [suite for suite in SUITES if (suite.name in only if only else full or not suite.full)]
    outcomes = [_run_suite(instance, suite) for suite in chosen]
    _report(set_up_minutes, outcomes)
    return 1 if any(outcome.broken or outcome.failed for outcome in outcomes) else 0


def count(line: str) -> tuple[int, int]:
    """Passed and failed of a summary line of pytest or Surefire; (0, 0) for any other line."""
    surefire = re.search(r"Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)$", line.strip())
    if surefire:
        total, failures, errors, skipped = map(int, surefire.groups())
        return total - failures - errors - skipped, failures + errors
    if re.search(r"(passed|failed|errors?)\b.* in [\d.]+s", line):
        found = {kind.rstrip("s"): int(number) for number, kind in re.findall(r"(\d+) (passed|failed|errors?)\b", line)}
        return found.get("passed", 0), found.get("failed", 0) + found.get("error", 0)
    return 0, 0


def _run_suite(instance: Instance, suite: Suite) -> Outcome:
    outcome = Outcome(suite)
    say(f"== {suite.name}: {suite.proves}")
    began = time.monotonic()
    try:
        if suite.stores:
            _bring_up_stores(instance)
        for command in suite.commands:
            _run_command(instance, suite, command, outcome)
            if outcome.broken:
                break
        if suite.name == "java" and not outcome.broken:
            java.adopt(instance.root)  # What was just verified is what the later suites run.
    except StackError as failure:
        sys.stderr.write(f"{failure}\n")
        outcome.broken = True
    outcome.minutes = (time.monotonic() - began) / 60
    return outcome


def _bring_up_stores(instance: Instance) -> None:
    command = [sys.executable, str(instance.root / "tools" / "stack"), "up", "--only", "postgres,etcd,temporal"]
    if subprocess.run(command, check=False, timeout=600).returncode != 0:
        raise StackError("The stores did not come up.")


def _run_command(instance: Instance, suite: Suite, command: tuple[str, ...], outcome: Outcome) -> None:
    places = {"python": str(python_environment.python(instance)), "maven": toolchain.maven()}
    variables = {**os.environ, **toolchain.java_environment(), **python_environment.variables(instance.root)}
    log = instance.state / "log" / f"test-{suite.name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a") as kept:
        child = subprocess.Popen(
            [part.format(**places) for part in command],
            cwd=instance.root,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        watchdog = threading.Timer(suite.seconds, processes.kill_group, [child])
        watchdog.start()
        try:
            for line in child.stdout or ():
                kept.write(line)
                if not line.startswith(("[INFO] ", "[INFO]\n")) or "Tests run" in line:
                    sys.stdout.write(line)
                    sys.stdout.flush()
                passed, failed = count(line)
                outcome.passed += passed
                outcome.failed += failed
            code = child.wait()
        except BaseException:
            processes.kill_group(child)
            raise
        finally:
            watchdog.cancel()
    outcome.broken = code not in (0, NOTHING_COLLECTED if "pytest" in command else 0)


def _report(set_up_minutes: float, outcomes: Sequence[Outcome]) -> None:
    rows = [f"{'set-up':12} {set_up_minutes:6.1f} min"]
    for outcome in outcomes:
        verdict = "FAILED" if outcome.broken or outcome.failed else "ok"
        counts = f"{outcome.passed} passed, {outcome.failed} failed"
        rows.append(f"{outcome.suite.name:12} {outcome.minutes:6.1f} min  {verdict:6} {counts}")
    total = set_up_minutes + sum(outcome.minutes for outcome in outcomes)
    rows.append(f"{'all':12} {total:6.1f} min")
    passed = sum(outcome.passed for outcome in outcomes)
    # A suite that broke without a failed test (a compiler error, a time-out, lint) counts as one failure.
    failed = sum(outcome.failed or int(outcome.broken) for outcome in outcomes)
    sys.stdout.write("\n" + "\n".join(rows) + f"\n{passed} passed, {failed} failed\n")
