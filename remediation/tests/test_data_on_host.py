"""The program that proves data files on a host, as the host runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from drydock_remediation.reimage.host import DATA_ON_HOST


class Data:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.base = root / "drydock" / "before" / "g17.h02.data"
        self.record = self.base.with_name("g17.h02.data.3")
        (root / "records").mkdir()
        (root / "records" / "owner.txt").write_text("mine")
        (root / "records" / 'odd "name\n').write_text("too")
        (root / "link").symlink_to("records/owner.txt")

    def run(self, verb: str, number: int = 3, *proven: int) -> str:
        command = [sys.executable, "-c", DATA_ON_HOST.read_text(), verb, str(self.base), *map(str, (number, *proven))]
        done = subprocess.run(command, env={"DRYDOCK_DATA": str(self.root)}, capture_output=True, text=True, timeout=30, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def prove(self, number: int = 3) -> dict[str, Any]:
        proof: dict[str, Any] = json.loads(self.run("prove", number))
        return proof

    def kept(self, number: int) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.run("kept", number))
        return found

    def of_another_system(self) -> None:
        """As if an installation had been there since the first round."""
        self.record.write_text(json.dumps(json.loads(self.record.read_text()) | {"machine_id": "before", "sums_of": "before"}))


@pytest.fixture
def data(tmp_path: Path) -> Data:
    made = Data(tmp_path)
    made.run("keep")
    return made


def test_untouched_files_are_the_same_and_what_drydock_keeps_is_no_data(data: Data) -> None:
    (data.root / "drydock" / "token").write_text("1.2.3.4")
    proof = data.prove()
    assert (proof["same"], proof["files"], proof["differences"]) == (True, 3, [])
    record = json.loads(data.record.read_text())
    assert (proof["sums"], record["manifest"]) == (record["sums"], ""), "it needs no manifest"


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda root: (root / "records" / "owner.txt").write_text("hers"), "records/owner.txt"),
        (lambda root: (root / "records" / "owner.txt").unlink(), "records/owner.txt"),
        (lambda root: (root / "new").write_text(""), "new"),
        (lambda root: ((root / "link").unlink(), (root / "link").symlink_to("/etc/passwd")), "link"),
    ],
    ids=["changed", "gone", "new", "link"],
)
def test_any_change_is_found_and_named(data: Data, change: Callable[[Path], object], named: str) -> None:
    change(data.root)
    proof = data.prove()
    assert (proof["same"], proof["differences"]) == (False, [str(data.root / named)])


def test_a_list_that_was_changed_along_with_the_data_proves_nothing(data: Data) -> None:
    (data.root / "records" / "owner.txt").write_text("hers")
    listed = data.record.with_name(f"{data.record.name}.sums")
    before = json.loads(data.record.read_text())
    data.record.unlink()
    data.run("keep")
    data.record.write_text(json.dumps(before))
    assert listed.read_text()
    assert data.prove()["same"] is False


def test_what_is_kept_is_kept_once(data: Data) -> None:
    before = data.record.read_text()
    (data.root / "records" / "owner.txt").write_text("hers")
    data.run("keep")
    assert data.record.read_text() == before


def test_each_round_keeps_its_own_record_and_is_told_of_the_last_before_it(data: Data) -> None:
    assert (data.kept(3)["kept"]["round"], data.kept(3)["earlier"]) == (3, None)
    assert (data.kept(5)["kept"], data.kept(5)["earlier"]["round"]) == (None, 3)
    (data.root / "records" / "owner.txt").write_text("hers")
    data.run("keep", 5)
    data.run("keep", 12)
    assert [data.kept(number)["earlier"]["round"] for number in (5, 12, 13)] == [3, 5, 12]
    assert (data.prove(3)["same"], data.prove(5)["same"]) == (False, True), "its old system may write"


def test_what_was_kept_under_another_system_and_never_proven_is_taken_over(data: Data) -> None:
    data.of_another_system()
    (data.root / "records" / "owner.txt").unlink()
    data.run("keep", 5)
    data.run("keep", 7)  # the system of that installation came back, and proves nothing either
    for number in (5, 7):
        kept = data.kept(number)["kept"]
        assert (kept["round"], kept["sums_of"], kept["sums"]) == (number, "before", data.kept(3)["kept"]["sums"])
        assert kept["machine_id"] != "before"
        assert data.prove(number)["differences"] == [str(data.root / "records" / "owner.txt")]


def test_what_was_proven_is_kept_anew(data: Data) -> None:
    data.of_another_system()
    (data.root / "records" / "owner.txt").write_text("hers")
    data.run("keep", 5, 3)
    assert data.kept(5)["kept"]["sums_of"] != "before"
    assert data.prove(5)["same"]
