"""Cases from the field, on hosts under traffic: no host pays for what is not its own fault, and none is forced while somebody works on it.

`docs/field-cases.md` has all of them, and which test shows each."""

import json
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import fault_injection
import field
import pytest
from consumers import Consumers
from endless_requests import crowd, drains_end
from fleet import Fleet, eventually, unharmed

pytestmark = pytest.mark.e2e

Record = Callable[[str, object], None]


@pytest.fixture
def without_preflights(installation: Fleet) -> Iterator[None]:
    """The control: nobody asks a host before it is granted."""
    installation.server_down()
    installation.server_up(DRYDOCK_PREFLIGHTS_OPEN_MAX="0")
    yield
    installation.server_down()
    installation.server_up()


def as_they_are(consumers: Consumers, folder: Path, seconds: int, record: Record) -> None:
    """Ten hosts with a case each are upgraded, or left as they are; nobody notices, and nothing is tried on any of them."""
    fleet = consumers.fleet
    field.allow_everything(fleet, folder)
    of = field.prepare(consumers, field.cases(seconds))
    sources = {host: consumers.ask(host, field.SOURCES) for host in of}
    boots = {host: fleet.boots(host) for host in of}
    with fleet.witnessed() as reports:
        rollout = fleet.start([*of], "as-they-are")
        fleet.ended(rollout, 600 + seconds)
    harm(fleet, rollout, record)
    unharmed(reports)
    upgrades, drained = fleet.upgrades(rollout), field.drains(fleet, rollout)
    for host, case in of.items():
        told = f"{case.says}: {upgrades[host]}"
        if case.holds:
            assert upgrades[host]["state"] == "Reverted", told
            assert upgrades[host]["reason"].startswith("not touched: "), told
            assert case.holds in upgrades[host]["reason"], told
            assert consumers.ask(host, field.SOURCES) == sources[host], told
            assert (drained.get(host, 0), fleet.boots(host)) == (0, boots[host]), told
        else:
            assert upgrades[host]["state"] == "Upgraded", told
            assert (drained[host], fleet.boots(host)) == (1, boots[host] + 1), told
        if case.works:
            assert consumers.ask(host, "ls /root/undisturbed") == "/root/undisturbed", told
    assert field.rungs(fleet, rollout) == []
    assert field.drained_in_vain(fleet, rollout) == 0


def harm(fleet: Fleet, rollout: str, record: Record) -> None:
    """Counts it before anything is asserted: a test that fails tells it all the same."""
    record("forced", field.forced(fleet, rollout))
    record("drained_in_vain", field.drained_in_vain(fleet, rollout))


def test_hosts_as_they_really_are(consumers: Consumers, folder: Path, record_property: Record) -> None:
    as_they_are(consumers, folder, 30, record_property)


@pytest.mark.full
def test_somebody_installs_for_three_minutes(consumers: Consumers, folder: Path, record_property: Record) -> None:
    as_they_are(consumers, folder, 180, record_property)


@pytest.mark.full
def test_nobody_is_drained_for_packages_that_are_away(fleet: Fleet, record_property: Record) -> None:
    """For five minutes in the middle of a rollout of ten, which completes by itself."""
    with fleet.witnessed() as reports:
        rollout = fleet.start(fleet.lab.hosts(), "away")

        def in_its_middle() -> bool:
            return len([row for row in fleet.upgrades(rollout).values() if row["state"] == "Upgraded"]) >= 2

        eventually("the rollout is in its middle", in_its_middle, 300)
        with field.packages_away(fleet):
            threading.Event().wait(300)
        summary = fleet.ended(rollout, 900)
    harm(fleet, rollout, record_property)
    assert (summary["state"], summary["upgraded"]) == ("Succeeded", 10), fleet.upgrades(rollout)
    assert fleet.held() == []
    unharmed(reports)
    assert field.drained_in_vain(fleet, rollout) == 0


@pytest.mark.full
def test_control_who_is_not_asked_before_is_drained_in_vain(without_preflights: None, fleet: Fleet) -> None:
    host = fleet.lab.hosts()[0]

    def back() -> bool:
        return fleet.upgrades(rollout)[host]["state"] == "Pending" and field.drains(fleet, rollout) == {host: 1}

    with field.packages_away(fleet):
        rollout = fleet.start([host], "away")
        eventually("it was drained, and brought back", back, 300)
    fleet.ended(rollout, 600)
    assert field.drained_in_vain(fleet, rollout) > 0


def test_a_rollout_says_that_its_source_cannot_be_read_and_goes_on_when_it_can(fleet: Fleet, record_property: Record) -> None:
    host = fleet.lab.hosts()[0]

    def told() -> str:
        return str(fleet.upgrades(rollout)[host].get("reason", ""))

    with field.packages_away(fleet):
        rollout = fleet.start([host], "late")
        eventually("the host says why it waits", lambda: "could not be read" in told(), 90)
        why = fleet.run("sre", "host", "why", host).stdout
        assert "could not be read" in why, why
        assert field.drains(fleet, rollout) == {}
    ended = fleet.ended(rollout, 240)
    harm(fleet, rollout, record_property)
    assert ended["state"] == "Succeeded", fleet.upgrades(rollout)
    assert field.drains(fleet, rollout) == {host: 1}


PHASES = ("Cordon", "Drain", "Update", "Health", "Recover")


@pytest.mark.full
@pytest.mark.parametrize("phase", PHASES)
def test_consumers_that_are_away_for_ten_minutes_cost_nobody_anything(consumers: Consumers, phase: str, record_property: Record) -> None:
    """Both are killed as one of them has a job of this phase."""
    fleet = consumers.fleet
    hosts = fleet.lab.hosts()[:2]

    def claimed() -> bool:
        begun = (json.loads(event["data"])["job"] for event in fault_injection.events(fleet, rollout, "JobClaimed"))
        return any(f".{phase}." in job for job in begun)

    with fleet.witnessed() as reports:
        rollout = fleet.start(hosts, f"away-{phase}")
        eventually(f"a job of {phase} is claimed", claimed, 180)
        for name in ("adapter", "operator"):
            consumers.signal(name, signal.SIGKILL)
        threading.Event().wait(600)
        assert all(row["state"] in ("Pending", "InProgress") for row in fleet.upgrades(rollout).values()), fleet.upgrades(rollout)
        for name in ("adapter", "operator"):
            consumers.up(name)
        summary = fleet.ended(rollout, 600)
    harm(fleet, rollout, record_property)
    assert (summary["state"], summary["upgraded"]) == ("Succeeded", 2), fleet.upgrades(rollout)
    assert field.rungs(fleet, rollout) == []
    assert field.drained_in_vain(fleet, rollout) == 0
    assert fleet.held() == []
    unharmed(reports)


def test_a_person_returns_a_quarantined_host_under_traffic(fleet: Fleet, folder: Path) -> None:
    """It was left cordoned by a late drain. Asked twice, it is returned once. No rollout brought it to its release: that is named."""
    host = "h10"
    fleet.sre.must("release", "add", str(fleet.release_file.with_name("1.json")))
    drains_end(fleet, folder, "onTimeout: Quarantine")
    with fleet.witnessed() as reports:
        with crowd(fleet, host):
            fleet.ended(fleet.start([host], "to-return"), 120)
        assert [lock for lock in fleet.held() if host in lock], "it is quarantined"
        before = fleet.rollouts()
        asked = [fleet.run("sre", "host", "return", host, "--release", "1", "--reason", "looked at it", "-o", "name") for _ in range(2)]
        assert asked[0].returncode == 0, asked[0].stderr
        (returned,) = fleet.rollouts() - before
        assert fleet.ended(returned, 180)["state"] == "Succeeded", fleet.upgrades(returned)
        eventually("it is held by nobody", lambda: not fleet.held(), 60)
        assert fleet.rollouts() - before == {returned}, asked
    unharmed(reports)


@pytest.mark.full
def test_packages_that_somebody_else_changes_are_told_within_a_minute_and_those_of_a_rollout_never(
    consumers: Consumers, record_property: Record
) -> None:
    fleet = consumers.fleet
    apt, dnf = (next(host for host, family in fleet.lab.families().items() if family == wanted) for wanted in ("apt", "dnf"))
    field.read_anew(fleet)  # the lab was reset, behind our back as well
    told = field.foreign_updates(fleet)
    consumers.ask(apt, field.OWN_PACKAGE)
    eventually(f"that of {apt} is told", lambda: field.foreign_updates(fleet) != told, 60)
    told[apt] += 1
    assert field.foreign_updates(fleet) == told
    why = fleet.run("sre", "host", "why", apt).stdout
    assert "its packages were changed between " in why and "by nobody of Drydock" in why, why

    rollout = fleet.start(fleet.lab.hosts(), "among-others")
    ended = fleet.ended(rollout, 900)
    harm(fleet, rollout, record_property)
    assert ended["upgraded"] == len(fleet.lab.hosts()), fleet.upgrades(rollout)
    eventually("it is held by nobody", lambda: not fleet.held(), 60)
    field.read_anew(fleet)
    assert field.foreign_updates(fleet) == told, "all of them were updated by us, and read before and after"

    consumers.ask(apt, "dpkg -r own-tool")
    consumers.ask(dnf, "rpm -e --justdb --nodeps fleet-agent")
    told.update([apt, dnf])
    eventually("both are told", lambda: field.foreign_updates(fleet) == told, 60)
    report = json.loads(fleet.run("sre", "rollout", "report", rollout, "-o", "json").stdout)
    assert sorted(found["host"] for found in report["foreignUpdates"]) == sorted([apt, dnf]), report["foreignUpdates"]
