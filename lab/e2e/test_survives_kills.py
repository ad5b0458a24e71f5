"""One rollout of all hosts under traffic, while the server is killed with SIGKILL at every named point of its way."""

import time
from itertools import zip_longest

import pytest
from fleet import Fleet

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


def test_a_rollout_survives_the_server_killed_at_every_point(fleet: Fleet) -> None:
    hosts = fleet.lab.hosts()
    boots = {host: fleet.boots(host) for host in hosts}
    for point in POINTS:
        fleet.crash_file(point).unlink(missing_ok=True)
    with fleet.witnessed() as reports:
        fleet.server_down()
        fleet.server_up(crash_at=POINTS[0])
        rollout = fleet.start(hosts, f"kills-{time.time_ns()}")
        for point, following in zip_longest(POINTS, POINTS[1:]):
            fleet.await_crash(point, seconds=300)
            fleet.server_up(crash_at=following)
        summary = fleet.ended(rollout, seconds=600)

    assert summary["state"] == "Succeeded"
    assert summary["upgraded"] == summary["hostCount"] == len(hosts), "counts add up"
    assert [name for name, row in fleet.upgrades(rollout).items() if row["state"] != "Upgraded"] == []
    assert {host: text for host, text in fleet.differences().items() if text} == {}, "the hosts themselves say so"
    assert {host: fleet.package_runs(host) for host in hosts} == dict.fromkeys(hosts, 1), "no host was upgraded twice"
    assert {host: fleet.boots(host) - boots[host] for host in hosts} == dict.fromkeys(hosts, 1), "or rebooted twice"
    assert fleet.held() == [], "no hold is left"
    assert reports["observer"]["finished"] and reports["observer"]["violations"] == 0, reports["observer"].get("details")
    assert reports["traffic"]["finished"] and reports["traffic"]["failed"] == 0, reports["traffic"].get("byKind")
    assert reports["traffic"]["requests"] > 1000
