"""`make field` names tests that exist, and counts a case as right only if all of its tests passed."""

import dataclasses
import json
from pathlib import Path

import pytest

from drydock_stack import field
from drydock_stack.field import Case, Found

ROOT = Path(__file__).resolve().parents[3]


def test_every_case_is_shown_by_tests_that_exist() -> None:
    cases = field.read(ROOT)
    rows = [line for line in (ROOT / field.CASES).read_text().splitlines() if line.startswith("| ")]
    assert len(cases) == len(rows) - 1, "every row but the head is a case"
    assert field.missing(ROOT, cases) == []


@pytest.mark.parametrize(
    "test",
    ["lab/e2e/test_field.py::test_nothing", "lab/e2e/test_nothing.py::test_x", "cli/HostsFileTest#nothing", "cli/NoTest#x"],
)
def test_control_one_that_does_not_exist_is_named(test: str) -> None:
    assert field.missing(ROOT, [Case("a case", (test,))]) == [test]


REPORT = """<testsuites><testsuite>
<testcase classname="lab.e2e.test_a" name="test_one"><properties><property name="forced" value="2"/></properties></testcase>
<testcase classname="lab.e2e.test_a" name="test_two[x]"/>
<testcase classname="lab.e2e.test_a" name="test_two[y]"><failure message="no"/></testcase>
<testcase classname="lab.e2e.test_a" name="test_three"><skipped/></testcase>
</testsuite></testsuites>"""


def test_a_case_is_right_if_all_of_its_tests_passed(tmp_path: Path) -> None:
    written = tmp_path / "report.xml"
    written.write_text(REPORT)
    found = Found()
    field.gather(written, {"lab.e2e.test_a": "lab/e2e/test_a.py"}, "::", found)
    one, two, three = (Case(name, (f"lab/e2e/test_a.py::test_{name}",)) for name in ("one", "two", "three"))
    both = dataclasses.replace(one, tests=one.tests + two.tests)
    never = Case("never run", ("lab/e2e/test_a.py::test_four",))
    assert [found.right(case) for case in (one, two, three, both, never)] == [True, False, False, False, False]
    *wrong, last = field.report([one, two], found).splitlines()
    assert wrong == ["wrong: two"]
    assert json.loads(last) == {"field": "hosts", "cases": 2, "right": 1, "forced": 2, "drained_in_vain": 0}
