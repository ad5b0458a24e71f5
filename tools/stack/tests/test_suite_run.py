from pathlib import Path

import pytest

from drydock_stack import builds, instance, java, second_checkout, suite_report
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

    monkeypatch.setattr(java, "build", lambda root: root)
    monkeypatch.setattr(second_checkout, "checkout", fail)
    outcome = suite_report.Outcome(Suite("whole", "all of it", (("true",),), lane=lane, beside=True))

    Run(instance.derive(tmp_path), [outcome], "1").all()

    assert not outcome.ok
    assert "no disk is left" in capsys.readouterr().out


@pytest.mark.parametrize("ill", [None, 1, 2])
def test_a_suite_in_shares_is_as_good_as_its_worst(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ill: int | None) -> None:
    """Each share runs in a checkout of its own."""

    def checkout(root: Path, name: str) -> Path:
        (root / name).mkdir()
        return root / name

    monkeypatch.setattr(java, "build", lambda root: root)
    monkeypatch.setattr(second_checkout, "checkout", checkout)
    monkeypatch.setattr(builds, "etcd", lambda root: root)
    command = ("sh", "-c", f"touch ran-{{share}}-of-{{shares}}; echo '1 passed in 0.1s'; test {{share}} != {ill}")
    outcome = suite_report.Outcome(Suite("some", "in shares", (command,), beside=True, shares=2))

    Run(instance.derive(tmp_path), [outcome], "1").all()

    assert sorted(str(ran.relative_to(tmp_path)) for ran in tmp_path.glob("some*/*")) == [f"some{n}/ran-{n}-of-2" for n in (1, 2)]
    assert outcome.passed == 2
    assert outcome.ok is (ill is None)
