"""Hosts whose update fails: what their policies let be tried brings them back, or they stay held with what was tried."""

import json
import re
from pathlib import Path

import pytest
from consumers import Consumers
from fault_injection import befall
from findings import found
from fleet import Fleet, apply, eventually, unharmed

from drydock_lab.host_faults import WRITES
from drydock_stack.service import http_json

pytestmark = pytest.mark.e2e

LADDER = "remediation: {ladder: [RetryStep, PowerCycle], then: Quarantine}"
WITHOUT_RETRY = "remediation: {ladder: [RestartService, CleanDisk, Reimage], then: Quarantine}"
# What apt runs before dpkg does anything, and what ends with it: a first update fails, and only a first one.
HOOK = "/etc/apt/apt.conf.d/99-once"
ONCE = f"{WRITES}; rm -f {HOOK}; false"
NO_SSH = f"{WRITES}; rm -f {HOOK}; sv down sshd; for p in /proc/[0-9]*; do grep -q ^sshd $p/comm && kill ${{p#/proc/}}; done; false"


# After so many hosts on which nothing helped, nothing is tried on others that have the same.
ALIKE = 3


def allow(fleet: Fleet, folder: Path, ladder: str = LADDER) -> None:
    policies = sorted(folder.glob("*.yaml"))
    for path in policies:
        path.write_text(f"{path.read_text()}  {ladder}\n")
    apply(fleet, *policies)


def limit(fleet: Fleet, folder: Path, **down: str) -> None:
    """How many of these applications may be down, instead of what their policies said."""
    for application, most in down.items():
        path = folder / f"{application}.yaml"
        path.write_text(re.sub(r"maxUnavailable: [^}]+", f"maxUnavailable: {most}", path.read_text()))
    apply(fleet, *sorted(folder.glob("*.yaml")))


def of_apt(fleet: Fleet, count: int) -> list[str]:
    families = fleet.lab.families()
    return [host for host in fleet.lab.hosts() if families[host] == "apt"][:count]


def plant(consumers: Consumers, host: str, script: str) -> None:
    consumers.ask(host, f"""echo 'DPkg::Pre-Invoke {{"{script}";}};' > {HOOK}""")
    assert consumers.ask(host, f"cat {HOOK}"), "the fault was not planted"


def tried(fleet: Fleet, rollout: str) -> dict[str, list[str]]:
    """By host, in order."""
    events = fleet.http(f"events?q=after&cursor=0&rollout={rollout}&kinds=List(RemediationTried)&count=1000")["elements"]
    of: dict[str, list[str]] = {}
    for event in events:
        of.setdefault(event["host"], []).append(json.loads(event["data"])["action"])
    return of


@pytest.mark.full
def test_an_update_that_failed_once_is_done_again(consumers: Consumers, folder: Path) -> None:
    fleet = consumers.fleet
    allow(fleet, folder)
    host, other = of_apt(fleet, 2)
    boots = fleet.boots(host)
    plant(consumers, host, ONCE)
    with fleet.witnessed() as reports:
        rollout = fleet.start([host, other], "once")
        summary = fleet.ended(rollout, 240)
    assert (summary["state"], summary["upgraded"]) == ("Succeeded", 2), fleet.upgrades(rollout)
    assert tried(fleet, rollout) == {host: ["Diagnose", "RetryStep"]}
    assert fleet.differences()[host] == ""
    assert fleet.boots(host) == boots + 1, "it was switched off"
    assert fleet.held() == []
    unharmed(reports)


@pytest.mark.full
def test_a_host_without_ssh_is_switched_off_and_on_and_one_that_stays_broken_is_quarantined(consumers: Consumers, folder: Path) -> None:
    fleet = consumers.fleet
    allow(fleet, folder)
    silent, broken = of_apt(fleet, 2)
    plant(consumers, silent, NO_SSH)
    url = f"http://127.0.0.1:{fleet.instance.port('labControl')}/hosts/{broken}/fault"
    assert http_json(url, {"kind": "wrongKernel", "value": "6.0.0.0-wrong"}, seconds=10)[0] == 200
    with fleet.witnessed() as reports:
        rollout = fleet.start([silent, broken], "broken")
        summary = fleet.ended(rollout, 900)
    try:
        rows = fleet.upgrades(rollout)
        assert {host: row["state"] for host, row in rows.items()} == {silent: "Upgraded", broken: "Quarantined"}, rows
        assert summary["state"] == "Degraded", summary
        assert tried(fleet, rollout) == {
            silent: ["Diagnose", "PowerCycle", "Verify", "Resume"],
            broken: ["Diagnose", "PowerCycle", "Verify", "Resume"],
        }
        assert fleet.differences()[silent] == ""
        assert "remediation tried PowerCycle; last Resume" in rows[broken]["reason"], rows[broken]
        assert len(fleet.held()) == 1
    finally:
        fleet.let_go([broken])
    unharmed(reports)


@pytest.mark.full
def test_each_host_gets_what_helps_it(consumers: Consumers, folder: Path) -> None:
    fleet = consumers.fleet
    allow(fleet, folder, WITHOUT_RETRY)
    full, damaged, asleep = of_apt(fleet, 3)
    # Each is mended by one rung, and by none before it.
    for host, kind in {full: "logsFillDisk", damaged: "packageManagerGone", asleep: "applicationSleepsOnce"}.items():
        befall(fleet, host, kind)
    try:
        with fleet.witnessed() as reports:
            rollout = fleet.start([full, damaged, asleep], "each")
            summary = fleet.ended(rollout, 900)
        differences = fleet.differences()
    finally:
        fleet.lab.reset()  # a lab that starts with what befell it is not ready
    assert (summary["state"], summary["upgraded"]) == ("Succeeded", 3), fleet.upgrades(rollout)
    each = tried(fleet, rollout)
    assert each[full] == ["Diagnose", "CleanDisk", "Resume"]
    assert each[asleep] == ["Diagnose", "RestartService", "Resume"]
    assert "RestartService" not in each[damaged] and each[damaged][-2:] == ["Diagnose", "Reimage"], each
    assert {host: differences[host] for host in each} == dict.fromkeys(each, "")
    assert fleet.held() == []
    unharmed(reports)


@pytest.mark.full
def test_a_host_that_fails_a_check_of_its_team_is_kept_aside_and_the_other_serves_again(consumers: Consumers) -> None:
    fleet = consumers.fleet
    vetoed, other = fleet.lab.hosts()[:2]
    before = found(fleet, vetoed)
    consumers.ask(vetoed, "echo not yet > /data/veto")
    try:
        with fleet.witnessed() as reports:
            rollout = fleet.start([vetoed, other], "veto")
            fleet.ended(rollout, 300)
        rows = fleet.upgrades(rollout)
    finally:
        consumers.ask(vetoed, "rm -f /data/veto")
    assert {host: row["state"] for host, row in rows.items()} == {vetoed: "Quarantined", other: "Upgraded"}, rows
    assert "check no-veto" in rows[vetoed]["reason"], rows[vetoed]
    after = found(fleet, vetoed)
    assert before["rotation"] and set(after["rotation"]).isdisjoint(before["rotation"]), "it serves although its team says no"
    fleet.let_go([vetoed])
    unharmed(reports)


@pytest.mark.full
def test_a_cohort_that_fails_alike_is_not_repaired_one_after_the_other(consumers: Consumers, folder: Path) -> None:
    fleet = consumers.fleet
    allow(fleet, folder, "remediation: {ladder: [PowerCycle], then: Quarantine}")
    limit(fleet, folder, web=str(ALIKE), search="100%", ads="100%")
    cohort = of_apt(fleet, ALIKE + 2)
    for host in cohort:
        befall(fleet, host, "wrongKernel")
    boots = {host: fleet.boots(host) for host in cohort}

    def kept(rollout: str) -> set[str]:
        return {host for host, row in fleet.upgrades(rollout).items() if row["state"] == "Quarantined"}

    try:
        with fleet.witnessed() as reports:
            rollout = fleet.start(cohort, "storm")
            eventually("as many as may be down are kept aside", lambda: len(kept(rollout)) == ALIKE, 600)
            first = kept(rollout)
            limit(fleet, folder, web="100%")
            fleet.ended(rollout, 300)
        restarts = {host: fleet.boots(host) - boots[host] for host in cohort}
    finally:
        fleet.let_go(cohort)
    assert kept(rollout) == set(cohort)
    each, rows = tried(fleet, rollout), fleet.upgrades(rollout)
    for host in cohort:
        assert each[host] == (["Diagnose", "PowerCycle", "Verify", "Resume"] if host in first else ["Diagnose"]), each
        stopped = re.search(r"nothing helped on [3-9] hosts of its hardware class that have the same", rows[host]["reason"])
        assert (stopped is not None) == (host not in first), rows[host]
    assert restarts == {host: 2 if host in first else 1 for host in cohort}, "those restart for their update alone"
    unharmed(reports)
