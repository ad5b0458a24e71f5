"""Hosts with long names and odd answers: each is reached or told by name, and none stops another."""

from __future__ import annotations

import json
import shutil
import socket
from pathlib import Path

import pytest

from drydock_remediation import player
from drydock_remediation.framed_output import Frame
from drydock_remediation.player import AnsiblePlayer, control_path, private_directory, read_report
from drydock_remediation.records import Outcome, Result, Step

from .test_player import CLAIM, SETTINGS


def test_sockets_have_short_paths_whatever_hosts_and_folders_are_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = tmp_path / ("x" * 100)
    long.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))
    directory = private_directory()
    try:
        for address in ("10.0.0.2", "fd00::3", f"{'h' * 75}.{'example' * 20}"):
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(control_path(directory, address) + "." + "x" * 16)  # as ssh names it first
        assert control_path(directory, "h01") != control_path(directory, "h02")
        with socket.socket(socket.AF_UNIX) as control, pytest.raises(OSError, match="too long"):
            control.bind(f"{directory}/{'h' * 75}.{'x' * 16}")
        with socket.socket(socket.AF_UNIX) as control, pytest.raises(OSError, match="too long"):
            control.bind(f"{long}/drydock-12345678/h01")
    finally:
        shutil.rmtree(directory)


def test_where_there_is_no_place_for_sockets_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/" + "x" * 100)
    monkeypatch.setattr(player, "SHORT_PLACES", ("/not/there",))
    with pytest.raises(RuntimeError, match=r"no place for sockets: /xxx.*, /not/there are too long"):
        private_directory()


def test_a_play_and_who_waits_for_a_boot_mean_the_same_connection(tmp_path: Path) -> None:
    variables = AnsiblePlayer(SETTINGS)._host_variables(tmp_path, Step.UPDATE, CLAIM)
    assert variables["ansible_control_path"] in variables["await_boot"]


def test_one_odd_answer_is_told_by_name_and_keeps_no_other_from_being_read() -> None:
    odd = {"host": "h03", "task": "before", "status": "ok", "rc": None, "facts": {"boot_id": 7}, "condition": None, "checks": None}
    report = read_report(json.dumps({**odd, "stdout": "", "stderr": "", "msg": ""}).encode())
    assert report is not None and (report.host, report.task, report.told.status) == ("h03", "before", "failed")
    assert report.told.err.startswith("its answer was not understood: KeyError")
    for line in (b"no json", b"[]", b"7", b'{"host": "h03"}'):
        assert read_report(line) is None


def test_bytes_that_are_no_text_are_shown_as_such() -> None:
    said = json.dumps({"stdout": "h\udcfc one \ud83d\ude00", "stderr": "", "msg": ""})
    line = {**json.loads(said), "host": "h", "task": "upgrade", "status": "ok", "rc": 0, "facts": None, "condition": None, "checks": None}
    report = read_report(json.dumps(line).encode())
    assert report is not None and report.told.out == "h\ufffd one \U0001f600"
    report.told.out.encode()
    with pytest.raises(UnicodeEncodeError):
        json.loads(said)["stdout"].encode()  # the control


def test_a_nul_byte_is_shown_as_such_wherever_it_comes_from() -> None:
    """PostgreSQL stores none, and would not take the whole result."""
    line = {"host": "h", "task": "upgrade", "status": "ok", "rc": 0, "facts": None, "condition": None, "checks": None}
    report = read_report(json.dumps({**line, "stdout": "a\0b", "stderr": "", "msg": ""}).encode())
    assert report is not None and report.told.out == "a\ufffdb"
    record = Result(Outcome.FAILED, "h: a\0b", {"keptBack": "\0"}, "\0").record()
    assert "\\u0000" not in json.dumps(record)
    assert (record["message"], record["facts"], record["evidence"]) == ("h: a\ufffdb", {"keptBack": "\ufffd"}, "\ufffd")
    assert "\\u0000" in json.dumps("a\0b"), "control"
    frame = Frame("begin", "end")
    assert frame.open(b"begin\na\0b\nend\n") == "a\ufffdb"
