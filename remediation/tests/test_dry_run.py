"""What repairs would do is told, and not done."""

from __future__ import annotations

import dataclasses
import os
import stat
from pathlib import Path

import pytest

from drydock_remediation.health.machine import Machine, OutOfBandReading
from drydock_remediation.repairs import clean_rules, dry_run
from drydock_remediation.settings import Ssh

from .fakes import RELEASE, facts, job
from .reimage_world import MEDIUM, PATIENCE, SimulatedBmc, SimulatedHost, SimulatedMachine, reimage_job

# Stands for a host: runs what it is asked right here, once the options and the login are dropped.
SSH = """#!/bin/sh
while [ "$1" = -F ] || [ "$1" = -o ]; do shift 2; done
[ "$1" = root@10.0.0.1 ] || { echo "No route to host" >&2; exit 255; }
shift
exec sh -c "$*"
"""


class Seen:
    def __init__(self, outside: OutOfBandReading | None) -> None:
        self.outside = outside

    def look(self, host: str, *, asks: int, patience: float = 0.0) -> OutOfBandReading | None:
        return self.outside


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ssh:
    program = tmp_path / "bin" / "ssh"
    program.parent.mkdir()
    program.write_text(SSH)
    program.chmod(program.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    return Ssh("root", tmp_path / "key", tmp_path / "known")


def test_what_would_be_removed_is_told_and_stays(ssh: Ssh, tmp_path: Path) -> None:
    logs = tmp_path / "srv" / "logs"
    logs.mkdir(parents=True)
    (logs / "old.gz").write_bytes(b"x" * 5000)
    (logs / "kept.log").write_bytes(b"x" * 5000)
    rules = clean_rules.read(f"rules: [{{name: logs, paths: ['{logs}/*.gz'], olderThanHours: 0}}]")
    would = dry_run.clean(ssh, "10.0.0.1", rules)
    assert would["wouldRemove"]["logs"]["files"] == 1
    assert sorted(file.name for file in logs.iterdir()) == ["kept.log", "old.gz"]
    assert "No route to host" in dry_run.clean(ssh, "10.0.0.2", rules)["unknown"]


@pytest.mark.parametrize(
    ("outside", "said"),
    [
        (OutOfBandReading(None, Machine("On", "OK")), {"would": "be asked to shut down, forced off after 30 s, and powered on"}),
        (OutOfBandReading(None, Machine("Off", "OK")), {"would": "be powered on"}),
        (OutOfBandReading(None, Machine("PoweringOn", "OK")), {"unknown": "its power is PoweringOn"}),
        (OutOfBandReading(None, None, "its BMC could not be read"), {"unknown": "its BMC could not be read"}),
        (None, {"unknown": "nobody said where its BMC is"}),
    ],
)
def test_how_a_machine_would_be_cycled(outside: OutOfBandReading | None, said: dict[str, str]) -> None:
    assert dry_run.power_cycle(Seen(outside), "h01") == said
    assert dry_run.power_cycle(None, "h01") == {"unknown": "nobody said where its BMC is"}


def test_what_a_release_would_change_is_told() -> None:
    host = dry_run.read(SimulatedHost(SimulatedMachine()))
    there = facts(1).packages
    change = dry_run.roll_back(host, job())["wouldChange"]
    assert change == {name: [there[name], version] for name, version in RELEASE.packages.items() if there[name] != version}
    assert change
    as_it_is = dataclasses.replace(RELEASE, packages={**there, "not-there": "1"})
    assert dry_run.roll_back(host, job(release=as_it_is)) == {"wouldChange": {"not-there": ["", "1"]}}


def test_the_effects_of_a_re_image_are_told_and_none_is_sent() -> None:
    world = SimulatedMachine()
    bmc = SimulatedBmc(world)
    would = dry_run.reimage(dry_run.read(SimulatedHost(world)), bmc, reimage_job(), PATIENCE)
    keep, insert, down, *_ = would["would"]
    assert (keep, insert) == ("keep a record of the data: nothing was done yet", f"insert the medium: {MEDIUM}")
    assert down == "shut down: its data are recorded"
    assert would["then"] == "prove the data intact: the new system runs from its disk"
    assert (world.sent, bmc.closed) == ([], 1)


def test_who_would_be_started_anew_is_told() -> None:
    services = facts(1).services
    told = dry_run.restart_service(dry_run.read(SimulatedHost(SimulatedMachine())), job())
    assert told == {"wouldRestart": sorted(name for name in services if services[name])}


def test_what_nobody_can_tell_is_unknown() -> None:
    away, gone = dry_run.read(SimulatedHost(SimulatedMachine(power="Off"))), SimulatedBmc(SimulatedMachine(silent_until=float("inf")))
    assert dry_run.roll_back(away, job()) == {"unknown": "connection timed out"}
    assert dry_run.restart_service(away, job()) == {"unknown": "connection timed out"}
    assert dry_run.restart_service(away, job(applications=())) == {"unknown": "no --application was given"}
    assert dry_run.reimage(away, gone, reimage_job(), PATIENCE) == {"unknown": "503"}
    assert dry_run.reimage(away, None, reimage_job(), PATIENCE) == {"unknown": "nobody said where its BMC is"}
    assert dry_run.reimage(away, gone, job(release=None), PATIENCE) == {"unknown": "no --release was given"}
    assert dry_run.reimage(away, gone, job(), PATIENCE) == {"unknown": "release 2 has no image for apt"}
    busy = SimulatedBmc(SimulatedMachine(tasks=("/redfish/v1/TaskService/Tasks/7",)))
    assert dry_run.reimage(away, busy, reimage_job(), PATIENCE) == {"unknown": "its BMC is busy: /redfish/v1/TaskService/Tasks/7"}


@pytest.mark.parametrize(
    ("release", "said"),
    [
        (None, "No such file"),
        ("[1]", "not a release for apt"),
        ("[]", "not a release for apt"),
        ("{}", "it is empty"),
        ('{"name": "2"}', "not a release for apt"),
        ("{", "not a release for apt"),
    ],
)
def test_what_is_no_release_is_refused(tmp_path: Path, release: str | None, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "2.json"
    if release is not None:
        file.write_text(release)
    with pytest.raises(SystemExit):
        dry_run.asked(["h01", "10.0.0.1", "--release", str(file)])
    assert said in capsys.readouterr().err


def test_what_no_host_is_ever_given_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        dry_run.asked(["h01; reboot", "10.0.0.1"])
    assert "has characters a host is never given" in capsys.readouterr().err
    assert dry_run.asked(["h01", "10.0.0.1"]).release is None
