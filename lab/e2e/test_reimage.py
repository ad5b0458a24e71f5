"""Rollouts that re-image: hosts get a new main partition through their BMCs, under traffic, and keep their data."""

import json
import time
from pathlib import Path

import pytest
import redfish
from aftermath import SUMS, lab_says
from consumers import Consumers
from fleet import Fleet, unharmed

from drydock_lab.host import DATA_UNCHANGED
from drydock_stack.service import http_json

pytestmark = pytest.mark.e2e

DEPLOYS = "adapter-deploy-begun"
# In the order in which a re-image passes them.
EFFECTS = ("keep", "insert", "shut_down", "boot_once", "power_on", "eject")


class Site:
    """The hosts of one rollout as they were before it, and what they and the lab say afterwards."""

    def __init__(self, consumers: Consumers, hosts: list[str]) -> None:
        self.consumers = consumers
        self.fleet: Fleet = consumers.fleet
        self.hosts = hosts
        for host in hosts:
            consumers.ask(host, f"echo mine > /root/left-behind; echo of {host} > /data/mine; sync")
        self.data = {host: consumers.ask(host, SUMS) for host in hosts}
        self.boots = {host: lab_says(self.fleet, host)["boots"] for host in hosts}
        self.began = time.time()
        self.machines = {host: consumers.ask(host, "cat /etc/machine-id") for host in hosts}

    def judge(self, rollout: str, *, closed: bool = True) -> None:
        """``closed``: nobody died, and no BMC failed, that had a session to close."""
        rows = self.fleet.upgrades(rollout)
        assert {host: rows[host]["state"] for host in self.hosts} == dict.fromkeys(self.hosts, "Upgraded"), rows
        differences = self.fleet.differences()
        assert {host: differences[host] for host in self.hosts if differences[host]} == {}
        for host in self.hosts:
            assert self.consumers.ask(host, "ls /root/left-behind 2>&1 | grep -c 'No such file'") == "1", f"{host}: wiped"
            assert self.consumers.ask(host, "cat /etc/machine-id") not in ("", self.machines[host])
            assert self.consumers.ask(host, SUMS) == self.data[host] != "", f"{host}: its data"
            assert deployed(self.consumers, host) == allocated(self.fleet, host) != {}, f"{host}: its applications"
            seen = lab_says(self.fleet, host)
            assert (seen["image"], seen["boots"] - self.boots[host]) == ("2.0", 2), f"{host}: one installation, one start of what it made"
            since = [one["event"] for one in seen["events"] if one["at"] > self.began]
            assert [event for event in since if "data partition" in event] == [DATA_UNCHANGED]
            facts = rows[host]["facts"]
            assert facts["dataSums"] == facts["dataSumsBefore"] and int(facts["dataFiles"]) >= 4
            medium, override, sessions = bmc(self.fleet, host)
            assert (medium, override) == (None, "Disabled")
            assert sessions == 1 or not closed, f"{host}: no session is left but ours"
        assert self.fleet.held() == []


def bmc(fleet: Fleet, host: str) -> tuple[str | None, str, int]:
    """What is in the drive, the boot override, and how many sessions are open, by this test's own client."""
    access = json.loads((fleet.lab.folder / "bmc.json").read_text())
    password = Path(access["passwordFile"]).read_text().strip()
    client = redfish.redfish_client(access["bmcs"][host]["url"], access["user"], password, cafile=access["caFile"], timeout=20, max_retry=0)
    client.login(auth="session")
    try:
        system = client.get(f"/redfish/v1/Systems/{host}").dict
        drive = client.get(f"/redfish/v1/Systems/{host}/VirtualMedia/Cd").dict
        sessions = client.get("/redfish/v1/SessionService/Sessions").dict["Members"]
        return drive["Image"], system["Boot"]["BootSourceOverrideEnabled"], len(sessions)
    finally:
        client.logout()


def deployed(consumers: Consumers, host: str) -> dict[str, str]:
    """The program of each application that the host's supervisor keeps running."""
    names = consumers.ask(host, "ls /etc/service | grep -vx sshd").split()
    return {name: consumers.ask(host, f"cat /etc/service/{name}/run") for name in names}


def allocated(fleet: Fleet, host: str) -> dict[str, str]:
    document = json.loads((fleet.lab.folder / "static.json").read_text())
    return {one["service"]: one["run"].strip() for one in document["instances"] if one["host"] == host}


def of_both_families(fleet: Fleet) -> list[str]:
    families = fleet.lab.families()
    return [next(host for host in fleet.lab.hosts() if families[host] == family) for family in ("apt", "dnf")]


def re_image(site: Site, request: str, seconds: float) -> str:
    fleet = site.fleet
    with fleet.witnessed() as reports:
        rollout = fleet.start(site.hosts, request, "--mode", "Reimage")
        summary = fleet.ended(rollout, seconds)
    assert summary["state"] == "Succeeded", summary
    unharmed(reports)
    return rollout


def test_hosts_of_both_families_are_re_imaged_and_keep_their_data(consumers: Consumers) -> None:
    site = Site(consumers, of_both_families(consumers.fleet))
    site.judge(re_image(site, "re-image-two", 600))


@pytest.mark.full
def test_ten_hosts_are_re_imaged(consumers: Consumers) -> None:
    site = Site(consumers, consumers.fleet.lab.hosts())
    site.judge(re_image(site, "re-image-ten", 1800))


@pytest.mark.full
@pytest.mark.parametrize("moment", ["due", "done"])  # A job that kills eight of its consumers is given up.
def test_a_re_image_survives_its_operator_killed_around_each_effect(consumers: Consumers, moment: str) -> None:
    points = tuple(f"operator-reimage-{effect}-{moment}" for effect in EFFECTS)
    consumers.forget((*points, DEPLOYS))
    site = Site(consumers, of_both_families(consumers.fleet)[:1])
    consumers.again("operator", points)
    consumers.again("adapter", (DEPLOYS,))
    rollout = site.fleet.start(site.hosts, f"re-image-{moment}", "--mode", "Reimage")
    summary = consumers.kept_alive(rollout, 1800, {"operator": points, "adapter": (DEPLOYS,)})
    assert summary["state"] == "Succeeded", summary
    assert sorted(consumers.hit((*points, DEPLOYS))) == sorted((*points, DEPLOYS)), "they died everywhere"
    site.judge(rollout, closed=False)


@pytest.mark.full
@pytest.mark.parametrize("fault", ["503 5", "mute 1", "hang 2", "slow", "dropSessions", "flapping"])
def test_a_re_image_survives_a_bmc_that(consumers: Consumers, fault: str) -> None:
    site = Site(consumers, of_both_families(consumers.fleet)[:1])
    kind, *times = fault.split()
    url = f"http://127.0.0.1:{site.fleet.instance.port('labControl')}/hosts/{site.hosts[0]}/fault"
    body = {"kind": "bmc", "value": kind, **({"times": int(times[0])} if times else {})}
    assert http_json(url, body, seconds=10)[0] == 200
    rollout = site.fleet.start(site.hosts, f"re-image-{kind}", "--mode", "Reimage")
    summary = site.fleet.ended(rollout, 900)
    assert http_json(url, {"kind": "bmc", "value": "ok"}, seconds=10)[0] == 200
    assert summary["state"] == "Succeeded", summary
    site.judge(rollout, closed=False)
