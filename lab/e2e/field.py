"""Hosts as they really are: what is the matter with one before its rollout, what is right for it, and what was done to it in vain."""

import contextlib
import json
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import fault_injection
from consumers import Consumers
from fleet import Fleet, apply, eventually

from drydock_lab import instance, network

FORCE = ("PowerCycle", "RollBack", "Reimage")
LADDER = "remediation: {ladder: [RetryStep, CleanDisk, PowerCycle, RollBack, Reimage], then: Quarantine}"

# The process writes a file when it ends by itself. A killed process, or one on a host that was switched off, leaves none.
FOREIGN = (
    "import fcntl,pathlib,threading; f=open('{lock}','a'); fcntl.lockf(f,fcntl.LOCK_EX); "
    "pathlib.Path('/root/works').touch(); threading.Event().wait({seconds}); pathlib.Path('/root/undisturbed').touch()"
)
PYTHON_FIRST = "printf '#!/bin/sh\\nexit 9\\n' > /usr/local/bin/python3; chmod 755 /usr/local/bin/python3"
HOOK = "printf 'DPkg::Pre-Invoke {\"printf f\\\\\\\\374r\";};\\n' > /etc/apt/apt.conf.d/zz-hook"
WELCOME = "echo 'echo welcome' > /root/.bashrc"
DEAD_APT = "echo 'deb [trusted=yes] http://127.0.0.1:9/gone ./' > /etc/apt/sources.list.d/vendor.list"
DEAD_DNF = "printf '[vendor]\\nname=v\\nbaseurl=http://127.0.0.1:9/gone\\nenabled=1\\ngpgcheck=0\\n' > /etc/yum.repos.d/vendor.repo"
DNF = "/etc/dnf/dnf.conf"
EXCLUDED = f"mkdir -p /etc/dnf; grep -qs main {DNF} || echo '[main]' >> {DNF}; echo excludepkgs=fleet-agent >> {DNF}"
HARDENED = "chmod 600 $(rpm -ql fleet-agent | head -1)"
OWN_PACKAGE = r"""d=$(mktemp -d) && mkdir $d/DEBIAN && printf '%s\n' 'Package: own-tool' 'Version: 1' 'Architecture: all' \
'Maintainer: its owner <owner@localhost>' 'Description: a tool of its owner' > $d/DEBIAN/control &&
dpkg-deb -b $d /tmp/own-tool.deb && dpkg -i /tmp/own-tool.deb"""
SOURCES = "cd /etc && cat apt/sources.list.d/* yum.repos.d/* 2>/dev/null | sha256sum"


def foreign(lock: str, seconds: int) -> str:
    script = FOREIGN.format(lock=lock, seconds=seconds)
    return f'setsid /usr/bin/python3 -c "{script}" </dev/null >/dev/null 2>&1 & until [ -e /root/works ]; do sleep 0.1; done'


@dataclass(frozen=True)
class Case:
    """What somebody did to a host before. `holds`: what that host says then is why it is not touched; empty where it is to be
    upgraded. `works`: somebody else is at work on it, and is not to be disturbed."""

    says: str
    family: str
    before: str
    holds: str = ""
    works: bool = False


def cases(seconds: int) -> list[Case]:
    """`seconds` is how long others work on hosts."""
    return [
        Case("a package is on hold", "apt", "apt-mark hold fleet-agent", holds="fleet-agent is on hold"),
        Case("the lock of the lists is somebody's", "apt", foreign("/var/lib/apt/lists/lock", seconds), works=True),
        Case("somebody installs", "apt", foreign("/var/lib/dpkg/lock-frontend", seconds), works=True),
        Case("a hook prints a byte that is no text", "apt", HOOK),
        Case("a shell says welcome", "apt", WELCOME),
        Case("a vendor's source is dead", "apt", DEAD_APT),
        Case("nothing is the matter", "apt", "true"),
        Case("a package is excluded", "dnf", EXCLUDED, holds="fleet-agent is excluded"),
        Case("another python is first, and a vendor's source is dead", "dnf", f"{PYTHON_FIRST}; {DEAD_DNF}"),
        Case("modes were hardened", "dnf", HARDENED),
    ]


def prepare(consumers: Consumers, chosen: Sequence[Case]) -> dict[str, Case]:
    """Does to each host what its case says; the cases by host. Hosts of a family are taken in their order."""
    families = consumers.fleet.lab.families()
    free = {family: [host for host in families if families[host] == family] for family in ("apt", "dnf")}
    of = {free[case.family].pop(0): case for case in chosen}
    for host, case in of.items():
        consumers.ask(host, case.before)
    return of


def allow_everything(fleet: Fleet, folder: Path) -> None:
    """All rungs may be climbed, without a person."""
    policies = sorted(folder.glob("*.yaml"))
    for path in policies:
        path.write_text(f"{path.read_text()}  {LADDER}\n")
    apply(fleet, *policies)


def drains(fleet: Fleet, rollout: str) -> dict[str, int]:
    """By host, how often somebody began to drain it."""
    begun: dict[str, int] = {}
    for event in fault_injection.events(fleet, rollout, "JobClaimed"):
        told = json.loads(event["data"])
        if ".Drain." in told["job"] and told["attempt"] == 1:
            begun[event["host"]] = begun.get(event["host"], 0) + 1
    return begun


def drained_in_vain(fleet: Fleet, rollout: str) -> int:
    """Drains that no upgrade came of."""
    upgraded = {host for host, row in fleet.upgrades(rollout).items() if row["state"] == "Upgraded"}
    return sum(count - (host in upgraded) for host, count in drains(fleet, rollout).items())


def rungs(fleet: Fleet, rollout: str) -> list[str]:
    """What changed a host to mend it, as HOST ACTION."""
    tried = [(event["host"], json.loads(event["data"])["action"]) for event in fault_injection.events(fleet, rollout, "RemediationTried")]
    return [f"{host} {action}" for host, action in tried if action != "Diagnose"]


def forced(fleet: Fleet, rollout: str) -> int:
    """How often a host was switched off, taken back or installed anew without anything that calls for it."""
    known = fault_injection.signatures(fleet, rollout)
    tried = (rung.split(" ") for rung in rungs(fleet, rollout))
    return sum(action in FORCE and known.get(host, "") in ("", "unknown") for host, action in tried)


def foreign_updates(fleet: Fleet) -> Counter[str]:
    """By host, how often it was told that somebody else changed its packages."""
    answer = fleet.http("events?q=after&cursor=0&kinds=List(ForeignUpdate)&count=1000")
    assert answer, "the server does not tell its events"
    return Counter(event["host"] for event in answer["elements"])


def read_anew(fleet: Fleet) -> None:
    """Until the packages of all hosts were read since now."""
    begun = time.monotonic()

    def read() -> bool:
        since = int(time.monotonic() - begun)
        answer = fleet.http(f"packageReadings?q=due&seconds={since}&count=1", "host-operator")
        return since > 0 and answer is not None and not answer["elements"]

    eventually("the packages of all hosts were read", read, 120)


def lab_namespace(fleet: Fleet) -> str:
    """Where the server of packages is, and the bridge of all hosts."""
    return network.management_namespace(instance.load(fleet.instance.state / "instance.json"))


@contextlib.contextmanager
def packages_slow(fleet: Fleet, bytes_per_second: int) -> Iterator[None]:
    """What the server of packages sends shares one slow link. All else that hosts get goes past it."""

    def tc(*words: str) -> None:
        command = ["tc", "-n", lab_namespace(fleet), *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        assert done.returncode == 0, f"`{' '.join(command)}`: {done.stderr}"

    tc("qdisc", "add", "dev", "br0", "root", "handle", "1:", "htb")
    try:
        tc("class", "add", "dev", "br0", "parent", "1:", "classid", "1:1", "htb", "rate", f"{bytes_per_second * 8}bit", "burst", "64k")
        of_packages = ["u32", "match", "ip", "sport", str(network.PACKAGE_PORT), "0xffff"]
        tc("filter", "add", "dev", "br0", "parent", "1:", "protocol", "ip", *of_packages, "flowid", "1:1")
        yield
    finally:
        tc("qdisc", "del", "dev", "br0", "root")


@contextlib.contextmanager
def packages_away(fleet: Fleet) -> Iterator[None]:
    """Nobody reaches the server of packages: it refuses connections, those that are open included."""
    namespace = lab_namespace(fleet)

    def nft(rules: str) -> None:
        subprocess.run(["ip", "netns", "exec", namespace, "nft", "-f", "-"], input=rules, text=True, check=True, timeout=30)

    nft(f"""
        table inet away {{
          chain input {{
            type filter hook input priority -10;
            tcp dport {network.PACKAGE_PORT} reject with tcp reset
          }}
        }}
        """)
    try:
        yield
    finally:
        nft("delete table inet away")
