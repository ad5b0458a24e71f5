"""Rollouts while their consumers are killed with SIGKILL at named points: taken over after the margin, read first, done once."""

import json
from typing import Any

import pytest
from consumers import Consumers
from fleet import Fleet, eventually

pytestmark = pytest.mark.e2e

# In the order in which a host's way passes them; CONTRIBUTING.md says what each is.
ADAPTER = (
    "adapter-cordon-claimed",
    "adapter-cordon-begun",
    "adapter-cordon-done",
    "adapter-drain-claimed",
    "adapter-rotation-out-begun",
    "adapter-stop-begun",
    "adapter-drain-done",
    "adapter-recover-claimed",
    "adapter-start-begun",
    "adapter-rotation-in-begun",
    "adapter-lift-begun",
    "adapter-recover-done",
)
OPERATOR = (
    "operator-update-claimed",
    "operator-upgrade-begun",
    "operator-upgrade-done",
    "operator-reboot-begun",
    "operator-await-done",
    "operator-update-done",
    "operator-health-claimed",
    "operator-health-done",
)
KERNEL_BEFORE = "6.1.0.0-fleet"
ONCE = {"Cordon.cordon": 1, "Drain.stop": 1, "Update.channel": 1, "Update.upgrade": 1, "Update.reboot": 1, "Recover.lift": 1}


class Rollout:
    """One rollout of some hosts, and what they were like before it."""

    def __init__(self, consumers: Consumers, hosts: list[str]) -> None:
        self.consumers = consumers
        self.fleet: Fleet = consumers.fleet
        self.hosts = hosts
        self.boots = {host: self.fleet.boots(host) for host in hosts}
        self.starts = {host: consumers.starts(host) for host in hosts}
        self.id = self.fleet.start(hosts, "consumers")

    def kept_alive(self, seconds: float, points: dict[str, tuple[str, ...]]) -> dict[str, Any]:
        return self.consumers.kept_alive(self.id, seconds, points)

    def judge(self) -> None:
        """Every host is upgraded, and nothing was done to it twice."""
        rows = self.fleet.upgrades(self.id)
        assert {rows[host]["facts"]["kernelBefore"] for host in self.hosts} == {KERNEL_BEFORE}, "read before, whoever reported it"
        grants = {host: row["grant"] for host, row in rows.items()}
        effects = {host: self.consumers.effects(host, grant) for host, grant in grants.items()}
        for host in self.hosts:
            assert {name: effects[host][name] for name in ONCE} == ONCE, f"{host}: {effects[host]}"
            assert self.fleet.package_runs(host) == 1, f"{host}: packages were upgraded twice"
            assert self.fleet.boots(host) - self.boots[host] == 1, f"{host}: it was started anew twice"
            started = {name: count - self.starts[host][name] for name, count in self.consumers.starts(host).items()}
            assert set(started.values()) == {1}, f"{host}: services were started as often as {started}"
        assert [text for host, text in self.fleet.differences().items() if host in self.hosts and text] == []
        assert self.fleet.held() == [], "no hold is left"

    def judge_takeovers(self) -> None:
        """No attempt was given before lease and margin of the one before it had passed, by the board's own record."""
        events = self.fleet.http(f"events?q=after&cursor=0&rollout={self.id}&kinds=List(JobClaimed)&count=1000")["elements"]
        claims = {(data["job"], data["attempt"]): event["at"] / 1000 for event in events for data in [json.loads(event["data"])]}
        again = {(job, attempt): at - claims[job, attempt - 1] for (job, attempt), at in claims.items() if attempt > 1}
        assert again, "nothing was taken over"
        early = {key: after for key, after in again.items() if after < self.consumers.silence_seconds()}
        assert early == {}, "somebody took over before the one before was surely silent"


def test_a_killed_adapter_is_restarted_and_a_killed_operator_replaced(consumers: Consumers) -> None:
    """Each dies on a host of its own when its effect is done and not reported: the worst moment to do it again."""
    drained, rebooted = points = ("adapter-drain-done", "operator-await-done")
    consumers.forget(points)
    consumers.again("operator", (rebooted,))
    first = Rollout(consumers, ["h10"])
    eventually("h10 is updated", lambda: consumers.fleet.upgrades(first.id).get("h10", {}).get("step") == "Update", 90)
    consumers.again("adapter", (drained,))
    second = Rollout(consumers, ["h01"])
    eventually("the operator died", lambda: consumers.hit((rebooted,)), 90)
    consumers.up("operator2")
    eventually("the adapter died", lambda: consumers.hit((drained,)), 90)
    consumers.up("adapter")
    rollouts = (first, second)
    assert [rollout.kept_alive(120, {})["state"] for rollout in rollouts] == ["Succeeded"] * 2
    for rollout in rollouts:
        rollout.judge()
        rollout.judge_takeovers()


@pytest.mark.full
@pytest.mark.usefixtures("short_leases")
@pytest.mark.parametrize(
    ("host", "points"),
    [
        pytest.param("h01", {"adapter": ADAPTER, "operator": OPERATOR}, id="apt"),
        # The adapter does the same on hosts of either family.
        pytest.param("h10", {"operator": OPERATOR}, id="dnf"),
    ],
)
def test_a_rollout_survives_each_consumer_killed_at_every_point(
    consumers: Consumers, host: str, points: dict[str, tuple[str, ...]]
) -> None:
    """One host: a consumer that dies on one host takes an attempt of its jobs on all others with it, and these are numbered."""
    everything = tuple(point for armed in points.values() for point in armed)
    consumers.forget(everything)
    for name, armed in points.items():
        consumers.again(name, armed)
    with consumers.fleet.witnessed() as reports:
        rollout = Rollout(consumers, [host])
        summary = rollout.kept_alive(900, points)
    assert set(consumers.hit(everything)) == set(everything), "every point was hit"
    assert summary["state"] == "Succeeded", summary
    rollout.judge()
    rollout.judge_takeovers()
    assert reports["observer"]["finished"] and reports["observer"]["violations"] == 0, reports["observer"].get("details")
    assert reports["traffic"]["finished"] and reports["traffic"]["failed"] == 0, reports["traffic"].get("byKind")


@pytest.mark.full
@pytest.mark.usefixtures("short_leases")
def test_control_an_operator_that_does_not_read_first_is_caught(consumers: Consumers) -> None:
    """Killed after the reboot, its next attempt starts the host anew again, and the same judgement says so."""
    point = "operator-await-done"
    consumers.forget((point,))
    with consumers.planted("forgetful_operator.py", crash_at=point) as program:
        rollout = Rollout(consumers, ["h10"])
        eventually("the operator died", lambda: consumers.hit((point,)), 90)
        program.wait(timeout=30)
    with consumers.planted("forgetful_operator.py"):
        rollout.kept_alive(120, {})
    assert consumers.fleet.boots("h10") - rollout.boots["h10"] == 2
    with pytest.raises(AssertionError, match=r"'Update\.reboot': 2"):
        rollout.judge()
