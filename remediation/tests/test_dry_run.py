"""What repairs would do is told, and not done."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from drydock_remediation.health.machine import Machine, Outside
from drydock_remediation.repairs import clean_rules, dry_run
from drydock_remediation.settings import Ssh

# Stands for a host: runs what it is asked right here, once the options and the login are dropped.
SSH = """#!/bin/sh
while [ "$1" = -F ] || [ "$1" = -o ]; do shift 2; done
[ "$1" = root@10.0.0.1 ] || { echo "No route to host" >&2; exit 255; }
shift
exec sh -c "$*"
"""


class Seen:
    def __init__(self, outside: Outside | None) -> None:
        self.outside = outside

    def look(self, host: str, *, asks: int, patience: float = 0.0) -> Outside | None:
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
        (Outside(None, Machine("On", "OK")), {"would": "be asked to shut down, forced off after 30 s, and powered on"}),
        (Outside(None, Machine("Off", "OK")), {"would": "be powered on"}),
        (Outside(None, Machine("PoweringOn", "OK")), {"unknown": "its power is PoweringOn"}),
        (Outside(None, None, "its BMC could not be read"), {"unknown": "its BMC could not be read"}),
        (None, {"unknown": "nobody said where its BMC is"}),
    ],
)
def test_how_a_machine_would_be_cycled(outside: Outside | None, said: dict[str, str]) -> None:
    assert dry_run.power_cycle(Seen(outside), "h01") == said
    assert dry_run.power_cycle(None, "h01") == {"unknown": "nobody said where its BMC is"}
