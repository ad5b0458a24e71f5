"""A diagnosis says what is; only a verified host goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from drydock_remediation.diagnosis import examine
from drydock_remediation.facts import HostFacts, HostRun
from drydock_remediation.jobset import PLAYS_MAX
from drydock_remediation.observations import Observations
from drydock_remediation.player import TaskReport
from drydock_remediation.records import Claim, Job, Outcome, Repair, Step
from drydock_remediation.reimage.facts import KEPT, SUMS, SUMS_BEFORE
from drydock_remediation.task_reports import TaskReports

from .fakes import FakeBoard, ScriptedPlayer, facts, job
from .test_jobset import silent, work_set

BUSY = {"g17.Update.h02.3.upgrade": HostRun("running", None, "b", (1, 17, 3, 1)), "old": HostRun("done", 0, "b", (1, 17, 3, 1))}


def repair(kind: Repair, **changes: Any) -> Job:
    return job("h02", Step.REPAIR, repair=kind, **changes)


def test_that_a_host_does_not_answer_is_an_answer_of_a_diagnosis() -> None:
    result = examine(repair(Repair.DIAGNOSE), None)
    assert (result.outcome, result.message) == (Outcome.DONE, "h02 does not answer; no known signature")
    assert result.facts["diagnosis.reachable"] == "false"


def test_a_diagnosis_says_what_still_runs() -> None:
    result = examine(repair(Repair.DIAGNOSE), facts(1, runs=BUSY))
    assert result.outcome is Outcome.DONE
    assert result.message == "h02 answers and still runs g17.Update.h02.3.upgrade; no known signature"
    assert result.facts["diagnosis.reachable"] == "true"
    assert result.facts["diagnosis.running"] == "g17.Update.h02.3.upgrade"
    assert examine(repair(Repair.DIAGNOSE), facts(1)).facts["diagnosis.running"] == ""


def test_a_diagnosis_says_the_signature_its_evidence_and_what_helps() -> None:
    refused = Observations(TaskReports("unreachable", err="ssh: connect to host 10.0.0.2 port 22: Connection refused"))
    result = examine(repair(Repair.DIAGNOSE), None, refused)
    assert result.message == "h02 does not answer; unreachable (ssh: got refused, want one of refused, noRoute, silent, cut)"
    assert {name.removeprefix("diagnosis."): text for name, text in result.facts.items()} == {
        "reachable": "false",
        "signature": "unreachable",
        "evidence": "ssh: got refused, want one of refused, noRoute, silent, cut",
        "recoverable": "true",
        "rungs": "PowerCycle,Reimage",
        "others": "",
        "dataOwed": "false",
    }
    shown = json.loads(result.evidence)
    assert shown["facts"] == {"ssh": "refused"}
    assert shown["evidence"] == [{"fact": "ssh", "got": "refused", "want": "one of refused, noRoute, silent, cut"}]
    assert {"signature": "bmc-down", "unknown": ["bmc.answered", "bmc.asked", "failure.says"]} in shown["undecided"]


def test_a_diagnosis_says_whether_an_installation_owes_a_proof_of_the_data() -> None:
    def owed(**kept: str) -> str:
        return examine(repair(Repair.DIAGNOSE, facts=kept), None).facts["diagnosis.dataOwed"]

    assert owed() == "false"
    assert owed(**{KEPT: "g17.3", SUMS_BEFORE: "a", SUMS: ""}) == "true"
    assert owed(**{KEPT: "g17.3", SUMS_BEFORE: "a", SUMS: "a"}) == "false", "proven"
    assert owed(**{KEPT: "g16.3", SUMS_BEFORE: "a", SUMS: ""}) == "false", "of another batch"


def test_a_diagnosis_says_who_else_works_there() -> None:
    dpkg = "931 dpkg --configure -a, since 17:02:11"
    result = examine(repair(Repair.DIAGNOSE, facts={"failure.step": "Update"}), facts(1, others=dpkg))
    assert result.message == (
        f"h02 answers and nothing of Drydock runs there; others are at work: {dpkg};"
        f" lock-held (others: got {dpkg}, want matches .; failure.step: got Update, want one of Update, Health)"
    )
    assert [result.facts[f"diagnosis.{name}"] for name in ("others", "rungs")] == [dpkg, "RetryStep"]
    assert examine(repair(Repair.DIAGNOSE), facts(1)).facts["diagnosis.others"] == "", "the control"


def test_what_fits_no_signature_is_unknown_and_is_only_tried_once_more() -> None:
    told = examine(repair(Repair.DIAGNOSE), facts(1)).facts
    assert [told[f"diagnosis.{name}"] for name in ("signature", "recoverable", "rungs", "evidence")] == [
        *("unknown", "unknown", "RetryStep", "")
    ]


def test_facts_of_a_diagnosis_are_never_taken_for_those_of_a_step() -> None:
    assert all(name.startswith("diagnosis.") for name in examine(repair(Repair.DIAGNOSE), facts(1)).facts)


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (None, "does not answer after it was switched off and on"),
        (facts(1, boot_id="old"), "it was not started anew"),
        (facts(1, data_mounted=False), "its data partition is not mounted"),
        (facts(1, runs=BUSY), "it still runs g17.Update.h02.3.upgrade"),
    ],
)
def test_a_host_is_not_verified_unless_it_is_fit_to_go_on(found: HostFacts | None, why: str) -> None:
    result = examine(repair(Repair.VERIFY, facts={"diagnosis.bootId": "old"}), found)
    assert result.outcome is Outcome.FAILED
    assert why in result.message


def test_a_host_that_was_started_anew_is_verified() -> None:
    assert examine(repair(Repair.VERIFY, facts={"diagnosis.bootId": "old"}), facts(1)).outcome is Outcome.DONE
    assert examine(repair(Repair.VERIFY), facts(1)).outcome is Outcome.DONE, "it did not answer when it was diagnosed"


def test_a_host_that_does_not_answer_is_asked_a_few_times_and_then_diagnosed() -> None:
    board, player = FakeBoard(repair(Repair.DIAGNOSE)), ScriptedPlayer(silent)
    work_set(board, player, Step.REPAIR).run()
    assert [result.message for result in board.results.values()] == ["h02 does not answer; no known signature"]
    assert len(player.played) == PLAYS_MAX


def test_a_host_to_be_verified_gets_the_time_of_a_boot() -> None:
    """The control is the diagnosis above: it gives up after a few plays."""
    board = FakeBoard(repair(Repair.VERIFY))

    def booted(claims: list[Claim], stop: Callable[[], bool]) -> Iterator[TaskReport]:
        yield TaskReport("h02", "before", TaskReports("ok", facts=facts(1)))
        yield TaskReport("h02", "end", TaskReports("ok"))

    player = ScriptedPlayer(*[silent] * (PLAYS_MAX + 1), booted)
    work_set(board, player, Step.REPAIR).run()
    assert [result.outcome for result in board.results.values()] == [Outcome.DONE]
    assert len(player.played) == PLAYS_MAX + 2
