"""Several people submit the same hosts."""

import pytest
from fleet import Fleet, eventually

pytestmark = [pytest.mark.e2e, pytest.mark.full]


def test_each_host_of_two_rollouts_is_upgraded_by_one_and_skipped_by_the_other(fleet: Fleet) -> None:
    hosts = fleet.lab.hosts()[:2]
    boots = {host: fleet.boots(host) for host in hosts}
    with fleet.witnessed() as reports:
        rollouts = [fleet.start(hosts, "one"), fleet.start(hosts[::-1], "other")]

        def told() -> bool:
            """A host that waits says for which rollout."""
            return any(
                row["state"] == "Pending" and f"of rollout {other}" in row["reason"]
                for rollout, other in (rollouts, rollouts[::-1])
                for row in fleet.upgrades(rollout).values()
            )

        eventually("the reason names the other rollout", told, 120)
        ended = [fleet.ended(rollout, seconds=300) for rollout in rollouts]
        needless = fleet.ended(fleet.start(hosts, "again"), seconds=180)

    assert [summary["state"] for summary in (*ended, needless)] == ["Succeeded"] * 3
    rows = [fleet.upgrades(rollout) for rollout in rollouts]
    assert {host: sorted(each[host]["state"] for each in rows) for host in hosts} == {host: ["Skipped", "Upgraded"] for host in hosts}
    assert all("is on release 2" in row["reason"] for each in rows for row in each.values() if row["state"] == "Skipped")
    assert sum(summary["upgraded"] for summary in ended) == sum(summary["skipped"] for summary in ended) == len(hosts)
    assert (needless["skipped"], needless["upgraded"]) == (len(hosts), 0)
    assert {host: fleet.package_runs(host) for host in hosts} == dict.fromkeys(hosts, 1), "no host was upgraded twice"
    assert {host: fleet.boots(host) - boots[host] for host in hosts} == dict.fromkeys(hosts, 1), "or rebooted twice"
    eventually("no hold is left", lambda: not fleet.held(), 10)
    assert reports["observer"]["finished"] and reports["observer"]["violations"] == 0, reports["observer"].get("details")
    assert reports["traffic"]["finished"] and reports["traffic"]["failed"] == 0, reports["traffic"].get("byKind")
