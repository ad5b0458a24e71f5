"""Hosts are real: packages, reboots, partitions, power, and a network that keeps them apart."""

import socket
import subprocess
import sys
import time

import pytest
from real_lab import RealLab

pytestmark = pytest.mark.lab

# The host of each family, how it is upgraded, and how it tells its versions.
FAMILIES = {
    "h01": (
        "sed -i s/v1/v2/ /etc/apt/sources.list.d/fleet.list && apt-get -q update && apt-get -q -y upgrade",
        "dpkg-query -W -f '${Package}=${Version} ' fleet-os fleet-kernel fleet-agent",
    ),
    "h02": (
        "sed -i s/v1/v2/ /etc/yum.repos.d/fleet.repo && dnf -q -y upgrade",
        "rpm -q --qf '%{NAME}=%{VERSION} ' fleet-agent fleet-kernel fleet-os",
    ),
}


@pytest.mark.parametrize("host", FAMILIES)
def test_upgrade_and_reboot_bring_release_2_and_reset_returns_to_release_1_with_the_data_intact(lab: RealLab, host: str) -> None:
    upgrade, versions = FAMILIES[host]
    before = lab.host(host)["bootId"]
    assert lab.ssh(host, "uname -r; . /etc/os-release; echo $PRETTY_NAME").split("\n") == ["6.1.0.0-fleet", "Fleet OS 1"]
    assert before == lab.ssh(host, "cat /proc/sys/kernel/random/boot_id")

    lab.ssh(host, upgrade)
    assert lab.ssh(host, "uname -r") == "6.1.0.0-fleet", "a new kernel takes a reboot"
    lab.reboot(host)

    assert lab.ssh(host, "cat /proc/sys/kernel/random/boot_id") != before
    assert lab.ssh(host, "uname -r; cat /proc/sys/kernel/osrelease").split() == ["6.2.0.0-fleet"] * 2
    assert lab.ssh(host, versions).split() == ["fleet-agent=2.0", "fleet-kernel=2.0", "fleet-os=2.0"]
    assert lab.ssh(host, ". /etc/os-release; echo $PRETTY_NAME") == "Fleet OS 2"
    assert float(lab.ssh(host, "cut -d' ' -f1 /proc/uptime")) < 60
    lab.ssh(host, "sha256sum -c --quiet /data/manifest.sha256 && echo kept > /data/mark && sync")

    lab.command("reset")
    assert lab.ssh(host, "uname -r") == "6.1.0.0-fleet"
    assert lab.ssh(host, versions).split() == ["fleet-agent=1.0", "fleet-kernel=1.0", "fleet-os=1.0"]
    assert lab.ssh(host, "sha256sum -c --quiet /data/manifest.sha256 && cat /data/mark") == "kept"


def test_a_host_has_the_tools_of_its_family_alone(lab: RealLab) -> None:
    tools = "for tool in apt-get dpkg dnf rpm; do command -v $tool >/dev/null && echo $tool; done; true"
    assert lab.ssh("h01", tools).split() == ["apt-get", "dpkg"]
    assert lab.ssh("h02", tools).split() == ["dnf", "rpm"]
    assert {host["name"]: host["family"] for host in lab.call("GET", "/hosts")["hosts"]} == {"h01": "apt", "h02": "dnf"}


def test_a_changed_data_file_fails_the_manifest(lab: RealLab) -> None:
    lab.ssh("h02", "cp /data/records/owner.txt /tmp/ && echo x >> /data/records/owner.txt")
    assert "FAILED" in lab.ssh("h02", "sha256sum -c /data/manifest.sha256", check=False)
    lab.ssh("h02", "cp /tmp/owner.txt /data/records/ && sha256sum -c --quiet /data/manifest.sha256")


def test_hosts_reach_the_package_server_and_nothing_else(lab: RealLab) -> None:
    net = lab.instance.subnet
    program = "import socket, time; s = socket.create_server(('0.0.0.0', 0)); print(s.getsockname()[1], flush=True); time.sleep(300)"
    listener = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        assert listener.stdout is not None
        port = listener.stdout.readline().strip()
        socket.create_connection((f"{net}.254", int(port)), 2).close()  # it does listen
        allowed = [f"{net}.1:8080", f"{net}.11:8101"]  # the package server, and itself: the way of asking works
        others = [f"{net}.12:22", f"{net}.12:8101", f"{net}.253:8080"]  # another host, the link to the root namespace
        listeners = [f"{address}:{port}" for address in (f"{net}.254", *root_addresses())]
        assert reached(lab, [*allowed, *others, *listeners]) == allowed
    finally:
        listener.kill()
        listener.wait()


def reached(lab: RealLab, targets: list[str]) -> list[str]:
    """Which of the addresses the first host can connect to, all asked at once."""
    program = """
import concurrent.futures, socket, sys
def ask(target):
    host, port = target.split(":")
    try: return socket.create_connection((host, int(port)), 2) and target
    except OSError: return None
print(*filter(None, concurrent.futures.ThreadPoolExecutor(20).map(ask, sys.argv[1:])))
"""
    return lab.ssh("h01", f"python3 -c '{program}' {' '.join(targets)}").split()


def root_addresses() -> list[str]:
    listing = subprocess.run(["hostname", "-I"], capture_output=True, text=True, check=True, timeout=10).stdout
    return [address for address in listing.split() if ":" not in address]


def test_an_unknown_host_key_is_refused(lab: RealLab) -> None:
    lab.ssh("h01", "ssh-keygen -q -t ed25519 -N '' -f /tmp/k && cat /tmp/k > /run/lab/ssh_host_ed25519_key && sv restart sshd")
    lab.eventually(lambda: lab.host("h01")["notReady"] == [])
    assert lab.ssh("h01", "echo in", check=False) == ""
    lab.command("power", "h01", "reset")
    lab.eventually(lambda: lab.ssh("h01", "echo in", check=False) == "in")


@pytest.mark.full
def test_power(lab: RealLab) -> None:
    boot = lab.host("h02")["bootId"]
    lab.command("power", "h02", "cut")
    assert lab.host("h02")["power"] == "off"
    assert set(lab.host("h02")["notReady"]) == {"ssh@h02", "web@h02", "search@h02", "ads@h02"}
    lab.command("power", "h02", "on")
    lab.eventually(lambda: lab.host("h02")["notReady"] == [])
    assert lab.host("h02")["bootId"] != boot
    lab.ssh("h02", "poweroff", check=False)
    lab.eventually(lambda: lab.host("h02")["power"] == "off")
    lab.command("power", "h02", "on")
    lab.command("power", "h02", "off")
    assert lab.host("h02")["events"][-1]["event"] == "power off", "an orderly shutdown, even right after the start"
    lab.command("power", "h02", "on")
    lab.eventually(lambda: lab.host("h02")["notReady"] == [])


@pytest.mark.full
def test_faults(lab: RealLab) -> None:
    lab.command("fault", "h02", "link", "down")
    assert "ssh@h02" in lab.host("h02")["notReady"]
    lab.command("fault", "h02", "link", "up")
    lab.command("fault", "h02", "wrongKernel", "5.0.0-wrong")
    lab.reboot("h02")
    assert lab.ssh("h02", "uname -r") == "5.0.0-wrong"
    lab.command("fault", "h02", "rebootHang", "on")
    lab.ssh("h02", "reboot", check=False)
    lab.eventually(lambda: lab.host("h02")["power"] == "off")
    lab.command("reset")
    assert lab.ssh("h02", "uname -r") == "6.1.0.0-fleet"


@pytest.mark.full
def test_a_cable_comes_back_by_itself_unless_it_is_pulled_again(lab: RealLab) -> None:
    seconds = 2
    flaps = {"kind": "link", "value": "down", "seconds": seconds}
    lab.call("POST", "/hosts/h02/fault", flaps)
    assert "ssh@h02" in lab.host("h02")["notReady"]
    lab.eventually(lambda: lab.host("h02")["notReady"] == [])
    lab.call("POST", "/hosts/h02/fault", flaps)
    lab.command("reset")
    lab.command("fault", "h02", "link", "down")
    time.sleep(seconds + 2)
    assert "ssh@h02" in lab.host("h02")["notReady"]
    lab.command("reset")
