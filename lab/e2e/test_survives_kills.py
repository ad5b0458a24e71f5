"""One rollout under traffic, while the server is killed with SIGKILL at named points of its way."""

import json
import os
import random
import time
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import pytest
from fleet import Fleet, eventually

pytestmark = pytest.mark.e2e

# In the order in which a host's way passes them; see dev.drydock.proto.crash.CrashPoint.
POINTS = (
    "after-grant-proposed",
    "after-grant-committed",
    "after-grant-recorded",
    "after-workflow-started",
    "after-job-published",
    "after-check-decided",
    "after-job-claimed",
    "after-result-stored",
    "before-end-recorded",
    "before-hold-ended",
    "after-hold-ended",
)
SEED = int(os.environ.get("DRYDOCK_TEST_SEED", "0"))
CHOSEN = sorted(random.Random(SEED).sample(POINTS, 2), key=POINTS.index)  # noqa: S311 - to repeat it


@pytest.mark.parametrize(
    ("points", "every"),
    [
        pytest.param(CHOSEN, 3, id=f"seed {SEED}: {', '.join(CHOSEN)}"),
        pytest.param(POINTS, 1, id="every point, every host", marks=pytest.mark.full),
    ],
)
def test_a_rollout_survives_the_server_killed_at(points: Sequence[str], every: int, fleet: Fleet) -> None:
    hosts = fleet.lab.hosts()[::every]
    boots = {host: fleet.boots(host) for host in hosts}
    for point in points:
        fleet.crash_file(point).unlink(missing_ok=True)
    with fleet.witnessed() as reports:
        fleet.server_down()
        fleet.server_up(crash_at=points[0])
        request = f"kills-{time.time_ns()}"
        died = fleet.crash_file(points[0]).exists
        eventually("the rollout is accepted, or the server died before it said so", lambda: fleet.submit(hosts, request) or died(), 60)
        for point, following in zip_longest(points, points[1:]):
            fleet.await_crash(point, seconds=300)
            fleet.server_up(crash_at=following)
        rollout = fleet.accepted(hosts, request)
        summary = fleet.ended(rollout, seconds=600)

    assert summary["state"] == "Succeeded"
    assert summary["upgraded"] == summary["hostCount"] == len(hosts), "counts add up"
    assert [name for name, row in fleet.upgrades(rollout).items() if row["state"] != "Upgraded"] == []
    differences = fleet.differences()
    assert {host: differences[host] for host in hosts if differences[host]} == {}, "the hosts themselves say so"
    assert {host: fleet.package_runs(host) for host in hosts} == dict.fromkeys(hosts, 1), "no host was upgraded twice"
    assert {host: fleet.boots(host) - boots[host] for host in hosts} == dict.fromkeys(hosts, 1), "or rebooted twice"
    changed = report(fleet, rollout)
    ways = {(row["family"], row["name"]): [(way["from"], way["to"], way["hosts"]) for way in row["paths"]] for row in changed["packages"]}
    families = Counter(fleet.lab.families()[host] for host in hosts)
    went = {"apt": ("1.0", "2.0"), "dnf": ("1.0-1", "2.0-1")}
    of_release = [(family, name) for family in families for name in ("fleet-os", "fleet-kernel", "fleet-agent")]
    assert ways == {of: [(*went[of[0]], families[of[0]])] for of in of_release}, "what was before is not lost by a kill"
    assert (changed["completeHosts"], changed["incomplete"]) == (len(hosts), []), "of every host both package lists are known"
    assert {cve["cve"]: (cve["closed"], cve["stillOpen"]) for cve in changed["cves"]} == {"CVE-2026-0001": (len(hosts), 0)}
    assert fleet.held() == [], "no hold is left"
    assert reports["observer"]["finished"] and reports["observer"]["violations"] == 0, reports["observer"].get("details")
    assert reports["traffic"]["finished"] and reports["traffic"]["failed"] == 0, reports["traffic"].get("byKind")
    assert reports["traffic"]["requests"] > 1000


def report(fleet: Fleet, rollout: str) -> Any:
    """With one advisory for both families that release 2 heeds."""
    events = [{"introduced": "0"}, {"fixed": "2.0~"}]
    affected = [
        {"package": {"ecosystem": ecosystem, "name": "fleet-agent"}, "ranges": [{"type": "ECOSYSTEM", "events": events}]}
        for ecosystem in ("Debian", "Rocky Linux")
    ]
    advisories = fleet.instance.state / "e2e-advisories.json"
    advisories.write_text(json.dumps([{"id": "DSA-1", "aliases": ["CVE-2026-0001"], "affected": affected}]))
    return fleet.sre.ask("rollout", "report", rollout, "--advisories", str(advisories))
