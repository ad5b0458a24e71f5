from pathlib import Path

import pytest

from drydock_stack import suite_report, suites


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("[INFO] Tests run: 12, Failures: 0, Errors: 0, Skipped: 2", (10, 0, 2)),
        ("[ERROR] Tests run: 12, Failures: 1, Errors: 2, Skipped: 0", (9, 3, 0)),
        ("[WARNING] Tests run: 3, Failures: 0, Errors: 0, Skipped: 3", (0, 0, 3)),
        ("[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in dev.drydock.ThingTest", (0, 0, 0)),
        ("===== 2 failed, 5 passed, 1 skipped in 3.21s =====", (5, 2, 1)),
        ("7 passed, 3 deselected in 0.50s", (7, 0, 0)),
        ("2 skipped, 3 deselected in 0.50s", (0, 0, 2)),
        ("1 passed, 1 error in 61.00s (0:01:01)", (1, 1, 0)),
        ("      Tests  2 failed | 49 passed | 1 skipped (52)", (49, 2, 1)),
        ("      Tests  64 passed (64)", (64, 0, 0)),
        (" Test Files  8 passed (8)", (0, 0, 0)),
        ("no tests ran in 0.01s", (0, 0, 0)),
        ("FAILED tests/test_x.py::test_y - 3 passed but", (0, 0, 0)),
    ],
)
def test_summary_lines_are_counted_and_others_are_not(line: str, counts: tuple[int, int, int]) -> None:
    assert suite_report.count(line) == counts


def test_a_suite_that_breaks_without_a_failed_test_is_a_failure() -> None:
    broken = suite_report.Outcome(suites.SUITES[0], broken=True)
    text = suite_report.table(0.1, 0.2, [broken, suite_report.Outcome(suites.SUITES[1], passed=5)])

    assert text.splitlines()[-1] == "5 passed, 1 failed"
    assert "FAILED" in text


@pytest.mark.parametrize(("strict", "last"), [(False, "1 passed, 0 failed"), (True, "1 passed, 1 failed")])
def test_a_skipped_test_is_a_failure_where_none_may_be(strict: bool, last: str) -> None:
    outcome = suite_report.Outcome(suites.SUITES[0], strict=strict)
    outcome.add("1 passed, 1 skipped in 0.50s")
    text = suite_report.table(0.1, 0.2, [outcome])

    assert text.splitlines()[-1] == last
    assert "1 skipped" in text
    assert outcome.ok is not strict


@pytest.mark.parametrize("strict", [False, True])
def test_containers_without_an_engine_prove_nothing_in_continuous_integration(strict: bool) -> None:
    containers = next(suite for suite in suites.SUITES if suite.name == "containers")
    outcome = suite_report.Outcome(containers, strict=strict)
    outcome.add("no container engine: it needs dockerd")
    outcome.add("[WARNING] Tests run: 1, Failures: 0, Errors: 0, Skipped: 1")

    assert outcome.skipped == 1
    assert outcome.ok is not strict


def test_failed_tests_are_named_after_the_table() -> None:
    named = {
        "[ERROR]   BridgeTest.hearsOut:103 » Socket Broken pipe": "BridgeTest.hearsOut:103 » Socket Broken pipe",
        "[ERROR] /x/Y.java:[12,3] cannot find symbol": "/x/Y.java:[12,3] cannot find symbol",
        "FAILED tests/test_x.py::test_y - assert 1 == 2": "tests/test_x.py::test_y - assert 1 == 2",
        " FAIL  src/x.test.ts > says no": "src/x.test.ts > says no",
    }
    unnamed = [
        "[ERROR] Failures: ",
        "[ERROR]   mvn <args> -rf :x",
        "all passed",
        "FAILED",
        "[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0",
    ]
    outcome = suite_report.Outcome(suites.SUITES[0])
    for line in [*named, *named, *unnamed]:
        outcome.add(line + "\n")

    assert suite_report.table(0.1, 0.2, [outcome]).splitlines()[-5:-1] == [f"lint     | {name}" for name in named.values()]


def test_of_a_long_message_only_the_beginning_is_kept() -> None:
    outcome = suite_report.Outcome(suites.SUITES[0])
    outcome.add("FAILED tests/test_x.py::test_y - " + "x" * 10_000 + "\n")

    assert 200 < len(suite_report.table(0.1, 0.2, [outcome]).splitlines()[-2]) < 400


def test_of_many_failed_tests_only_the_first_are_named() -> None:
    outcome = suite_report.Outcome(suites.SUITES[0])
    for number in range(40):
        outcome.add(f"FAILED tests/test_x.py::test_{number}\n")
    lines = suite_report.table(0.1, 0.2, [outcome]).splitlines()

    assert lines[-2] == "and 28 more"
    assert len(lines) < 20


def test_failures_and_totals_are_shown_and_talk_is_not() -> None:
    shown = [
        "[ERROR] ThingTest.fails:12 expected 1",
        "java.lang.AssertionError: x",
        "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0",
    ]
    durations = [
        "=== slowest 20 durations ===",
        "12.50s call     tests/test_x.py::test_y",
        "(7 durations < 1s hidden.  Use -vv to show these.)",
    ]
    hidden = [*durations, "[INFO] Building proto", '{"@timestamp":"now"}', "", "[WARNING] JAR will be empty", "  Did you mean 'x'?"]

    assert [line for line in shown + hidden if suite_report.is_worth_showing(line)] == shown


def test_the_slowest_tests_are_named_whoever_ran_them(tmp_path: Path) -> None:
    reports = tmp_path / "orchestrator" / "core" / "target" / "surefire-reports"
    reports.mkdir(parents=True)
    case = '<testcase name="{}" classname="dev.drydock.ThingTest" time="{}"/>\n'
    written = reports / "TEST-dev.drydock.ThingTest.xml"
    written.write_text(case.format("goes(a &lt; b)", "1,003.25") + case.format("goesOn", "0.004"))
    outcome = suite_report.Outcome(suites.SUITES[0])
    for line in ["12.50s call     lab/e2e/test_x.py::test_y[a-b]\n", "1.00s setup    lab/e2e/test_x.py::test_z\n", "7 passed in 13.60s\n"]:
        outcome.add(line)

    times = suite_report.surefire_times(tmp_path, since=0) + outcome.times
    assert suite_report.slowest(times).splitlines() == [
        "the slowest tests",
        "  1003.2 s  ThingTest.goes(a < b)",
        "    12.5 s  lab/e2e/test_x.py::test_y[a-b]",
        "     1.0 s  lab/e2e/test_x.py::test_z",
        "     0.0 s  ThingTest.goesOn",
    ]
    assert suite_report.surefire_times(tmp_path, since=written.stat().st_mtime + 1) == []  # Of a run before.
    assert len(suite_report.slowest(times * 20).splitlines()) == 21
