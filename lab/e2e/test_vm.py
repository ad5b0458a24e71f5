"""A rollout re-images a machine that has all a real one has: firmware, a CD drive, disks, a kernel of its own, systemd."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fleet import Fleet, eventually, installed

from drydock_stack import release_check, second_checkout
from drydock_stack.lab import Machines
from drydock_stack.service import http_json

pytestmark = pytest.mark.vm

ROOT = Path(__file__).resolve().parents[2]
ONE_MACHINE = Machines(hosts=1, rpm=0, metal="qemu")
SUMS = "cd /data && find . -path ./drydock -prune -o -path ./lost+found -prune -o -type f -print0 | sort -z | xargs -0 sha256sum"
UNCHANGED = "data partition unchanged by the installation"


@pytest.fixture(scope="module")
def site() -> Iterator[Fleet]:
    with installed(second_checkout.checkout(ROOT, "vm"), ONE_MACHINE) as fleet:
        yield fleet


@pytest.fixture
def fleet(site: Fleet) -> Fleet:
    """Its machine has release 1."""
    site.prepared()
    return site


def ask(fleet: Fleet, command: str) -> str:
    (address,) = fleet.lab.addresses().values()
    done = subprocess.run([*release_check.ssh(fleet.lab), address, command], capture_output=True, text=True, timeout=60, check=False)
    return done.stdout.strip()


def events(fleet: Fleet) -> list[str]:
    status, answer = http_json(f"http://127.0.0.1:{fleet.instance.port('labControl')}/hosts/h01", seconds=30)
    assert status == 200 and isinstance(answer, dict)
    return [str(event["event"]) for event in answer["events"]]


def kernel_of(fleet: Fleet, release: str) -> str:
    return str(json.loads((fleet.lab.folder / "releases" / f"{release}.json").read_text())["kernel"])


def re_image(fleet: Fleet) -> str:
    return fleet.start(["h01"], "vm", "--mode", "Reimage")


def test_what_is_written_from_a_damaged_image_does_not_boot(fleet: Fleet) -> None:
    """The control: a machine whose installation failed is not returned to service."""
    data = ask(fleet, SUMS)
    url = f"http://127.0.0.1:{fleet.instance.port('labControl')}/hosts/h01/fault"
    assert http_json(url, {"kind": "damagedImage", "value": True}, seconds=10)[0] == 200
    rollout = re_image(fleet)
    summary = fleet.ended(rollout, 1500)
    assert summary["quarantined"] == 1, fleet.upgrades(rollout)
    assert any("checksum mismatch" in event for event in events(fleet)), events(fleet)
    assert "h01" in " ".join(fleet.held())
    fleet.let_go(["h01"])
    fleet.lab.reset()
    eventually("it answers, with its data", lambda: ask(fleet, SUMS) == data != "", 60)


def test_a_live_machine_gets_another_kernel_and_keeps_its_data(fleet: Fleet, capsys: pytest.CaptureFixture[str]) -> None:
    ask(fleet, "echo mine > /root/left-behind; echo of h01 > /data/mine; sync")
    kernel, machine, data = ask(fleet, "uname -r"), ask(fleet, "cat /etc/machine-id"), ask(fleet, SUMS)
    assert kernel == kernel_of(fleet, "1")
    before = len(events(fleet))
    began = time.monotonic()
    rollout = re_image(fleet)
    summary = fleet.ended(rollout, 1500)
    seconds = time.monotonic() - began
    assert summary["state"] == "Succeeded", fleet.upgrades(rollout)
    assert ask(fleet, "uname -r") == kernel_of(fleet, "2") != kernel
    assert ask(fleet, "systemctl is-system-running") == "running"
    assert ask(fleet, SUMS) == data != ""
    assert [event for event in events(fleet)[before:] if "data partition" in event] == [UNCHANGED]
    assert ask(fleet, "cat /etc/machine-id") not in ("", machine)
    assert ask(fleet, "ls /root/left-behind 2>&1 | grep -c 'No such file'") == "1", "its main disk is another"
    assert fleet.differences() == {"h01": ""}
    assert fleet.held() == [] and fleet.violated(rollout) == []
    files = len(data.splitlines())
    with capsys.disabled():
        sys.stdout.write(
            f"\nre-imaged from kernel {kernel} to {kernel_of(fleet, '2')} within {seconds:.0f} s, {files} data files unchanged\n"
        )
