"""People pause, resume, abort, retry and take back rollouts of real hosts, by the command line alone."""

import json
import socket
import subprocess
import time
from typing import Any

import pytest
from fleet import Fleet, eventually

from drydock_stack import release_check
from drydock_stack.service import http_json

pytestmark = pytest.mark.e2e


def state(fleet: Fleet, rollout: str) -> str:
    return str(fleet.sre.ask("rollout", "get", rollout)["state"])


def say(fleet: Fleet, *arguments: str) -> dict[str, Any]:
    """A command that must succeed, and the rollout it answers."""
    done = fleet.run("sre", "rollout", *arguments, "-o", "json")
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def working(fleet: Fleet, rollout: str, steps: tuple[str, ...]) -> list[str]:
    return [host for host, row in fleet.upgrades(rollout).items() if row["state"] == "InProgress" and row.get("step") in steps]


def found(fleet: Fleet, host: str) -> dict[str, Any]:
    """What the host and the balancer say of it; nothing of Drydock is asked but for its locks."""
    status, lab = http_json(f"http://127.0.0.1:{fleet.instance.port('labControl')}/hosts/{host}", seconds=10)
    assert status == 200 and isinstance(lab, dict)
    ask = "ls /data/drydock/cordon 2>/dev/null; dpkg-query -W 2>/dev/null | sha256sum; rpm -qa 2>/dev/null | sort | sha256sum"
    command = [*release_check.ssh(fleet.lab), fleet.lab.addresses()[host], ask]
    inside = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout
    return {
        **{key: lab[key] for key in ("power", "boots", "bootId", "kernel", "release", "notReady")},
        "cordon and packages": inside,
        "rotation": sorted(line for line in rotation(fleet) if line.split()[0].endswith(f"/{host}")),
        "locks": [lock["kind"] for lock in fleet.sre.ask("lock", "list") if host in lock["hosts"] and lock["state"] == "Held"],
    }


def rotation(fleet: Fleet) -> list[str]:
    """APPLICATION/HOST and the administrative state of each server of the balancer."""
    with socket.create_connection(("127.0.0.1", fleet.instance.port("balancerStats")), timeout=10) as balancer:
        balancer.sendall(b"show servers state\n")
        text = b"".join(iter(lambda: balancer.recv(65536), b"")).decode()
    rows = [line.split() for line in text.splitlines()[2:] if line]
    return [f"{row[1]}/{row[3]} {row[6]}" for row in rows]


def test_a_rollout_is_paused_aborted_tried_again_and_taken_back(fleet: Fleet) -> None:
    hosts = fleet.lab.hosts()[:4]
    before = {host: found(fleet, host) for host in hosts}
    with fleet.witnessed() as reports:
        rollout = fleet.start(hosts, f"control-{time.time_ns()}")
        # From the freeze on there is something to undo; until the update begins it can be undone.
        eventually("a host is cordoned or drained", lambda: working(fleet, rollout, ("Confirm", "Open", "Drain")), 60)
        paused = say(fleet, "pause", rollout, "--reason", "look at the first")
        assert (paused["state"], paused["stateBy"], paused["stateReason"]) == ("Paused", "sre", "look at the first")
        begun = {host for host, row in fleet.upgrades(rollout).items() if row["state"] != "Pending"}
        refused = fleet.run("sre", "rollout", "revert", rollout, "--release", "1")
        assert refused.returncode != 0 and "no host of rollout" in refused.stderr, refused.stderr
        aborting = say(fleet, "abort", rollout, "--reason", "wrong release")
        assert aborting["state"] in ("Aborting", "Aborted")
        again = fleet.run("sre", "rollout", "resume", rollout)
        assert again.returncode != 0 and f"rollout {rollout} is Abort" in again.stderr, again.stderr
        eventually("the rollout is aborted", lambda: state(fleet, rollout) == "Aborted", 180)
        rows = fleet.upgrades(rollout)
        assert begun, "nothing had begun: the abort undid nothing"
        untouched = [host for host, row in rows.items() if row["state"] == "Cancelled"]
        assert {row["state"] for row in rows.values()} <= {"Cancelled", "Upgraded"}
        assert any(host in untouched for host in begun), f"no batch was brought back: {rows}"
        eventually("no hold is left", lambda: not fleet.held(), 30)
        for host in untouched:
            assert found(fleet, host) == before[host], f"{host} is not as it was found"

        retried = say(fleet, "retry", rollout, "--reason", "it was right after all")
        assert retried["origin"] == {"kind": "Retry", "rollout": rollout}
        summary = fleet.ended(retried["id"], seconds=400)
        assert (summary["state"], summary["upgraded"]) == ("Succeeded", len(untouched))
        assert all(fleet.differences()[host] == "" for host in untouched)

    assert reports["observer"]["finished"] and reports["observer"]["violations"] == 0, reports["observer"].get("details")
    assert reports["traffic"]["finished"] and reports["traffic"]["failed"] == 0, reports["traffic"].get("byKind")
