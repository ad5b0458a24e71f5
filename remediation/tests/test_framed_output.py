"""What the shell of a host says by itself is no answer; with real shells, and `ssh` as a program that starts one."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from drydock_remediation import await_boot
from drydock_remediation.commands import Wrapper
from drydock_remediation.framed_output import LOST, Frame, ask
from drydock_remediation.records import Claim
from drydock_remediation.reimage.host import NoAnswer, NotDone, SshHost
from drydock_remediation.settings import WRAPPER, Ssh

from .fakes import job

BOOT = "0f1a1c9e-6d0b-4b0f-9d0e-7e3c2a1b4c5d"
WELCOME = "echo welcome to h\xfc; echo '{'; echo so busy >&2; trap 'echo bye' EXIT\n".encode("latin-1")


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The start-up file of the host's shell, which sshd has read before every command."""
    startup, program = tmp_path / "startup", tmp_path / "bin" / "ssh"
    startup.write_bytes(b"")
    program.parent.mkdir()
    program.write_text('#!/bin/bash\nexec env BASH_ENV="$STARTUP" bash -c "${@: -1}"\n')
    program.chmod(0o755)
    monkeypatch.setenv("STARTUP", str(startup))
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    return startup


def said(*command: str, stdin: str = "") -> tuple[int, str, str]:
    found = ask(["ssh", "root@h"], command, 20, stdin)
    return found.code, found.out, found.err


def test_what_a_start_up_file_says_is_left_out(shell: Path) -> None:
    shell.write_bytes(WELCOME)
    assert said("sh", "-c", "echo one; echo two; echo oh >&2; exit 7") == (7, "one\ntwo\n", "oh\n")
    assert said("cat", stdin="x\ny") == (0, "x\ny", "")


def test_control_without_a_frame_it_is_taken_for_the_answer(shell: Path) -> None:
    shell.write_bytes(WELCOME)
    plain = subprocess.run(["ssh", "root@h", "echo one"], capture_output=True, timeout=20, check=True).stdout
    assert plain.startswith(b"welcome to h\xfc\n") and plain.endswith(b"one\nbye\n")


@pytest.mark.parametrize("words", [["true"], ["printf", "x"], ["printf", "\n\nx\n"], ["printf", "%s|", "it's", "a  $HOME", "`id`", "\\n"]])
def test_what_a_command_prints_is_as_it_was(shell: Path, words: list[str]) -> None:
    plain = subprocess.run(words, capture_output=True, text=True, timeout=20, check=True).stdout
    assert said(*words) == (0, plain, "")


def test_a_byte_that_is_no_text_stops_nothing(shell: Path) -> None:
    assert said("printf", r"\374 one\n") == (0, "\ufffd one\n", "")


def test_whose_shell_does_something_else_has_not_answered(shell: Path) -> None:
    shell.write_text("echo no logins today >&2; exit 0\n")
    assert said("echo", "one") == (LOST, "", "no logins today")
    shell.write_text("exit 0\n")
    assert said("echo", "one") == (LOST, "", "its shell ended with 0 before it had answered")
    frame = Frame.fresh()
    assert frame.open(f"{frame.begin}\nhalf an ans".encode()) is None
    assert Frame.fresh().open(f"{frame.begin}\nx\n{frame.end}".encode()) is None, "nobody else's frame is ours"


def test_a_code_of_the_command_is_none_of_the_connection(shell: Path) -> None:
    assert said("sh", "-c", "exit 255")[0] == 1
    assert said("sh", "-c", "kill -9 $$")[0] == 137


def test_who_does_not_answer_is_given_up(shell: Path) -> None:
    began = time.monotonic()
    found = ask(["ssh", "root@h"], ["sleep", "60"], 0.3)
    assert (found.code, found.err) == (LOST, "no end within 0 s")
    assert time.monotonic() - began < 30


def test_a_boot_id_is_not_what_a_shell_says(shell: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(await_boot, "ASK", ["echo", BOOT])
    shell.write_bytes(WELCOME)
    assert await_boot.boot_id(["ssh", "root@h"]) == BOOT
    assert await_boot.await_boot(0.0, "/none", "root@h", [], BOOT) == "", "the same boot is no other"
    assert await_boot.await_boot(0.0, "/none", "root@h", [], "another") == BOOT


def test_a_host_to_be_re_imaged_is_seen_whatever_its_shell_says(shell: Path) -> None:
    shell.write_bytes(WELCOME)
    host = SshHost(Ssh("root", Path("/k"), Path("/h")), Wrapper(WRAPPER), Claim(job(), "c", 1, "1.17.3.1", 15, 0.0))
    assert host._call(["echo", '{"a": 1}'], 20) == '{"a": 1}\n'
    with pytest.raises(NotDone, match=r"^code 75: older$") as fenced:
        host._call(["sh", "-c", "echo older >&2; exit 75"], 20)
    assert fenced.value.fenced_off
    shell.write_text("exit 3\n")
    with pytest.raises(NoAnswer, match="ended with 3"):
        host._call(["true"], 20)
