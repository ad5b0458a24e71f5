"""What hosts have to be like once they were re-imaged, by themselves, by their BMCs and by the lab."""

import json
import time
from pathlib import Path

import redfish
from consumers import Consumers
from fleet import Fleet
from hosts_afterwards import SUMS, lab_says

from drydock_lab.host import DATA_UNCHANGED


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
