"""What hosts keep of a channel, where it cannot be kept."""

from pathlib import Path

import pytest

from drydock_remediation.channel_on_host import CANNOT, Order, apart
from drydock_remediation.reasons import unreadable
from drydock_remediation.records import Mend, Release

RELEASE = Release(name="2", family="dnf", channel="http://10.0.0.1/v2", packages={}, kernel="6.2")


def order(state: Path) -> Order:
    return Order(channel=RELEASE.channel, downgrade=False, packages={}, state=str(state))


def test_a_folder_that_cannot_be_written_is_told_in_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    taken = tmp_path / "state"
    taken.write_text("a file where a folder should be")
    assert apart(order(taken), lambda _: 0) == CANNOT
    told = capfd.readouterr()
    assert told.err.count("\n") == 1
    assert str(taken) in told.err


def test_what_the_work_ends_with_is_told(tmp_path: Path) -> None:
    assert apart(order(tmp_path), lambda _: 5) == 5


def test_a_full_disk_is_not_blamed_on_the_channel() -> None:
    reason = unreadable(RELEASE, "[Errno 28] No space left on device: '/var/lib/drydock'")
    assert (reason.cause, reason.mend) == ("space", Mend.PEOPLE)
    assert reason.says.startswith("there is no space for what channel")
