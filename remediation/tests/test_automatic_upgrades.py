"""What upgrades a host by itself is kept from beginning, and given back as it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from drydock_remediation.automatic_upgrades import OFF, PERIODIC, give_back, hold_off

ACTIVE = "apt-daily.timer"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A host with systemd, of whose timers one is active, and a systemctl that writes down what it is told."""
    for folder in ("run/systemd/system", PERIODIC, "lib/systemd/system", "proc/sys/kernel/random", "bin"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "lib/systemd/system/apt-daily.service").touch()
    (tmp_path / "proc/sys/kernel/random/boot_id").write_text("this\n")
    systemctl = tmp_path / "bin/systemctl"
    systemctl.write_text(f'#!/bin/sh\necho "$*" >> {tmp_path}/told\n[ "$1" != is-active ] || [ "$3" = {ACTIVE} ]\n')
    systemctl.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    return tmp_path


def told(root: Path) -> list[str]:
    lines = (root / "told").read_text().splitlines() if (root / "told").exists() else []
    (root / "told").write_text("")
    return [line for line in lines if not line.startswith("is-active")]


def test_what_was_on_is_stopped_before_it_is_masked_and_only_that_is_given_back(root: Path) -> None:
    record = root / "state/held-off"
    hold_off(record, root)
    assert told(root) == [f"stop {ACTIVE}", f"mask --runtime {ACTIVE} apt-daily.service"]
    assert (root / PERIODIC / OFF).read_text() == 'APT::Periodic::Enable "0";\n'
    give_back(record, root)
    assert told(root) == [f"unmask --runtime {ACTIVE} apt-daily.service", f"start {ACTIVE}"]
    assert list((root / PERIODIC).iterdir()) == []
    assert not record.exists()


def test_who_comes_after_a_cut_gives_back_what_was_on_before_it(root: Path) -> None:
    """The second to hold off finds the timers stopped: by us."""
    record = root / "state/held-off"
    hold_off(record, root)
    (root / "bin/systemctl").write_text(f'#!/bin/sh\necho "$*" >> {root}/told\n[ "$1" != is-active ]\n')
    hold_off(record, root)
    told(root)
    give_back(record, root)
    assert f"start {ACTIVE}" in told(root)


def test_control_one_that_writes_down_anew_what_is_on_gives_nothing_back(root: Path) -> None:
    record = root / "state/held-off"
    hold_off(record, root)
    (root / "bin/systemctl").write_text(f'#!/bin/sh\necho "$*" >> {root}/told\n[ "$1" != is-active ]\n')
    record.unlink()
    hold_off(record, root)
    told(root)
    give_back(record, root)
    assert told(root) == []


def test_another_boot_has_started_the_timers_by_itself(root: Path) -> None:
    record = root / "state/held-off"
    hold_off(record, root)
    told(root)
    record.write_text(json.dumps({**json.loads(record.read_text()), "boot": "another"}))
    give_back(record, root)
    assert (told(root), record.exists(), list((root / PERIODIC).iterdir())) == ([], False, [])


def test_a_host_without_systemd_has_the_file_alone(root: Path) -> None:
    (root / "run/systemd/system").rmdir()
    record = root / "state/held-off"
    hold_off(record, root)
    assert (root / PERIODIC / OFF).exists()
    give_back(record, root)
    give_back(record, root)
    assert told(root) == []
