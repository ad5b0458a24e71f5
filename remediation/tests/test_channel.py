"""What hosts keep of a channel, where it cannot be kept."""

from pathlib import Path

import pytest

from drydock_remediation.channel_on_host import CANNOT, Order, apart
from drydock_remediation.reasons import of_plan, unreadable
from drydock_remediation.records import Mend, Release
from drydock_remediation.task_reports import TaskReports

from .fakes import facts

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


@pytest.mark.parametrize(
    ("said", "cause", "mend"),
    [
        ("[Errno 30] Read-only file system: '/var/lib/drydock/channels'", "unwritable", Mend.PEOPLE),
        ("[Errno 13] Permission denied: '/var/lib/drydock/channels'", "unwritable", Mend.PEOPLE),
        ("dnf: Failed to open /var/lib/drydock/x: Read-only file system", "unwritable", Mend.PEOPLE),
        ("E: Release file for http://x/Release is not valid yet (invalid for another 1h 59min 12s).", "clock", Mend.PEOPLE),
        ("Curl error (60): SSL certificate problem: certificate is not yet valid [https://x/repomd.xml]", "clock", Mend.PEOPLE),
        ("E: Syntax error /etc/apt/apt.conf.d/own:2: Extra junk at end of file", "settings", Mend.PEOPLE),
        # Of the network, and of what comes over it.
        ("[Errno 111] Connection refused", "source-unreadable", Mend.TIME),
        ("<urlopen error [Errno 113] No route to host>", "source-unreadable", Mend.TIME),
        ("Could not connect to x:80 (10.0.0.1). - connect (13: Permission denied)", "source-unreadable", Mend.TIME),
        ("Curl error (7): Couldn't connect to server for http://x/etc/Malformed", "source-unreadable", Mend.TIME),
        ("E: Release file for http://x/Release is expired (invalid since 3d).", "unsigned", Mend.PEOPLE),
    ],
)
def test_what_is_a_matter_of_the_host_is_not_blamed_on_the_channel_and_the_other_way_round(said: str, cause: str, mend: Mend) -> None:
    reason = unreadable(RELEASE, said)
    assert (reason.cause, reason.mend) == (cause, mend), reason


def test_a_plan_that_was_not_made_in_time_is_made_later() -> None:
    reason = of_plan(TaskReports("failed", 124, err="hostrun: it did not end in time"), RELEASE, facts(1))
    assert reason and (reason.cause, reason.mend) == ("late", Mend.TIME)


def test_a_full_disk_is_not_blamed_on_the_channel() -> None:
    reason = unreadable(RELEASE, "[Errno 28] No space left on device: '/var/lib/drydock'")
    assert (reason.cause, reason.mend) == ("space", Mend.PEOPLE)
    assert reason.says.startswith("there is no space for what channel")
