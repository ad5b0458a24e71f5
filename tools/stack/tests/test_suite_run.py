from pathlib import Path

import pytest

from drydock_stack import beside, instance, suite_report
from drydock_stack.failure import StackError
from drydock_stack.suite_run import Run
from drydock_stack.suites import Suite


@pytest.mark.parametrize("failure", [StackError("no disk is left"), OSError("no disk is left")])
@pytest.mark.parametrize("lane", [None, "some"])
def test_a_suite_that_cannot_begin_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], failure: Exception, lane: str | None
) -> None:
    """Also in a lane, whose thread nobody asks how it ended."""

    def fail(root: Path, name: str) -> Path:
        raise failure

    monkeypatch.setattr(beside, "checkout", fail)
    outcome = suite_report.Outcome(Suite("whole", "all of it", (("true",),), lane=lane, beside=True))

    Run(instance.derive(tmp_path), [outcome], "1").all()

    assert not outcome.ok
    assert "no disk is left" in capsys.readouterr().out
