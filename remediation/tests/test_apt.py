"""The upgrade of an apt host: from its channel alone, and what it does about a dpkg that was cut off."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from drydock_remediation.apt_on_host import CONFIGURE, UPGRADE
from drydock_remediation.family import Plan
from drydock_remediation.task_reports import TaskReports

from .apt_host import WANTED, Host
from .lab_hosts import package

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
    assert "dpkg exited unexpectedly" in made.does("upgrade").stderr
    assert made.packages() == HALVES[request.param]
    assert made.journal()
    return made


@pytest.mark.lab
def test_control_apt_alone_refuses_a_host_whose_dpkg_was_cut_off(host: Host) -> None:
    done = host.alone(*UPGRADE)
    assert (done.returncode, "dpkg was interrupted, you must manually run" in done.stderr) == (100, True)


@pytest.mark.lab
def test_a_host_whose_dpkg_was_cut_off_is_planned_untouched_and_then_upgraded(host: Host) -> None:
    journal = host.journal()
    plan = host.does("plan")
    assert (plan.returncode, host.refusals(plan.stdout)) == (0, []), plan.stderr
    assert host.journal() == journal
    done = host.does("upgrade")
    assert done.returncode == 0, done.stderr
    assert host.packages() == BOTH
    assert (host.journal(), host.run("dpkg", "--audit").stdout) == ({}, "")


@pytest.mark.lab
@pytest.mark.parametrize("host", ["fleet-agent"], indirect=True)
def test_control_dpkg_alone_leaves_what_needs_the_rest_of_the_upgrade(host: Host) -> None:
    assert host.run(*CONFIGURE).returncode == 0
    done = host.alone(*UPGRADE)
    assert (done.returncode, "Unmet dependencies" in done.stderr) == (100, True)
    assert host.does("plan").returncode == 0
    assert host.does("upgrade").returncode == 0
    assert host.packages() == BOTH


@pytest.mark.lab
def test_what_cannot_be_configured_is_told_and_does_not_keep_another_version_away(host: Host) -> None:
    (host.root / "fails").touch()
    assert host.does("upgrade").returncode == 100
    plan = host.does("plan")
    assert (plan.returncode, host.refusals(plan.stdout)) == (0, []), plan.stderr
    done = host.does("upgrade")
    assert done.returncode == 100
    said = "installed fleet-agent package post-installation script subprocess returned error exit status 1"
    assert said in TaskReports("ok", 100, err=done.stderr).tail()
    assert host.packages() == ["iF fleet-agent 2.0", "ii fleet-os 2.0"]
    host.order = dataclasses.replace(host.order, downgrade=True, packages=dict.fromkeys(WANTED, "1.0"))
    host.publish(host.root / "before")
    plan = host.does("plan")
    assert (plan.returncode, Plan.read(plan.stdout).installs) == (0, {"fleet-agent": "1.0", "fleet-os": "1.0"}), plan.stderr
    done = host.does("upgrade")
    assert done.returncode == 0, done.stderr
    assert host.packages() == ["ii fleet-agent 1.0", "ii fleet-os 1.0"]


@pytest.mark.lab
@pytest.mark.parametrize("host", ["fleet-os"], indirect=True)
def test_what_is_unpacked_and_not_configured_is_configured_by_the_next_round(host: Host) -> None:
    """The power goes while packages are configured: nothing is left to be unpacked, and no journal."""
    archives = [str(host.root / "channel" / f"{name}_2.0_all.deb") for name in HALVES]
    assert host.run("dpkg", "--unpack", *archives).returncode == 0
    assert (host.packages(), host.journal()) == (["iU fleet-agent 2.0", "iU fleet-os 2.0"], {})
    plan = host.does("plan")
    assert (plan.returncode, host.refusals(plan.stdout)) == (0, []), plan.stderr
    assert host.does("upgrade").returncode == 0
    assert host.packages() == BOTH


@pytest.mark.lab
def test_a_plan_that_cannot_be_fixed_says_what_is_unmet(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.has("fleet-os", "1.0")
    package(tmp_path / "before", "own-tool", "1.0", "Depends: nowhere\n")
    assert host.run("dpkg", "--unpack", str(tmp_path / "before" / "own-tool_1.0_all.deb")).returncode == 0
    package(tmp_path / "channel", "fleet-os", "2.0")
    host.publish(tmp_path / "channel")
    plan = host.does("plan")
    assert (plan.returncode, "Unmet dependencies" in plan.stderr) == (100, True)
