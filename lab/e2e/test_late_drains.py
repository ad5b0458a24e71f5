"""Hosts that do not drain: their owners are asked, answer, or do not, by command line and API."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
from browser import in_browser
from endless_requests import crowd, drains_end
from findings import found
from fleet import Fleet, eventually

pytestmark = [pytest.mark.e2e, pytest.mark.full]

HOST, OTHER = "h09", "h10"  # With applications of web and ads, and none of search.


def asked(fleet: Fleet, rollout: str, *hosts: str) -> dict[str, dict[str, Any]]:
    """The questions that wait for an answer, by host, once there is one of each."""

    def look() -> dict[str, dict[str, Any]] | None:
        waiting = {host: one for one in fleet.sre.ask("decision", "list") for host in one["hosts"] if one["rollout"] == rollout}
        return waiting if set(waiting) == set(hosts) else None

    return eventually(f"people are asked about {hosts}", look, 90)


def question(fleet: Fleet, known: dict[str, Any]) -> dict[str, Any]:
    """The same question as it is now."""
    return dict(fleet.http(f"decisions/{known['id']}"))


def answer(fleet: Fleet, principal: str, known: dict[str, Any], word: str) -> "subprocess.CompletedProcess[str]":
    return fleet.run(principal, "decision", "answer", known["id"], word, "--reason", f"{principal} says so")


def refused(done: "subprocess.CompletedProcess[str]", why: str) -> None:
    assert done.returncode != 0, done.stdout
    assert why in done.stderr, done.stderr


def test_owners_wait_longer_for_one_host_and_force_the_other_with_a_second_approval(fleet: Fleet, folder: Path) -> None:
    drains_end(fleet, folder, "onTimeout: Ask")
    with fleet.witnessed() as reports, crowd(fleet, HOST) as patient, crowd(fleet, OTHER) as impatient:
        rollout = fleet.start([HOST, OTHER], "asked")
        questions = asked(fleet, rollout, HOST, OTHER)
        assert {one["facts"]["onTimeout"] for one in questions.values()} == {"Ask"}
        row = fleet.upgrades(rollout)[HOST]
        assert (row["state"], row["step"]) == ("InProgress", "Drain")
        assert f"drydock decision answer {questions[HOST]['id']}" in row["reason"], row
        refused(answer(fleet, "viewer", questions[HOST], "Wait"), "role")
        refused(answer(fleet, "search-team", questions[HOST], "Wait"), "nothing of team search runs on")

        patient.leave()
        path = f"decisions/{questions[HOST]['id']}?action=answer"
        assert fleet.http(path, "web-team", {"option": "Wait", "reason": "they leave"}), "the answer by the API was not taken"
        waited = question(fleet, questions[HOST])
        assert (waited["state"], waited["answer"], waited["answeredBy"]) == ("Answered", "Wait", "web-team")
        refused(answer(fleet, "web-team", questions[HOST], "Force"), "was decided already: Wait by web-team")

        first = answer(fleet, "sre", questions[OTHER], "Force")
        assert first.returncode == 0 and "somebody else has to approve it" in first.stderr, first
        assert question(fleet, questions[OTHER])["state"] == "AwaitsApproval"
        refused(answer(fleet, "sre", questions[OTHER], "Force"), "sre asked for Force already")
        refused(answer(fleet, "foreign", questions[OTHER], "Force"), "is approved by an owner of what runs there")
        assert impatient.cut == 0, "something was stopped before the second approval"
        approved = answer(fleet, "web-team", questions[OTHER], "Force")
        assert approved.returncode == 0, approved.stderr
        forced = question(fleet, questions[OTHER])
        assert (forced["state"], forced["proposedBy"], forced["answeredBy"]) == ("Answered", "sre", "web-team")

        summary = fleet.ended(rollout, seconds=240)
    assert (summary["state"], summary["upgraded"]) == ("Succeeded", 2), fleet.upgrades(rollout)
    assert {host: fleet.differences()[host] for host in (HOST, OTHER)} == {HOST: "", OTHER: ""}
    assert patient.cut == 0 and patient.answered > 0, "waiting longer cut users off"
    assert impatient.cut > 0, "nobody was there to be cut off: the force was none"
    assert reports["observer"]["finished"] and reports["observer"]["violations"] == 0, reports["observer"].get("details")
    assert reports["traffic"]["finished"] and reports["traffic"]["failed"] == 0, reports["traffic"].get("byKind")


def test_a_question_nobody_answers_expires_and_an_abort_leaves_the_host_as_it_was_found(fleet: Fleet, folder: Path) -> None:
    drains_end(fleet, folder, "onTimeout: Ask, ask: {remind: 5s, expires: 15s}")
    with fleet.witnessed() as reports, crowd(fleet, HOST) as users:
        before = found(fleet, HOST)
        rollout = fleet.start([HOST], "unanswered")
        first = asked(fleet, rollout, HOST)[HOST]
        assert found(fleet, HOST) != before, "nothing was done that could be undone"
        assert fleet.run("sre", "rollout", "pause", rollout, "--reason", "who answers?").returncode == 0

        eventually("the question expires", lambda: question(fleet, first)["state"] == "Expired", 60)
        refused(answer(fleet, "web-team", first, "Wait"), "nobody answered in time")
        eventually("the host is requeued", lambda: fleet.upgrades(rollout)[HOST]["state"] == "Pending", 60)
        eventually("no hold is left", lambda: not fleet.held(), 30)
        assert found(fleet, HOST) == before, "it was not brought back"

        assert fleet.run("sre", "rollout", "resume", rollout).returncode == 0
        second = asked(fleet, rollout, HOST)[HOST]
        assert second["grant"] != first["grant"]
        assert found(fleet, HOST) != before, "nothing was done that could be undone"
        assert fleet.run("sre", "rollout", "abort", rollout, "--reason", "enough").returncode == 0
        refused(answer(fleet, "web-team", second, "Wait"), "is over: its batch went back or ended")
        eventually("the rollout is aborted", lambda: fleet.http(f"rollouts/{rollout}")["state"] == "Aborted", 120)
        assert question(fleet, second)["state"] == "Over"
        assert fleet.upgrades(rollout)[HOST]["state"] == "Cancelled"
        eventually("no hold is left", lambda: not fleet.held(), 30)
        assert found(fleet, HOST) == before, "it is not as it was found"
    assert users.cut == 0 and users.answered > 0, "users were cut off for nothing"
    assert reports["observer"]["finished"] and reports["observer"]["violations"] == 0, reports["observer"].get("details")
    assert reports["traffic"]["finished"] and reports["traffic"]["failed"] == 0, reports["traffic"].get("byKind")


def test_an_owner_answers_on_the_console(fleet: Fleet, folder: Path) -> None:
    drains_end(fleet, folder, "onTimeout: Ask")
    with crowd(fleet, HOST) as users:
        rollout = fleet.start([HOST], "asked-on-the-console")
        known = asked(fleet, rollout, HOST)[HOST]
        in_browser(fleet, "decisions", [HOST])
        assert question(fleet, known)["answer"] == "Requeue"
        eventually("the host is requeued", lambda: fleet.upgrades(rollout)[HOST]["state"] == "Pending", 60)
        users.leave()
        assert fleet.ended(rollout, seconds=240)["upgraded"] == 1
