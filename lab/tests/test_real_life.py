"""The lab's owner may die at any time; nothing it started outlives it, and the next start finds a clean machine."""

import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest
from real_lab import RealLab

from drydock_lab import processes

pytestmark = pytest.mark.lab


def test_hosts_end_with_their_killed_owner_and_the_next_start_sweeps(lab: RealLab) -> None:
    pid = processes.living(lab.instance.pid_file("lab"))
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    lab.eventually(lambda: not processes_of(lab))
    assert namespaces(lab), "the kill leaves namespaces behind, or this test shows nothing"
    lab.command("sweep")
    assert namespaces(lab) == []
    assert interfaces(lab) == []
    lab.command("up")
    assert lab.ssh("h01", "sha256sum -c --quiet /data/manifest.sha256 && uname -r") == "6.1.0.0-fleet"


@pytest.mark.parametrize("command", ["sweep", "up"])
def test_a_living_lab_is_left_alone(lab: RealLab, command: str) -> None:
    boot = lab.host("h01")["bootId"]
    lab.command(command)
    assert lab.host("h01")["bootId"] == boot


@pytest.mark.full
def test_down_leaves_nothing_and_up_finds_everything_as_it_was(lab: RealLab) -> None:
    lab.ssh("h01", "echo here > /root/mark && sync")
    lab.rotation("set server web/h02 state drain")
    lab.command("down")
    assert (namespaces(lab), interfaces(lab), processes_of(lab)) == ([], [], [])

    port = lab.instance.ports["balancerStats"]
    with socket.create_server(("127.0.0.1", port)):
        failed = subprocess.run(lab.arguments("up"), env=lab.environment(), capture_output=True, text=True, timeout=120, check=False)
    assert failed.returncode == 1
    assert f"{port} (balancerStats)" in failed.stderr, "a taken port is named"
    assert namespaces(lab) == []

    lab.command("up")
    assert lab.ssh("h01", "cat /root/mark") == "here"
    assert "drain" in lab.rotation_of("web", "h02").lower(), "a host out of rotation stays out"
    lab.rotation("set server web/h02 state ready")


def namespaces(lab: RealLab) -> list[str]:
    return sorted(path.name for path in Path("/run/netns").glob(f"{lab.instance.namespace_prefix}*"))


def interfaces(lab: RealLab) -> list[str]:
    return sorted(path.name for path in Path("/sys/class/net").glob(f"{lab.instance.interface_prefix}*"))


def processes_of(lab: RealLab) -> list[str]:
    pids = []
    for name in namespaces(lab):
        pids += subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True, check=True, timeout=10).stdout.split()
    return pids
