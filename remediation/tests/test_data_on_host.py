"""The program that proves data files on a host, as the host runs it."""

from __future__ import annotations

import json
import os
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
        self.services, self.bin = root.parent / "service", root.parent / "bin"
        self.base = root / "drydock" / "before" / "g17.h02.data"
        self.record = self.base.with_name("g17.h02.data.3")
        (root / "records").mkdir()
        (root / "records" / "owner.txt").write_text("mine")
        (root / "records" / 'odd "name\n').write_text("too")
        (root / "link").symlink_to("records/owner.txt")

    def call(self, verb: str, *arguments: object, program: str = DATA_ON_HOST.read_text()) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", program, verb, str(self.base), *map(str, arguments)]
        environment = {"DRYDOCK_DATA": str(self.root), "DRYDOCK_SERVICES": str(self.services), "PATH": f"{self.bin}:{os.environ['PATH']}"}
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30, check=False)

    def run(self, verb: str, number: int = 3, *arguments: object) -> str:
        done = self.call(verb, number, *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def service(self, name: str, stops: str) -> None:
        """A service of runit, and what its `sv` does to stop any."""
        (self.services / name).mkdir(parents=True)
        (self.services / name / "run").write_text("")
        self.bin.mkdir(exist_ok=True)
        (self.bin / "sv").write_text(f"#!/bin/sh\n{stops}\n")
        (self.bin / "sv").chmod(0o755)

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
def untouched(tmp_path: Path) -> Data:
    (tmp_path / "data").mkdir()
    return Data(tmp_path / "data")


@pytest.fixture
def data(untouched: Data) -> Data:
    untouched.run("keep", 3, "-")
    return untouched


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
    data.run("keep", 3, "-")
    data.record.write_text(json.dumps(before))
    assert listed.read_text()
    assert data.prove()["same"] is False


def test_what_is_kept_is_kept_once(data: Data) -> None:
    before = data.record.read_text()
    (data.root / "records" / "owner.txt").write_text("hers")
    data.run("keep", 3, "-")
    assert data.record.read_text() == before


def test_each_round_keeps_its_own_record_and_is_told_of_the_last_before_it(data: Data) -> None:
    assert (data.kept(3)["kept"]["round"], data.kept(3)["earlier"]) == (3, None)
    assert (data.kept(5)["kept"], data.kept(5)["earlier"]["round"]) == (None, 3)
    (data.root / "records" / "owner.txt").write_text("hers")
    data.run("keep", 5, "-")
    data.run("keep", 12, "-")
    assert [data.kept(number)["earlier"]["round"] for number in (5, 12, 13)] == [3, 5, 12]
    assert (data.prove(3)["same"], data.prove(5)["same"]) == (False, True), "its old system may write"


def test_what_was_kept_under_another_system_and_never_proven_is_taken_over(data: Data) -> None:
    data.of_another_system()
    (data.root / "records" / "owner.txt").unlink()
    data.run("keep", 5, "-")
    data.run("keep", 7, "-")  # the system of that installation came back, and proves nothing either
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


def test_what_somebody_has_open_for_writing_is_not_kept(untouched: Data) -> None:
    """It may still be in its memory, and is written when it ends."""
    owner = untouched.root / "records" / "owner.txt"
    with owner.open("a"):
        done = untouched.call("keep", 3, "-")
    assert (done.returncode, untouched.record.exists()) == (1, False)
    assert f"something writes to the data partition: {owner}, open in " in done.stderr
    assert f" {os.getpid()}" in done.stderr
    with owner.open():
        untouched.run("keep", 3, "-")
    assert untouched.record.exists(), "who only reads it may have it open"


@pytest.mark.parametrize(
    "writes",
    ["write_text('hers')", "unlink()", "with_name('new').write_text('')"],
    ids=["changed", "gone", "new"],
)
def test_what_changes_while_sums_are_taken_is_not_kept(untouched: Data, writes: str) -> None:
    """By somebody who opens and closes it each time: in the middle, between two files."""
    text = DATA_ON_HOST.read_text()
    middle = "    before = looks()\n"
    assert text.count(middle) == 1
    owner = untouched.root / "records" / "owner.txt"
    done = untouched.call("keep", 3, "-", program=text.replace(middle, f"{middle}    Path({str(owner)!r}).{writes}\n"))
    assert (done.returncode, untouched.record.exists()) == (1, False)
    assert "something writes to the data partition: " in done.stderr


def test_the_services_of_its_applications_are_stopped_before(untouched: Data) -> None:
    owner = untouched.root / "records" / "owner.txt"
    untouched.service("web", f'echo "$@" > {untouched.services}/asked; echo flushed > {owner}')
    untouched.run("keep", 3, "-", "web", "elsewhere")
    assert (untouched.services / "asked").read_text() == f"-w 30 force-stop {untouched.services}/web\n"
    assert untouched.prove()["same"], "what it wrote when it was stopped is kept"


def test_a_service_that_does_not_stop_is_told(untouched: Data) -> None:
    untouched.service("web", "echo kill: web: run; exit 1")
    done = untouched.call("keep", 3, "-", "web")
    assert (done.returncode, untouched.record.exists()) == (1, False)
    assert "web does not stop: kill: web: run" in done.stderr
