"""Of what a command printed, the line that tells is quoted."""

from __future__ import annotations

from drydock_remediation.task_reports import TEXT_MAX, TaskReports

DEBCONF = """debconf: unable to initialize frontend: Dialog
debconf: (TERM is not set, so the dialog frontend is not usable.)
debconf: falling back to frontend: Noninteractive
dpkg-preconfigure: unable to re-open stdin:
"""
FAILED = "fleet-agent: no licence server at 10.0.0.9\ndpkg: error processing package fleet-agent (--configure):"


def test_quotes_the_line_of_the_script_and_not_debconf() -> None:
    assert TaskReports("failed", 100, err=DEBCONF + FAILED + "\n").tail() == FAILED


def test_quotes_the_output_where_the_errors_tell_nothing() -> None:
    assert TaskReports("failed", 1, out="Reading package lists...\nE: no space left\n", err=DEBCONF).tail().endswith("E: no space left")


def test_quotes_the_end_of_what_is_long() -> None:
    said = TaskReports("failed", 1, err="x" * TEXT_MAX + FAILED).tail()
    assert said.endswith(FAILED)
    assert len(said) == TEXT_MAX


def test_quotes_what_there_is_where_nothing_tells() -> None:
    """The control: noise is better than silence."""
    assert TaskReports("failed", 1, err=DEBCONF).tail() == DEBCONF.strip()
    assert TaskReports("failed", 1).tail() == ""
