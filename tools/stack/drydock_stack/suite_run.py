"""Running the suites: lanes beside each other, every line named, every process ended when we are."""

import itertools
import os
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from drydock_stack import builds, java, preflight, processes, python_environment, second_checkout, setup, stack, suite_report, toolchain
from drydock_stack.failure import StackError
from drydock_stack.instance import Instance
from drydock_stack.progress import say
from drydock_stack.suite_report import Outcome, table
from drydock_stack.suites import NAMES, SUITES, Suite


def run(instance: Instance, only: Sequence[str] | None, full: bool) -> int:
    """Runs the chosen suites, all of them even after one failed; returns the exit code."""
    unknown = sorted(set(only or ()) - set(NAMES))
    if unknown:
        raise StackError(f"There is no suite {', '.join(unknown)}; the suites are {', '.join(NAMES)}.", exit_code=2)
    began = time.monotonic()
    began_at = time.time()
    setup.run(instance)
    set_up_seconds = time.monotonic() - began
    chosen = [suite for suite in SUITES if (suite.name in only if only else full or not suite.full)]
    outcomes = [Outcome(suite, strict=os.environ.get("CI") == "true") for suite in chosen]
    seed = _seed(instance)
    say(f"DRYDOCK_TEST_SEED={seed} chooses what tests take a sample of")
    found_down = not stack.any_running(instance)
    try:
        Run(instance, outcomes, seed).all()
    finally:
        for suite in chosen:
            if suite.beside:
                second_checkout.down(instance.root, suite.name)
        if found_down:  # Left as it was found.
            with stack.alone(instance):
                stack.down(instance)
    times = suite_report.surefire_times(instance.root, began_at) + [of_one for outcome in outcomes for of_one in outcome.times]
    sys.stdout.write("\n" + suite_report.slowest(times))
    sys.stdout.write("\n" + table(set_up_seconds / 60, (time.monotonic() - began) / 60, outcomes))
    return 0 if all(outcome.ok for outcome in outcomes) else 1


def _seed(instance: Instance) -> str:
    """Another one for every commit, the same for everybody who tests it."""
    command = ["git", "-C", str(instance.root), "rev-parse", "--short=8", "HEAD"]
    commit = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout.strip()
    return os.environ.get("DRYDOCK_TEST_SEED") or str(int(commit[:8] or "0", 16))


class Run:
    """One run of some suites. Threads only wait for child processes; output is written under one lock."""

    def __init__(self, instance: Instance, outcomes: Sequence[Outcome], seed: str) -> None:
        self._instance = instance
        self._seed = seed
        self._outcomes = outcomes
        self._children: set[subprocess.Popen[str]] = set()
        self._lock = threading.Lock()
        self._over = False

    def all(self) -> None:
        try:
            lanes = {outcome.suite.lane for outcome in self._outcomes if outcome.suite.lane}
            threads = [threading.Thread(target=self._lane, args=(lane,), daemon=True) for lane in sorted(lanes)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self._lane(None)
        finally:
            with self._lock:
                self._over = True
                for child in self._children:
                    processes.kill_group(child)

    def _lane(self, lane: str | None) -> None:
        for outcome in self._outcomes:
            if outcome.suite.lane == lane and not self._over:
                self._suite(outcome)

    def _suite(self, outcome: Outcome) -> None:
        suite = outcome.suite
        say(f"== {suite.name}: {suite.proves}")
        began = time.monotonic()
        try:
            if suite.stores:
                self._bring_up_stores()
            if suite.packages:
                self._install(suite.packages)
            with ThreadPoolExecutor(suite.shares) as shares:
                list(shares.map(partial(self._share, outcome), itertools.count(1), self._checkouts(suite)))
            if suite.name == "java" and outcome.ok:
                java.adopt(self._instance.root)  # What was just verified is what the later suites run.
        except Exception as failure:
            self._write(suite, f"{failure if isinstance(failure, StackError) else traceback.format_exc()}\n")
            outcome.broken = True
        outcome.minutes = (time.monotonic() - began) / 60
        say(f"== {suite.name}: {'ok' if outcome.ok else 'FAILED'} after {outcome.minutes:.1f} min")

    def _checkouts(self, suite: Suite) -> list[Path]:
        root = self._instance.root
        if not suite.beside:
            return [root]
        java.build(root)  # Once, for all of them.
        return [second_checkout.checkout(root, f"{suite.name}{share}") for share in range(1, suite.shares + 1)]

    def _share(self, outcome: Outcome, share: int, root: Path) -> None:
        for command in outcome.suite.commands:
            if not outcome.broken:
                self._command(outcome, command, root, share)

    def _bring_up_stores(self) -> None:
        # By a process of its own: starting others needs one without threads.
        program = [sys.executable, str(self._instance.root / "tools" / "stack"), "up", "--only", "postgres,etcd,temporal"]
        if subprocess.run(program, check=False, timeout=600).returncode != 0:
            raise StackError("PostgreSQL, etcd and Temporal did not come up.")

    def _install(self, packages: str) -> None:
        missing = preflight.missing_packages(preflight.packages_of(self._instance.root / packages))
        if missing:
            setup.install(self._instance, missing)

    def _command(self, outcome: Outcome, command: tuple[str, ...], root: Path, share: int) -> None:
        suite = outcome.suite
        log = self._instance.state / "log" / f"test-{suite.name}{share if suite.shares > 1 else ''}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        child = self._start(command, root, {"share": str(share), "shares": str(suite.shares)})
        watchdog = threading.Timer(suite.seconds, self._end_for_its_time, [outcome, child])
        watchdog.start()
        try:
            with log.open("w" if command == suite.commands[0] else "a") as kept:
                for line in child.stdout or ():
                    kept.write(line)
                    self._show(suite, line)
                    with self._lock:
                        outcome.add(line)
            code = child.wait()
        finally:
            watchdog.cancel()
            self._children.discard(child)
        outcome.broken |= code != 0  # Also pytest's 5: a suite without a test proves nothing.

    def _end_for_its_time(self, outcome: Outcome, child: "subprocess.Popen[str]") -> None:
        outcome.failures.append(f"not done after {outcome.suite.seconds / 60:g} min: ended")
        processes.kill_group(child)

    def _start(self, command: Sequence[str], root: Path, places: Mapping[str, str]) -> "subprocess.Popen[str]":
        programs = {"python": str(python_environment.python(self._instance)), "maven": toolchain.maven()}
        programs["etcd"] = str(builds.etcd(self._instance.root) / "etcd")
        variables = {**os.environ, **toolchain.java_environment(), **python_environment.variables(root)}
        variables["DRYDOCK_TEST_SEED"] = self._seed
        with self._lock:
            if self._over:
                raise StackError("The run is over.")
            child = subprocess.Popen(
                [part.format(**programs, **places, seed=self._seed) for part in command],
                cwd=root,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,
            )
            self._children.add(child)
        return child

    def _show(self, suite: Suite, line: str) -> None:
        if suite_report.is_worth_showing(line):
            self._write(suite, line)

    def _write(self, suite: Suite, line: str) -> None:
        with self._lock:
            sys.stdout.write(f"{suite.name:9}| {line}")
            sys.stdout.flush()
