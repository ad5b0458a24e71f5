"""What a host tells of itself, read here on the machine the tests run on."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from drydock_remediation.health import spec as health
from drydock_remediation.health.condition import Card, Condition, Mount
from drydock_remediation.health.judge import judge
from drydock_remediation.player import read_report

from . import on_host


@pytest.fixture
def module() -> ModuleType:
    return on_host.load("read_condition")


def test_a_machine_is_read_whole(module: ModuleType) -> None:
    condition = Condition.read(module.read(["nobody-knows-this"]))
    assert condition.memory_mib > 100 and condition.processors == os.cpu_count()
    assert "/" in condition.mounts and 0 <= condition.mounts["/"].free_percent <= 100
    assert condition.fullest(["/"]) is not None
    assert condition.services == {"nobody-knows-this": "absent"}


def test_half_a_reading_is_none(module: ModuleType) -> None:
    for name in (whole := module.read([])):
        with pytest.raises(KeyError):
            Condition.read({key: value for key, value in whole.items() if key != name})


@pytest.mark.parametrize(
    ("before", "after", "state"),
    [
        ("7", "7", "running"),
        ("7", "8", "restarting"),
        ("7", "", "restarting"),
        ("", "8", "restarting"),
        ("", "", "down"),
        (None, "7", "absent"),
    ],
)
def test_what_has_another_process_a_moment_later_starts_again_and_again(module: ModuleType, before: str, after: str, state: str) -> None:
    assert module.state(before, after) == state


def test_the_less_of_bytes_and_inodes_counts(module: ModuleType) -> None:
    def free(**given: int) -> int:
        state = {"f_bfree": 5_004_096, "f_blocks": 10_000_000, "f_ffree": 50, "f_files": 100} | given
        return int(module.free_percent(SimpleNamespace(**state)))

    assert [free(), free(f_bfree=304_096), free(f_ffree=1), free(f_files=0, f_ffree=0)] == [50, 3, 1, 50]


def test_what_a_full_file_system_keeps_back_is_not_free(module: ModuleType) -> None:
    """As a full one of 1 GB with ext4 told it of itself."""
    assert module.free_percent(SimpleNamespace(f_bfree=4_150, f_blocks=249_189, f_ffree=60_000, f_files=65_536)) == 0


def test_what_holds_no_files_is_no_place(module: ModuleType) -> None:
    table = "proc / proc rw 0 0\nnone /not/there ext4 rw 0 0\nan odd line\n"
    assert module.mounts(table) == ({}, [])
    assert module.mounts("x / ext4 ro,relatime 0 0\n")[0]["/"]["writable"] is False


def test_a_file_system_that_does_not_answer_is_named_and_the_others_are_read(
    module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one does whose server is gone: whoever looks never comes back."""
    places = [tmp_path / name for name in ("well", "hung", "größe")]
    for place in places:
        place.mkdir()
    hang = module.os.statvfs
    monkeypatch.setattr(module.os, "statvfs", lambda place: signal.pause() if str(place).endswith("hung") else hang(place))
    found, silent = module.mounts("".join(f"x {place} nfs4 rw 0 0\n" for place in places), 1.0)
    assert (sorted(found), silent) == (sorted([str(places[0]), str(places[2])]), [str(places[1])])


def test_many_places_are_looked_at_a_few_at_a_time(module: ModuleType, tmp_path: Path) -> None:
    places = [tmp_path / f"a {number}" for number in range(2 * module.MOUNTS_AT_ONCE)]
    for place in places:
        place.mkdir()
    table = "".join(f"x {str(place).replace(' ', chr(92) + '040')} overlay rw 0 0\n" for place in places)
    assert len(module.mounts(table, 60.0)[0]) == len(places)


def test_what_is_wanted_of_a_file_system_that_does_not_answer_is_unknown() -> None:
    spec = health.read({"mounts": {"/": 5, "/srv": 5}})
    condition = Condition(4000, 2, {"/": Mount(40, writable=True)}, {}, (), {}, ("/srv",))
    found = judge(spec, condition, None, {})
    assert found.unread == ("its file system /srv, which does not answer",)
    assert [check.name for check in found.checks] == ["mount /"]
    gone = judge(spec, dataclasses.replace(condition, silent=()), None, {})
    assert (gone.unread, [check.ok for check in gone.checks]) == ((), [True, False]), "the control: one that is not mounted is a fault"


def test_cards_and_drives_are_those_of_the_machine(module: ModuleType, tmp_path: Path) -> None:
    for card, speed, state in (("eth0", "1000", "up"), ("eth1", "-1", "down"), ("lo", "", "unknown")):
        (tmp_path / card).mkdir()
        (tmp_path / card / "speed").write_text(f"{speed}\n")
        (tmp_path / card / "operstate").write_text(f"{state}\n")
    cards = {name: Card(**one) for name, one in module.cards(tmp_path).items()}
    assert cards == {"eth0": Card(up=True, mbps=1000), "eth1": Card(up=False, mbps=0)}
    assert module.drives(tmp_path) == ["eth0", "eth1", "lo"]
    (tmp_path / "loop0").mkdir()
    assert "loop0" not in module.drives(tmp_path)


def test_the_play_hands_a_condition_on(module: ModuleType) -> None:
    record = {
        "host": "h02",
        "task": "condition",
        "status": "ok",
        "rc": None,
        "facts": None,
        "checks": None,
        "stdout": "",
        "stderr": "",
        "msg": "",
    }
    report = read_report(json.dumps({**record, "condition": module.read([])}).encode())
    assert report is not None and report.told.condition is not None
    half = read_report(json.dumps({**record, "condition": {"memory_mib": 1}}).encode())
    assert half is not None and half.told.condition is None and half.told.status == "failed", "half a reading is none"
