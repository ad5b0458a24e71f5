"""Whether a host could be updated, from what its tasks reported, and by an operator with a board."""

from __future__ import annotations

import dataclasses
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from drydock_remediation.bundle import ALONE
from drydock_remediation.commands import objections, preflight_commands
from drydock_remediation.facts import ALL_PACKAGES_BYTES_MAX
from drydock_remediation.health.custom import HostCheck
from drydock_remediation.health.machine import OutOfBandReading
from drydock_remediation.lanes import Lane, lane_of
from drydock_remediation.operator import Operator
from drydock_remediation.player import TaskReport
from drydock_remediation.preflight import conclude
from drydock_remediation.records import REIMAGE, Claim, Job, Outcome, Result, Step
from drydock_remediation.settings import Settings, Ssh
from drydock_remediation.task_reports import TaskReports

from .fakes import RELEASE, FakeBoard, ScriptedPlayer, facts, job, simulation

SETTINGS = Settings("http://board", Path("token"), Ssh("root", Path("key"), Path("known")), "me", poll_seconds=0.02)
KNOWN: Mapping[str, HostCheck] = {"es": HostCheck(("true",), 10, None)}
SKIPPED = TaskReports("skipped")
DPKG = json.dumps([{"what": "dpkg's lock", "pid": 7, "command": "dpkg -i own.deb", "seconds": 75}])
UNSIGNED = "W: GPG error: http://10.0.0.1 Release: The following signatures couldn't be verified: NO_PUBKEY 9D6D8F6BC857C906"


def asked(**changes: Any) -> Job:
    made = job(step=Step.PREFLIGHT, grant="", **changes)
    return dataclasses.replace(made, id=f"pre.Preflight.r1.{made.host}.1")


def good(host: str = "h02") -> list[TaskReport]:
    return [
        TaskReport(host, "before", TaskReports("ok", facts=facts(1))),
        TaskReport(host, "fence", TaskReports("ok", 0)),
        TaskReport(host, "quiet", TaskReports("ok", 0, "[]\n")),
        TaskReport(host, "channel", TaskReports("ok", 0)),
        TaskReport(host, "simulation", TaskReports("ok", 0, simulation("good"))),
        TaskReport(host, "stage", TaskReports("ok", 0)),
        TaskReport(host, "end", TaskReports("ok")),
    ]


def ended(**changes: TaskReports) -> Result:
    told = {report.task: report.told for report in good()}
    return conclude(asked(), told | changes, None, KNOWN)


def plan(**more: Any) -> TaskReports:
    return TaskReports("ok", 0, json.dumps({**json.loads(simulation("good")), **more}))


def test_a_host_where_all_is_well_passes_and_has_what_its_update_needs() -> None:
    result = ended()
    assert (result.outcome, result.facts["staged"], result.begun) == (Outcome.DONE, "3", False)
    assert result.message == "h02 could be updated: 3 packages are downloaded"


HELD = [{"package": "fleet-agent", "by": "on hold (apt-mark)"}]
FEWER = {"installs": {"fleet-os": "2.0", "fleet-kernel": "2.0"}}
SHORT = [{"path": "/usr", "free": 1 << 20, "needed": 3 << 20}]


@pytest.mark.parametrize(
    ("changes", "cause", "mend", "says"),
    [
        ({"fence": TaskReports("ok", 74, err="/data is not mounted")}, "fence", "People", "/data is not mounted"),
        (
            {"quiet": TaskReports("ok", 0, DPKG)},
            "lock-held",
            "Time",
            "somebody else works there: dpkg -i own.deb (pid 7, for 75 s) has dpkg's lock",
        ),
        (
            {"channel": TaskReports("ok", 100, err="404  Not Found")},
            "source-unreadable",
            "Time",
            "http://10.0.0.1:8080/apt/v2 could not be read: 404",
        ),
        ({"channel": TaskReports("ok", 100, err=UNSIGNED)}, "unsigned", "People", "NO_PUBKEY"),
        (
            {"channel": TaskReports("ok", 78, err="hostrun: yields to 1.9.3.1, which has claimed this host")},
            "yields",
            "Time",
            "yields to 1.9.3.1",
        ),
        (
            {"stage": TaskReports("ok", 78, err="hostrun: yields to g9.Update.h02.3.upgrade, which runs here")},
            "yields",
            "Time",
            "yields to g9",
        ),
        ({"simulation": TaskReports("ok", 100, err="unmet dependencies")}, "unresolvable", "People", "unmet"),
        ({"simulation": plan(removals=["own"])}, "removal", "People", "it would remove own"),
        ({"simulation": plan(held=HELD, **FEWER)}, "held", "People", "fleet-agent is on hold (apt-mark)"),
        ({"simulation": plan(newer=["fleet-agent"], **FEWER)}, "older-release", "People", "fleet-agent would be 1.0 and not 2.0"),
        ({"simulation": plan(**FEWER)}, "plan-misses-release", "People", "fleet-agent would be 1.0"),
        ({"simulation": plan(space=SHORT)}, "space", "People", "/usr has 1 MiB free, the upgrade needs 3 MiB"),
        ({"stage": TaskReports("ok", 100, err="connection timed out")}, "source-unreadable", "Time", "timed out"),
        ({"stage": TaskReports("ok", 100, err="No space left on device")}, "space", "People", "No space"),
        ({"channel": TaskReports("ok", 1, err="[Errno 28] No space left on device")}, "space", "People", "there is no space"),
        (
            {"before": TaskReports("ok", facts=facts(1, all_packages="x" * (ALL_PACKAGES_BYTES_MAX + 1)))},
            "too-many-packages",
            "People",
            "bytes",
        ),
    ],
)
def test_one_that_cannot_pass_is_not_touched_and_says_why_and_what_mends_it(
    changes: dict[str, TaskReports], cause: str, mend: str, says: str
) -> None:
    result = ended(**changes)
    assert (result.outcome, result.cause, result.mend, result.begun) == (Outcome.FAILED, cause, mend, False)
    assert result.message.startswith("not touched: ")
    assert says in result.message
    assert re.fullmatch(r"[a-z0-9-]{1,64}", result.cause)


def test_a_hold_of_what_is_there_already_keeps_nobody() -> None:
    """Control: the same hold, of a package that the plan reaches."""
    assert ended(simulation=plan(held=HELD)).outcome is Outcome.DONE


def test_what_was_broken_before_and_what_would_be_kept_back_are_told_and_keep_nobody() -> None:
    broken = TaskReports("ok", facts=facts(1, audit="own-tool half configured"))
    result = ended(before=broken, simulation=plan(keptBack=["vendor-tool"]))
    assert result.outcome is Outcome.DONE
    assert "complains already: own-tool half configured" in result.message
    assert "1 would be kept back: vendor-tool" in result.message
    assert (result.facts["keptBack"], result.facts["brokenBefore"]) == ("vendor-tool", "own-tool half configured")


def test_checks_nobody_knows_here_are_named() -> None:
    result = conclude(asked(checks=("es", "kafka")), {}, None, KNOWN)
    assert (result.outcome, result.cause, "pass kafka afterwards" in result.message) == (Outcome.FAILED, "checks-unknown", True)


@pytest.mark.parametrize(
    ("outside", "cause", "mend"),
    [(None, "bmc-unknown", "People"), (OutOfBandReading(None, None, "its BMC answered none of 6 questions"), "bmc-silent", "Time")],
)
def test_an_installation_needs_the_bmc_and_not_the_system(outside: OutOfBandReading | None, cause: str, mend: str) -> None:
    result = conclude(asked(mode=REIMAGE), {}, outside, KNOWN)
    assert (result.outcome, result.cause, result.mend) == (Outcome.FAILED, cause, mend)


def test_one_is_no_job_of_a_grant_and_goes_in_a_lane_of_its_own() -> None:
    assert objections(asked(), "1.0.1.1") == []
    assert objections(job(grant=""), "1.0.1.1") != [], "control: an update is"
    assert lane_of(asked()) is lane_of(asked(mode=REIMAGE)) is Lane.PREFLIGHTS


def test_what_must_not_reach_a_host_is_refused_in_the_words_of_a_preflight() -> None:
    result, player = operate(lambda *_: iter(()), address="-oProxyCommand=x")
    assert (result.outcome, result.cause, result.mend, result.begun, player.played) == (Outcome.FAILED, "bad-job", "People", False, [])
    assert result.message.startswith("not touched: address ")


def test_nothing_of_it_claims_the_host_or_is_recorded_there() -> None:
    commands = preflight_commands(Claim(asked(), "c", 1, "1.0.1.1", 15, 0.0), RELEASE)
    for name in ("channel", "simulation", "stage"):
        assert commands[name][: len(ALONE) + 4] == [*ALONE, "-", "beside", "--token", "1.0.1.1"]
    assert not [word for command in commands.values() for word in command if word in ("run", "token")]


Play = Callable[[list[Claim], Callable[[], bool]], Iterator[TaskReport]]


def operate(script: Play, **changes: Any) -> tuple[Result, ScriptedPlayer]:
    board, player = FakeBoard(asked(**changes)), ScriptedPlayer(script)
    operator = Operator(board, player, SETTINGS, threading.Event())
    assert operator.take() == 1
    operator.join()
    return board.wait_result("pre.Preflight.r1.h02.1"), player


def test_an_operator_plays_it_and_reports() -> None:
    result, player = operate(lambda claims, _: iter(good(claims[0].job.host)))
    assert (result.outcome, player.played) == (Outcome.DONE, [(Step.PREFLIGHT, ["h02"])])


def test_a_host_that_does_not_answer_is_asked_again_and_then_has_not_passed() -> None:
    lost = [TaskReport("h02", "before", TaskReports("unreachable", err="no route to host"))]
    result, player = operate(lambda *_: iter(lost))
    assert len(player.played) == 3
    assert (result.outcome, result.cause, result.mend) == (Outcome.FAILED, "unreachable", "Time")
    assert result.message == "not touched: h02 did not answer: no route to host"
