"""People pause, abort, try again and take back a rollout of real hosts, by the command line and by the API."""

import json
from typing import Any

import pytest
from consumers import Consumers
from findings import found
from fleet import Fleet, eventually

from drydock_stack import release_check, stack

pytestmark = [pytest.mark.e2e, pytest.mark.full]


def state(fleet: Fleet, rollout: str) -> str:
    return str((fleet.http(f"rollouts/{rollout}") or {}).get("state"))


def say(fleet: Fleet, *arguments: str) -> dict[str, Any]:
    """A command that must succeed, and the rollout it answers."""
    done = fleet.run("sre", "rollout", *arguments, "-o", "json")
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def tell(fleet: Fleet, rollout: str, command: str, reason: str) -> dict[str, Any]:
    """The same over the API."""
    answer = fleet.http(f"rollouts/{rollout}?action={command}", body={"reason": reason})
    assert answer, f"{command} was refused"
    return dict(answer["value"])


def working(fleet: Fleet, rollout: str, step: str) -> list[str]:
    return [host for host, row in fleet.upgrades(rollout).items() if row["state"] == "InProgress" and row.get("step") == step]


def test_a_rollout_is_paused_aborted_tried_again_and_taken_back(consumers: Consumers) -> None:
    """Nobody updates hosts meanwhile: whatever has begun is cordoned or drained, and can be brought back. The operator
    has to read hosts that seem to be on the release, so it is stopped only when all wait for the adapter."""
    fleet = consumers.fleet
    hosts = fleet.lab.hosts()[:2]
    before = {host: found(fleet, host) for host in hosts}
    with fleet.witnessed() as reports:
        with stack.alone(fleet.instance):
            stack.down(fleet.instance, ["adapter"])
        rollout = fleet.start(hosts, "control")
        eventually("a host waits to be cordoned", lambda: working(fleet, rollout, "Cordon"), 60)
        eventually("none is read any more", lambda: not working(fleet, rollout, "Verify"), 60)
        with stack.alone(fleet.instance):
            stack.down(fleet.instance, ["operator"])
            stack.up(fleet.instance, ["adapter"])
        eventually("a drained host waits for its update", lambda: working(fleet, rollout, "Update"), 60)
        paused = say(fleet, "pause", rollout, "--reason", "look at the first")
        assert (paused["state"], paused["stateBy"], paused["stateReason"]) == ("Paused", "sre", "look at the first")
        assert tell(fleet, rollout, "resume", "looked at")["state"] == "Running"
        paused = tell(fleet, rollout, "pause", "once more")
        assert (paused["state"], paused["stateBy"], paused["stateReason"]) == ("Paused", "sre", "once more")
        refused = fleet.run("sre", "rollout", "revert", rollout, "--release", "1")
        assert refused.returncode != 0 and "are in progress" in refused.stderr, refused.stderr
        begun = [host for host, row in fleet.upgrades(rollout).items() if row["state"] == "InProgress"]
        assert any(found(fleet, host) != before[host] for host in begun), "nothing was done that could be undone"

        aborting = say(fleet, "abort", rollout, "--reason", "wrong release")
        assert aborting["state"] in ("Aborting", "Aborted")
        again = fleet.run("sre", "rollout", "resume", rollout)
        assert again.returncode != 0 and f"rollout {rollout} is Abort" in again.stderr, again.stderr
        eventually("the rollout is aborted", lambda: state(fleet, rollout) == "Aborted", 180)
        assert {host: row["state"] for host, row in fleet.upgrades(rollout).items()} == dict.fromkeys(hosts, "Cancelled")
        eventually("no hold is left", lambda: not fleet.held(), 30)
        for host in hosts:
            assert found(fleet, host) == before[host], f"{host} is not as it was found"

        with stack.alone(fleet.instance):
            stack.up(fleet.instance, ["operator"])
        retried = say(fleet, "retry", rollout, "--reason", "it was right after all")
        assert retried["origin"] == {"kind": "Retry", "rollout": rollout}
        summary = fleet.ended(retried["id"], seconds=400)
        assert (summary["state"], summary["upgraded"]) == ("Succeeded", len(hosts))
        assert all(fleet.differences()[host] == "" for host in hosts)

        earlier = fleet.lab.folder / "releases" / "1.json"
        fleet.sre.must("release", "add", str(earlier))
        reverted = say(fleet, "revert", retried["id"], "--release", "1", "--reason", "2 is slow")
        assert reverted["origin"] == {"kind": "Revert", "rollout": retried["id"]}
        summary = fleet.ended(reverted["id"], seconds=400)
        assert (summary["state"], summary["upgraded"]) == ("Succeeded", len(hosts)), fleet.upgrades(reverted["id"])
        there = release_check.upgraded(fleet.lab, earlier)
        assert {host: there[host] for host in hosts} == dict.fromkeys(hosts, "")

    assert reports["observer"]["finished"] and reports["observer"]["violations"] == 0, reports["observer"].get("details")
    assert reports["traffic"]["finished"] and reports["traffic"]["failed"] == 0, reports["traffic"].get("byKind")
