"""A host is installed anew through its BMC, as any client of Redfish would do it."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import redfish
from real_lab import HOSTS, RPM, RealLab

pytestmark = pytest.mark.lab
HOST = "h01"
SYSTEM = f"/redfish/v1/Systems/{HOST}"
CD = f"{SYSTEM}/VirtualMedia/Cd"


@contextmanager
def bmc(lab: RealLab, host: str) -> Iterator[Any]:
    access = json.loads((lab.folder / "bmc.json").read_text())
    client = redfish.redfish_client(
        access["bmcs"][host]["url"],
        access["user"],
        Path(access["passwordFile"]).read_text().strip(),
        cafile=access["caFile"],
        timeout=10,
        max_retry=0,
    )
    client.login(auth="session")
    try:
        yield client
    finally:
        client.logout()


def prepare(client: Any, url: str) -> None:
    assert client.post(f"{CD}/Actions/VirtualMedia.InsertMedia", body={"Image": url}).status == 204
    boot = {"BootSourceOverrideEnabled": "Once", "BootSourceOverrideTarget": "Cd"}
    assert client.patch(SYSTEM, body={"Boot": boot}).status == 204


def reset(client: Any, kind: str) -> None:
    assert client.post(f"{SYSTEM}/Actions/ComputerSystem.Reset", body={"ResetType": kind}).status == 204


def test_a_medium_installs_release_2_on_a_wiped_main_partition_and_leaves_the_data(lab: RealLab) -> None:
    lab.ssh(HOST, "echo gone > /root/mine; echo kept > /data/mine; sync")
    machine, release = lab.ssh(HOST, "cat /etc/machine-id"), lab.host(HOST)["image"]
    url = f"http://{lab.instance.package_server}/media/2-apt.tar"
    applications = {f"{name}@{HOST}" for name in lab.ssh(HOST, "ls /etc/service | grep -vx sshd").split()}
    assert applications, "some run there"
    with bmc(lab, HOST) as client:
        prepare(client, url)
        reset(client, "GracefulShutdown")
        lab.eventually(lambda: client.get(SYSTEM).dict["PowerState"] == "Off")
        assert lab.host(HOST)["events"][-1]["severity"] == "OK", "it went down in order"
        reset(client, "On")
        lab.eventually(lambda: lab.host(HOST)["image"] == "2.0" and set(lab.host(HOST)["notReady"]) == applications, 60)
        system = client.get(SYSTEM).dict
        assert (system["PowerState"], system["Boot"]["BootSourceOverrideEnabled"]) == ("On", "Disabled")
        assert client.get(CD).dict["Image"] == url, "a medium stays in the drive until it is ejected"
        assert client.post(f"{CD}/Actions/VirtualMedia.EjectMedia", body={}).status == 204

    assert release == "1.0"
    assert lab.ssh(HOST, "uname -r; cat /data/mine; test ! -e /root/mine && echo wiped").split() == ["6.2.0.0-fleet", "kept", "wiped"]
    assert lab.ssh(HOST, "cat /etc/machine-id") != machine
    assert lab.ssh(HOST, "apt-get -q update >&2 && apt-get -s dist-upgrade | grep -c ^Inst || true") == "0", (
        "it is on the newest of its channel"
    )
    assert lab.ssh(HOST, "sha256sum -c --quiet /data/manifest.sha256 && echo intact") == "intact"
    assert [e["event"] for e in lab.host(HOST)["events"] if "data partition" in e["event"]] == [
        "data partition unchanged by the installation"
    ]
    lab.command("down")
    lab.command("up", "--hosts", str(HOSTS), "--rpm", str(RPM))  # Left as it is a lab would never be ready.
    assert (lab.host(HOST)["image"], lab.host(HOST)["notReady"]) == ("2.0", [])
    lab.command("reset")
    assert lab.ssh(HOST, "uname -r; cat /data/mine; rm /data/mine").split() == ["6.1.0.0-fleet", "kept"]


@pytest.mark.full
def test_a_data_partition_that_is_written_to_during_an_installation_is_told(lab: RealLab) -> None:
    """The control: what lies in no file of it."""
    url = f"http://{lab.instance.package_server}/media/2-apt.tar"
    image = lab.folder / "hosts" / HOST / "data.img"
    with bmc(lab, HOST) as client:
        prepare(client, url)
        reset(client, "ForceRestart")
        lab.eventually(lambda: lab.host(HOST)["events"][-1]["event"] == f"power on, boots {url}", 60)
        with image.open("r+b") as data:
            data.seek(-1, os.SEEK_END)
            last = data.read(1)
            data.seek(-1, os.SEEK_END)
            data.write(bytes([last[0] ^ 1]))
        lab.eventually(lambda: any("data partition" in e["event"] for e in lab.host(HOST)["events"]), 60)
    told = [e for e in lab.host(HOST)["events"] if "data partition" in e["event"]]
    assert [(e["event"], e["severity"]) for e in told[-1:]] == [("data partition CHANGED by the installation", "Critical")]
    lab.command("reset")
    lab.eventually(lab.is_as_it_should_be)


@pytest.mark.full
def test_a_damaged_image_leaves_a_machine_that_is_off_and_has_no_system(lab: RealLab) -> None:
    lab.command("fault", HOST, "damagedImage", "on")
    with bmc(lab, HOST) as client:
        prepare(client, f"http://{lab.instance.package_server}/media/2-apt.tar")
        reset(client, "ForceRestart")
        lab.eventually(lambda: lab.host(HOST)["events"][-1]["event"].startswith("went down by itself"), 60)
        assert "checksum mismatch" in lab.host(HOST)["events"][-2]["event"], "the installer said why"
        assert client.get(SYSTEM).dict["PowerState"] == "Off"
        reset(client, "On")
        lab.eventually(lambda: lab.host(HOST)["events"][-1]["event"] == "went down by itself (67)", 30)
        assert client.get(f"{SYSTEM}/LogServices/SEL/Entries").dict["Members"][-1]["Severity"] == "Critical"
    lab.command("reset")
    lab.eventually(lab.is_as_it_should_be)


@pytest.mark.full
def test_a_machine_that_does_not_heed_its_button_stays_on_until_it_is_forced(lab: RealLab) -> None:
    lab.command("fault", HOST, "shutdownHang", "on")
    with bmc(lab, HOST) as client:
        reset(client, "GracefulShutdown")
        lab.eventually(lambda: "heed" in lab.host(HOST)["events"][-1]["event"])
        assert client.get(SYSTEM).dict["PowerState"] == "On"
        reset(client, "ForceOff")
        lab.eventually(lambda: client.get(SYSTEM).dict["PowerState"] == "Off")
        lab.command("fault", HOST, "noPowerOn", "on")
        reset(client, "On")
        lab.eventually(lambda: lab.host(HOST)["events"][-1]["event"] == "does not power on")
        assert client.get(SYSTEM).dict["PowerState"] == "Off"
    lab.command("reset")
    lab.eventually(lab.is_as_it_should_be)
