"""Whether anything was begun on a host is what its wrapper recorded, never the words of a message."""

from __future__ import annotations

import json
from typing import Any

import pytest

from drydock_remediation.channel_on_host import NOTHING_BEGUN
from drydock_remediation.facts import HostFacts, HostRun
from drydock_remediation.records import Outcome, Result
from drydock_remediation.task_reports import SILENT, TaskReports
from drydock_remediation.update import conclude

from .fakes import facts, good_update, job, recorded, simulation

JOB = "g17.Update.h02.3"
REST = ("channel", "simulation", "upgrade", "middle", "reboot", "await", "after")
DPKG = json.dumps([{"what": "dpkg's lock", "pid": 7, "command": "dpkg -i own.deb", "seconds": 75}])


def runs(key: str, code: int | None = 0, state: str = "finished", boot: str = "b") -> dict[str, HostRun]:
    return {key: HostRun(state, code, boot, (1, 17, 3, 1))}


def ended(**changes: TaskReports) -> Result:
    """Of a host on release 1 where no task after the first reading has run, but those that are given."""
    told = {report.task: report.told for report in good_update("h02")} | dict.fromkeys(REST, TaskReports("skipped")) | changes
    return conclude(job(), told)


def before(**changes: Any) -> TaskReports:
    return TaskReports("ok", facts=facts(1, **changes))


PLAN = {"installs": {"fleet-os": "2.0", "fleet-kernel": "2.0"}, "removals": []}
HELD = json.dumps({**PLAN, "held": [{"package": "fleet-agent", "by": "on hold (apt-mark)"}]})
GOOD = {"channel": TaskReports("ok", 0), "simulation": TaskReports("ok", 0, simulation("good"))}


@pytest.mark.parametrize(
    ("changes", "cause", "mend"),
    [
        ({"fence": TaskReports("ok", 75, err="token 1.17.3.1 is older")}, "fenced-off", "Time"),
        ({"quiet": TaskReports("ok", 0, DPKG)}, "lock-held", "Time"),
        ({"others": TaskReports("ok", 0, DPKG), "quiet": SILENT}, "lock-held", "Time"),
        ({"others": TaskReports("ok", 0, DPKG), "quiet": TaskReports("ok", 0, "[]")}, "stopped-early", "Time"),
        ({}, "stopped-early", "Time"),
        ({"channel": TaskReports("ok", 100, err="404 Not Found")}, "source-unreadable", "Time"),
        ({"channel": TaskReports("ok", 0), "simulation": TaskReports("ok", 100, err="unmet dependencies")}, "unresolvable", "People"),
        ({"channel": TaskReports("ok", 0), "simulation": TaskReports("ok", 0, HELD)}, "held", "People"),
        ({"channel": TaskReports("ok", 0), "simulation": TaskReports("ok", 0, simulation("removal"))}, "plan-misses-release", "People"),
    ],
)
def test_what_ended_before_the_upgrade_began_nothing(changes: dict[str, TaskReports], cause: str, mend: str) -> None:
    result = ended(**changes)
    assert (result.outcome, result.begun, result.cause, result.mend) == (Outcome.FAILED, False, cause, mend)
    assert result.facts["changed"] == "false"
    assert result.record()["begun"] is False


@pytest.mark.parametrize(
    ("said", "cause", "mend"),
    [
        ("lock-held: dpkg -i own.deb (pid 7, for 75 s) has dpkg's lock", "lock-held", "Time"),
        ("source-unreadable: E: Failed to fetch http://x/a.deb 404", "source-unreadable", "Time"),
        ("source-unreadable: E: You don't have enough free space in /var/lib/drydock/", "space", "People"),
        ("removal: refused: it would remove own", "removal", "People"),
        ("whatever else", "not-begun", "People"),
    ],
)
def test_a_program_that_ended_before_it_changed_anything_has_begun_nothing(said: str, cause: str, mend: str) -> None:
    host = before(runs=runs(f"{JOB}.upgrade", NOTHING_BEGUN))
    result = ended(**GOOD, upgrade=TaskReports("ok", NOTHING_BEGUN, err=f"noise of apt\n{said}\n"), middle=host)
    assert (result.outcome, result.begun, result.cause, result.mend) == (Outcome.FAILED, False, cause, mend)


@pytest.mark.parametrize(
    ("code", "state"), [(100, "finished"), (124, "finished"), (None, "interrupted"), (0, "finished"), (None, "running")]
)
@pytest.mark.parametrize("key", [f"{JOB}.upgrade", "g17.Update.h02.2.upgrade", "g17.Update.h02.2.reboot"])
def test_what_an_upgrade_or_a_reboot_of_the_grant_left_is_begun_whatever_this_attempt_did(key: str, code: int | None, state: str) -> None:
    """Control: the same message with another record."""
    lost = TaskReports("ok", 100, err="404 Not Found")
    result, untouched = ended(before=before(runs=runs(key, code, state)), channel=lost), ended(channel=lost)
    assert (result.begun, untouched.begun) == (True, False)
    assert result.message == untouched.message


@pytest.mark.parametrize("key", ["g16.Update.h02.3.upgrade", "g17.Update.h021.3.upgrade", f"{JOB}.channel", "g17.Repair.h02.5.upgrade"])
def test_what_others_did_or_only_read_is_nothing_of_this_grant(key: str) -> None:
    assert ended(before=before(runs=runs(key)), channel=TaskReports("ok", 100)).begun is False


def test_where_the_record_cannot_be_read_nobody_knows() -> None:
    for changes in ({"data_mounted": False}, {"recorded": False}):
        result = ended(before=before(**{**changes, "recorded": False}), fence=TaskReports("ok", 74, err="/data is not mounted"))
        assert result.begun is None
        assert "begun" not in result.record()
    assert conclude(job(), {"before": SILENT}).begun is None


def test_the_record_of_a_partition_that_is_not_there_or_of_another_wrapper_is_not_read() -> None:
    record = recorded(1)
    assert HostFacts.read(record).recorded
    assert not HostFacts.read({**record, "data_mounted": False}).recorded
    assert not HostFacts.read({**record, "hostrun": {**record["hostrun"], "unread": True}}).recorded


def test_an_upgraded_host_was_begun_and_tells_what_was_kept_back() -> None:
    told = {report.task: report.told for report in good_update("h02")}
    result = conclude(job(), told | {"upgrade": TaskReports("ok", 0, "much\n== kept back: own-tool vendor-tool\n")})
    assert (result.outcome, result.begun, result.facts["keptBack"]) == (Outcome.DONE, True, "own-tool vendor-tool")
    assert result.message.endswith("; 2 kept back: own-tool, vendor-tool")
    assert "keptBack" not in conclude(job(), told).facts


def test_a_reboot_that_is_refused_or_waits_for_somebody_is_named() -> None:
    upgraded = TaskReports("ok", facts=facts(2, kernel="6.1.0.0-fleet", runs=runs(f"{JOB}.upgrade", boot=facts(2).boot_id)))
    done = {**GOOD, "upgrade": TaskReports("ok", 0), "middle": upgraded}
    refused = ended(**done, calm=TaskReports("ok", 0, "[]"), reboot=TaskReports("ok", 1, err="Call to Reboot failed: Access denied"))
    assert (refused.outcome, refused.begun, refused.cause) == (Outcome.FAILED, True, "reboot-refused")
    assert "refused to start anew: Call to Reboot failed: Access denied" in refused.message
    waits = ended(**done, calm=TaskReports("ok", 0, DPKG))
    assert (waits.outcome, waits.begun, waits.cause, waits.mend) == (Outcome.FAILED, True, "lock-held", "Time")
    assert "was not started anew: somebody else works there: dpkg -i own.deb" in waits.message
