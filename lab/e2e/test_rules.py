"""What policies say of where, when and how often holds on real hosts, with an observer that reads the same policies."""

import contextlib
import datetime as dt
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fleet import RELEASE, Fleet, apply, eventually

pytestmark = pytest.mark.e2e

RACKS_ONE_BY_ONE = "{maxDomainsInFlight: {topologyKey: rack, max: 1}}"
ONCE_A_DAY = "{disruptionInterval: 24h}"


def policy(folder: Path, rules: str, more: str = "") -> Path:
    path = folder / "web.yaml"
    path.write_text(
        "apiVersion: drydock.dev/v1\nkind: UpgradePolicy\nmetadata: {name: web, team: web}\n"
        f"spec:\n  applications: [web]\n  capacity: [{{maxUnavailable: 40%}}, {rules}]\n{more}"
    )
    return path


def closed_now() -> str:
    """A window that is open for an hour, on the other side of the day."""
    opens = (dt.datetime.now(dt.UTC) + dt.timedelta(hours=12)).replace(minute=0)
    return f"  windows: [{{timezone: UTC, from: '{opens:%H:%M}', to: '{opens + dt.timedelta(hours=1):%H:%M}'}}]\n  expectedDuration: 30m\n"


def two_racks(fleet: Fleet) -> list[str]:
    """Two hosts of each of two racks."""
    racks: dict[str, list[str]] = {}
    for host in fleet.sre.ask("host", "list"):
        racks.setdefault(host["labels"]["rack"], []).append(host["name"])
    first, second = [sorted(hosts) for _, hosts in sorted(racks.items()) if len(hosts) > 1][:2]
    return [first[0], second[0], first[1], second[1]]


def holds(fleet: Fleet) -> list[dict[str, Any]]:
    return [lock for lock in fleet.listed("locks") if lock["state"] == "Held"]


@contextlib.contextmanager
def maintenance(fleet: Fleet, host: str) -> Iterator[Callable[[], object]]:
    """The host is nobody else's until it is said that this is over."""
    started = fleet.run("sre", "host", "maintenance", "start", host, "--reason", "a disk")
    assert started.returncode == 0, started
    with contextlib.ExitStack() as stack:
        stack.callback(fleet.run, "sre", "host", "maintenance", "end", host)
        yield stack.close


def waits(fleet: Fleet, rollout: str, what: str) -> bool:
    rows = fleet.upgrades(rollout).values()
    return bool(rows) and all(row["state"] == "Pending" and what in row["reason"] for row in rows)


def why(fleet: Fleet, host: str, *options: str) -> str:
    """What is told of the host's last decisions."""
    told = fleet.run("sre", "host", "why", host, "--count", "9", *options)
    assert told.returncode == 0, told
    return told.stdout


def test_a_rollout_waits_for_its_window_takes_rack_after_rack_and_no_instance_twice(fleet: Fleet, folder: Path) -> None:
    hosts = two_racks(fleet)
    apply(fleet, policy(folder, RACKS_ONE_BY_ONE, closed_now()))
    rollout = fleet.start(hosts, "rules")
    eventually("every host waits for the window", lambda: waits(fleet, rollout, "closed; next at "), 30)
    assert fleet.held() == []
    told = fleet.run("sre", "lock", "try", hosts[0], "--reason", "somebody else")
    assert told.returncode == 3 and "application web: windows" in told.stdout + told.stderr, told

    closed = dt.datetime.now(dt.UTC)
    path = policy(folder, RACKS_ONE_BY_ONE)
    with fleet.witnessed() as reports:
        apply(fleet, path)
        reasons = set[str]()

        def over() -> bool:
            reasons.update(row["reason"] for row in fleet.upgrades(rollout).values() if row["state"] == "Pending")
            return bool(fleet.http(f"rollouts/{rollout}")["state"] != "Running")

        eventually("the rollout is over", over, 400)
    assert {row["state"] for row in fleet.upgrades(rollout).values()} == {"Upgraded"}
    assert any("maxDomainsInFlight 1 by rack" in reason for reason in reasons), reasons
    observed = reports["observer"]
    assert (observed["finished"], observed["violations"], observed["details"]) == (True, 0, [])
    assert any("maxDomainsInFlight" in rule for rule in observed["applications"]["web"]["rules"]), "the observer judged by other rules"

    apply(fleet, policy(folder, ONCE_A_DAY))  # Not before: what other tests took down counts as well.
    told = fleet.run("foreign", "lock", "try", hosts[0], "--reason", "once more")
    assert told.returncode == 3, told
    assert f"web@{hosts[0]} was taken down" in told.stdout + told.stderr
    eventually("the refusal is written down", lambda: why(fleet, hosts[0]).startswith(f"{hosts[0]}: refused"), 20)
    assert f"web@{hosts[0]} was taken down" in why(fleet, hosts[0])
    assert all(decision in why(fleet, hosts[0]) for decision in ("Opened", "Confirmed", "Ended")), why(fleet, hosts[0])
    then = why(fleet, hosts[1], "--at", closed.isoformat())
    assert then.startswith(f"{hosts[1]}: waiting (rollout {rollout})") and "closed; next at " in then, then
    apply(fleet, policy(folder, RACKS_ONE_BY_ONE))
    control = fleet.ticket("foreign", hosts[0], "Try")
    eventually("the control is granted", lambda: fleet.lock(control)["state"] == "Held", 30)
    assert fleet.run("foreign", "lock", "release", control).returncode == 0


def test_zones_go_together_or_not_at_all(fleet: Fleet, folder: Path) -> None:
    """While one of its hosts is in maintenance a whole zone waits, and then it goes in one batch."""
    zones = [["h01", "h02"], ["h09", "h10"]]
    apply(fleet, policy(folder, "{minAvailable: 5}", "  batching: {by: faultZone, mode: AllOrNone}\n"))
    with fleet.witnessed() as reports, maintenance(fleet, "h02") as over:
        rollout = fleet.start(["h01", "h09", "h02", "h10"], "zones")
        eventually("the other zone is on its way", lambda: fleet.upgrades(rollout)["h09"]["state"] != "Pending", 60)
        assert {fleet.upgrades(rollout)[host]["state"] for host in zones[0]} == {"Pending"}
        taken = {tuple(sorted(lock["hosts"])) for lock in holds(fleet)}
        assert taken == {("h02",), ("h09", "h10")}
        over()
        eventually("the zone goes together", lambda: ["h01", "h02"] in [sorted(lock["hosts"]) for lock in holds(fleet)], 300)
        fleet.ended(rollout, 400)
    assert {row["state"] for row in fleet.upgrades(rollout).values()} == {"Upgraded"}
    assert (reports["observer"]["violations"], reports["observer"]["details"]) == (0, [])


def test_a_zone_that_cannot_go_as_a_whole_is_refused_when_it_is_submitted(fleet: Fleet, folder: Path) -> None:
    path = policy(folder, "{maxUnavailable: 1}", "  batching: {by: faultZone, mode: AllOrNone}\n")
    apply(fleet, path)
    hosts = fleet.instance.state / "zone-hosts.txt"
    hosts.write_text("h03\nh04\n")
    refused = fleet.run("sre", "rollout", "start", "--hosts", str(hosts), "--release", RELEASE)
    assert refused.returncode != 0
    assert "h04 could never be granted" in refused.stderr and "maxUnavailable 1" in refused.stderr, refused.stderr


@pytest.mark.full
def test_the_observer_sees_two_racks_at_once_when_drydock_was_not_told(fleet: Fleet, folder: Path) -> None:
    """The control: Drydock grants by a policy without the rule that the observer judges by."""
    apply(fleet, policy(folder, "{minAvailable: 1}"))
    policy(folder, RACKS_ONE_BY_ONE)
    hosts = two_racks(fleet)
    with fleet.witnessed() as reports, contextlib.suppress(AssertionError):
        fleet.ended(fleet.start(hosts, "racks"), seconds=400)
    assert any("maxDomainsInFlight" in detail for detail in reports["observer"]["details"]), reports["observer"]["details"]
