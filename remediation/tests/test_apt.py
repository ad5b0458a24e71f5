"""The upgrade of an apt host, and what it does about a dpkg that was cut off."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from drydock_remediation.apt import APT, CONFIGURE, PREFERENCES, UPGRADE, Apt
from drydock_remediation.family import Plan
from drydock_remediation.records import Release
from drydock_remediation.simulation import refusals
from drydock_remediation.told import Told

from . import on_host
from .lab_hosts import package

FORTH = Apt().upgrade("http://x", downgrade=False)
PLAN = Apt().simulation("http://x", downgrade=False)
FOLDERS = {"dpkg": "/var/lib/dpkg", "etc": "/etc/apt", "lib": "/var/lib/apt", "cache": "/var/cache/apt", "log": "/var/log"}


@pytest.mark.parametrize("configured", [0, 1])
@pytest.mark.parametrize("code", [0, 100])
def test_dpkg_ends_what_it_began_and_the_result_is_that_of_apt(tmp_path: Path, configured: int, code: int) -> None:
    said, ends = tmp_path / "said", {"dpkg": configured, "apt-get": code}
    for name, end in ends.items():
        program = tmp_path / name
        program.write_text(f'#!/bin/sh\necho "$LC_ALL $DEBIAN_FRONTEND {name} $*" >> {said}\necho "{name} failed" >&2\nexit {end}\n')
        program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(FORTH, env=environment, capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stderr) == (code, "dpkg failed\napt-get failed\n")
    dpkg, apt = said.read_text().splitlines()
    assert dpkg == "C noninteractive dpkg --force-confdef --force-confold --configure -a"
    assert apt == f"C noninteractive {' '.join([*APT[3:], '--fix-broken', *UPGRADE])}"


def test_a_plan_configures_nothing() -> None:
    assert "--configure" not in " ".join(PLAN)
    assert " ".join(PLAN).count(" -s") == " ".join(PLAN).count("apt-get") == 3


class Host:
    """The package database of a host and its channel, in folders that stand where the real ones do while a command runs."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in (
            "dpkg/updates",
            "dpkg/info",
            "etc/sources.list.d",
            "etc/preferences.d",
            "lib",
            "cache",
            "log",
            "before",
            "channel",
            "mended",
        ):
            (root / name).mkdir(parents=True)
        for name in ("status", "available"):
            (root / "dpkg" / name).write_text("")

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        mounts = "; ".join(f"mount --bind {self.root / name} {folder}" for name, folder in FOLDERS.items())
        apart = ["unshare", "--mount", "sh", "-c", f'set -e; {mounts}; exec "$@"', "host", *command]
        return subprocess.run(apart, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)

    def has(self, name: str, version: str, control: str = "") -> None:
        package(self.root / "before", name, version, control)
        done = self.run("dpkg", "-i", str(self.root / "before" / f"{name}_{version}_all.deb"))
        assert done.returncode == 0, done.stderr

    def publish(self, channel: Path) -> None:
        index = subprocess.run(["apt-ftparchive", "packages", "."], cwd=channel, capture_output=True, timeout=30, check=True).stdout
        (channel / "Packages").write_bytes(index)
        (self.root / "etc" / "sources.list.d" / "fleet.list").write_text(f"deb [trusted=yes] file:{channel} ./\n")
        done = self.run("apt-get", "update")
        assert done.returncode == 0, done.stderr

    def packages(self) -> list[str]:
        return self.run("dpkg-query", "-W", "-f", "${db:Status-Abbrev}${Package} ${Version}\n").stdout.splitlines()

    def refusals(self, plan: str) -> list[str]:
        """Why an upgrade to version 2.0 of all packages would not be begun."""
        release = Release("2", "http://x", {"fleet-agent": "2.0", "fleet-os": "2.0"}, "6.2")
        return refusals(plan, release, on_host.load("read_host").installed(self.run(*Apt.query).stdout))

    def journal(self) -> dict[str, str]:
        return {file.name: file.read_text() for file in (self.root / "dpkg" / "updates").iterdir()}


BOTH = ["ii fleet-agent 2.0", "ii fleet-os 2.0"]
HALVES = {
    "fleet-agent": ["iHRfleet-agent 1.0", "ii fleet-os 1.0"],
    "fleet-os": ["iU fleet-agent 2.0", "iHRfleet-os 1.0"],
}


@pytest.fixture(params=HALVES)
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Host:
    """Cut off while the upgrade unpacked the first or second of two packages that go together, and the journal of dpkg says so."""
    made = Host(tmp_path)
    made.has("fleet-os", "1.0")
    made.has("fleet-agent", "1.0", "Depends: fleet-os (= 1.0)\n")
    channel, cut = tmp_path / "channel", tmp_path / "cut"
    cuts = {name: f"[ -e {cut} ] || {{ touch {cut}; kill -9 $PPID; }}" if name == request.param else "true" for name in HALVES}
    package(channel, "fleet-agent", "2.0", "Depends: fleet-os (= 2.0)\n", f"[ ! -e {tmp_path}/fails ]", cuts["fleet-agent"])
    package(channel, "fleet-os", "2.0", preinst=cuts["fleet-os"])
    made.publish(channel)
    assert "dpkg exited unexpectedly" in made.run(*FORTH).stderr
    assert made.packages() == HALVES[request.param]
    assert made.journal()
    return made


@pytest.mark.lab
def test_control_apt_alone_refuses_a_host_whose_dpkg_was_cut_off(host: Host) -> None:
    done = host.run(*APT, *UPGRADE)
    assert (done.returncode, "dpkg was interrupted, you must manually run" in done.stderr) == (100, True)


@pytest.mark.lab
def test_a_host_whose_dpkg_was_cut_off_is_planned_untouched_and_then_upgraded(host: Host) -> None:
    journal = host.journal()
    plan = host.run(*PLAN)
    assert (plan.returncode, host.refusals(plan.stdout)) == (0, []), plan.stderr
    assert host.journal() == journal
    done = host.run(*FORTH)
    assert done.returncode == 0, done.stderr
    assert host.packages() == BOTH
    assert (host.journal(), host.run("dpkg", "--audit").stdout) == ({}, "")


@pytest.mark.lab
@pytest.mark.parametrize("host", ["fleet-agent"], indirect=True)
def test_control_dpkg_alone_leaves_what_needs_the_rest_of_the_upgrade(host: Host) -> None:
    assert host.run(*CONFIGURE).returncode == 0
    done = host.run(*APT, *UPGRADE)
    assert (done.returncode, "Unmet dependencies" in done.stderr) == (100, True)
    assert host.run(*PLAN).returncode == 0
    assert host.run(*FORTH).returncode == 0
    assert host.packages() == BOTH


@pytest.mark.lab
def test_what_cannot_be_configured_is_told_and_does_not_keep_another_version_away(host: Host) -> None:
    (host.root / "fails").touch()
    assert host.run(*FORTH).returncode == 100
    plan = host.run(*PLAN)
    assert (plan.returncode, host.refusals(plan.stdout)) == (0, []), plan.stderr
    done = host.run(*FORTH)
    assert done.returncode == 100
    said = "installed fleet-agent package post-installation script subprocess returned error exit status 1"
    assert said in Told("ok", 100, err=done.stderr).tail()
    assert host.packages() == ["iF fleet-agent 2.0", "ii fleet-os 2.0"]
    host.publish(host.root / "before")
    (host.root / "etc" / Path(PREFERENCES).name).write_text('Package: *\nPin: origin ""\nPin-Priority: 1001\n')
    plan = host.run(*Apt().simulation("http://x", downgrade=True))
    assert (plan.returncode, Apt().read(plan.stdout)) == (0, Plan({"fleet-agent": "1.0", "fleet-os": "1.0"}, (), ())), plan.stderr
    done = host.run(*Apt().upgrade("http://x", downgrade=True))
    assert done.returncode == 0, done.stderr
    assert host.packages() == ["ii fleet-agent 1.0", "ii fleet-os 1.0"]


@pytest.mark.lab
@pytest.mark.parametrize("host", ["fleet-os"], indirect=True)
def test_what_is_unpacked_and_not_configured_is_configured_by_the_next_round(host: Host) -> None:
    """The power goes while packages are configured: nothing is left to be unpacked, and no journal."""
    archives = [str(host.root / "channel" / f"{name}_2.0_all.deb") for name in HALVES]
    assert host.run("dpkg", "--unpack", *archives).returncode == 0
    assert (host.packages(), host.journal()) == (["iU fleet-agent 2.0", "iU fleet-os 2.0"], {})
    plan = host.run(*PLAN)
    assert (plan.returncode, host.refusals(plan.stdout)) == (0, []), plan.stderr
    assert host.run(*FORTH).returncode == 0
    assert host.packages() == BOTH


@pytest.mark.lab
def test_a_plan_that_cannot_be_fixed_says_what_is_unmet(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.has("fleet-os", "1.0")
    package(tmp_path / "before", "own-tool", "1.0", "Depends: nowhere\n")
    assert host.run("dpkg", "--unpack", str(tmp_path / "before" / "own-tool_1.0_all.deb")).returncode == 0
    package(tmp_path / "channel", "fleet-os", "2.0")
    host.publish(tmp_path / "channel")
    plan = host.run(*PLAN)
    assert (plan.returncode, "Unmet dependencies" in plan.stderr) == (100, True)
