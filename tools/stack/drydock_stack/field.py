"""`make field`: every case of `docs/field-cases.md` by the tests that show it, and one JSON object of what came of them."""

import dataclasses
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from drydock_stack import java, processes, python_environment, second_checkout, setup, stack, toolchain
from drydock_stack.failure import StackError
from drydock_stack.instance import Instance
from drydock_stack.progress import say

CASES = Path("docs/field-cases.md")
SECONDS_MAX = 3 * 3600
LANES = 3  # installations beside each other: most of the time of end-to-end cases is spent waiting
_ROW = re.compile(r"^\| (?P<says>[^|]+) \| [^|]+ \| (?P<tests>`[^|]+) \|$")
_HARM = ("forced", "drained_in_vain")


@dataclasses.dataclass(frozen=True)
class Case:
    """What was met, and the tests that show that the right thing comes of it."""

    says: str
    tests: tuple[str, ...]


@dataclasses.dataclass
class Found:
    """What runs of tests said: which passed and which did not, and what harm they counted."""

    passed: set[str] = dataclasses.field(default_factory=set)
    failed: set[str] = dataclasses.field(default_factory=set)
    harm: dict[str, int] = dataclasses.field(default_factory=lambda: dict.fromkeys(_HARM, 0))

    def right(self, case: Case) -> bool:
        """A test with parameters is right if all of them are."""
        return all(test in self.passed and test not in self.failed for test in case.tests)


def read(root: Path) -> list[Case]:
    rows = (_ROW.match(line) for line in (root / CASES).read_text().splitlines())
    return [Case(row["says"], tuple(re.findall(r"`([^`]+)`", row["tests"]))) for row in rows if row]


def missing(root: Path, cases: Sequence[Case]) -> list[str]:
    """Tests that are named and do not exist."""
    return sorted(test for case in cases for test in case.tests if not _exists(root, test))


def _exists(root: Path, test: str) -> bool:
    if "::" in test:
        file, name = test.split("::")
        return (root / file).is_file() and f"def {name}(" in (root / file).read_text()
    module, name = _module(test)
    found = list((root / module / "src/test/java").rglob(f"{name}.java"))
    return len(found) == 1 and f"void {test.split('#')[1]}(" in found[0].read_text()


def _module(test: str) -> tuple[str, str]:
    """Folder and class."""
    module, _, name = test.split("#", maxsplit=1)[0].rpartition("/")
    return module, name


def run(instance: Instance) -> int:
    """Runs all of them; the exit code is 0 only if every case is right and nobody was harmed."""
    setup.run(instance)
    cases = read(instance.root)
    if lost := missing(instance.root, cases):
        raise StackError(f"{CASES} names tests that do not exist: {', '.join(lost)}")
    tests = sorted({test for case in cases for test in case.tests})
    found = Found()
    python = [test for test in tests if "::" in test]
    end_to_end = [test for test in python if test.startswith("lab/e2e/")]
    try:
        _junit(instance, [test for test in tests if "#" in test], found)
        _pytest(instance, instance.root, [test for test in python if test not in end_to_end], found)
        java.build(instance.root)
        _in_lanes(instance, end_to_end, found)
    finally:
        second_checkout.down(instance.root, "field*")
        with stack.alone(instance):
            stack.down(instance)
    sys.stdout.write(report(cases, found))
    return 0 if all(found.right(case) for case in cases) and not any(found.harm.values()) else 1


def report(cases: Sequence[Case], found: Found) -> str:
    """The cases that went wrong, then one JSON object."""
    wrong = [f"wrong: {case.says}\n" for case in cases if not found.right(case)]
    right = sum(found.right(case) for case in cases)
    return "".join(wrong) + json.dumps({"field": "hosts", "cases": len(cases), "right": right, **found.harm}) + "\n"


def _in_lanes(instance: Instance, tests: Sequence[str], found: Found) -> None:
    """Each test, with each of its parameters, on an installation that no other test uses meanwhile."""
    command = [str(python_environment.python(instance)), "-m", "pytest", "--collect-only", "-q", *tests]
    listed = subprocess.run(
        command, cwd=instance.root, env=_environment(instance.root), capture_output=True, text=True, timeout=300, check=True
    )
    waiting = [line for line in listed.stdout.splitlines() if "::" in line]
    free = [second_checkout.checkout(instance.root, f"field{number}") for number in range(LANES)]

    def one(test: str) -> None:
        lane = free.pop()
        _pytest(instance, lane, [test], found)
        free.append(lane)

    with ThreadPoolExecutor(LANES) as lanes:
        list(lanes.map(one, waiting))


def _pytest(instance: Instance, root: Path, tests: Sequence[str], found: Found) -> None:
    say(f"== {len(tests)} tests of Python" if len(tests) > 1 else f"== {tests[0]}")
    written = instance.state / "log" / f"{root.name}.xml"
    written.unlink(missing_ok=True)
    command = [str(python_environment.python(instance)), "-m", "pytest", "-q", f"--junitxml={written}", "-o", "junit_family=xunit1", *tests]
    _run(command, root)
    if written.exists():
        gather(written, {test.split("::")[0].removesuffix(".py").replace("/", "."): test.split("::")[0] for test in tests}, "::", found)
    else:
        found.failed.update(test.split("[")[0] for test in tests)


def _junit(instance: Instance, tests: Sequence[str], found: Found) -> None:
    say(f"== {len(tests)} tests of Java")
    with stack.alone(instance):
        stack.up(instance, ["postgres", "etcd", "temporal"])
    of: dict[str, list[str]] = {}
    for test in tests:
        of.setdefault(_module(test)[0], []).append(test)
    for name in {_module(test)[1] for test in tests}:  # What an earlier run wrote says nothing of this one.
        for old in instance.root.glob(f"**/target/surefire-reports/TEST-*.{name}.xml"):
            old.unlink()
    chosen = ",".join(f"{_module(test)[1]}#{test.split('#')[1]}" for test in tests)
    options = ["-Dsurefire.failIfNoSpecifiedTests=false", "-Dexcluded.test.groups=none", "-Dmaven.test.failure.ignore=true"]
    command = [toolchain.maven(), "-B", "-ntp", "-q", "test", "-pl", ",".join(of), "-am", f"-Dtest={chosen}", *options]
    _run(command, instance.root)
    for module, named in of.items():
        for name in {_module(test)[1] for test in named}:
            for written in (instance.root / module / "target/surefire-reports").glob(f"TEST-*.{name}.xml"):
                gather(written, {written.name.removeprefix("TEST-").removesuffix(".xml"): f"{module}/{name}"}, "#", found)


def gather(written: Path, places: Mapping[str, str], between: str, found: Found) -> None:
    """Reads a report of JUnit's form; `places` tells what we call the classes of it."""
    for one in ET.parse(written).getroot().iter("testcase"):  # noqa: S314 - the runner of our own tests wrote it
        name = re.split(r"[\[({]", one.get("name", ""), maxsplit=1)[0]
        test = f"{places.get(one.get('classname', ''), '')}{between}{name}"
        bad = any(one.find(kind) is not None for kind in ("failure", "error", "skipped"))
        (found.failed if bad else found.passed).add(test)
        for told in one.iter("property"):
            if told.get("name") in _HARM:
                found.harm[str(told.get("name"))] += int(str(told.get("value")))


def _run(command: Sequence[str], root: Path) -> None:
    """One that does not end in time, or cannot begin, leaves tests without a report: their cases are wrong."""
    child = subprocess.Popen(command, cwd=root, env=_environment(root), stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        child.wait(SECONDS_MAX)
    except subprocess.TimeoutExpired:
        say(f"not done after {SECONDS_MAX / 60:.0f} min: ended")
    finally:
        processes.kill_group(child)


def _environment(root: Path) -> dict[str, str]:
    return {**os.environ, **toolchain.java_environment(), **python_environment.variables(root)}
