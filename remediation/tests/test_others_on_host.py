"""Who else works on a host: locks, dnf's files, inhibitors; and who is not somebody else."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from drydock_remediation import others_on_host
from drydock_remediation.others_on_host import Other, found, inhibitors, sentence, told, wait

from .hostrun.program import wait_until

HOLDS = """
import fcntl, pathlib, sys
file = open(sys.argv[1], "a")
fcntl.lockf(file, fcntl.LOCK_EX)
pathlib.Path(sys.argv[2]).touch()
sys.stdin.read()
"""
# As systemd 252 prints them without a heading: who, uid, user, pid, command, what, why, mode.
INHIBITORS = """\
APT                          0 root 4242 apt-get         shutdown      APT is installing or removing packages     block
Unattended Upgrades Shutdown 0 root 261  unattended-upgr shutdown      Stop ongoing upgrades or perform upgrades before shutdown delay
me                           0 root 77   systemd-inhibit sleep         because I say so                           block
"""


@contextmanager
def holding(tmp_path: Path, name: str, **environment: str) -> Iterator[int]:
    """The pid of a process that has the lock."""
    file, holds = tmp_path / name.lstrip("/"), tmp_path / "holds"
    file.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-c", HOLDS, str(file), str(holds)]
    process = subprocess.Popen(command, env={**os.environ, **environment}, stdin=subprocess.PIPE)
    wait_until(holds.exists, "the lock is held")
    try:
        yield process.pid
    finally:
        process.communicate(timeout=20)
        assert process.returncode == 0


@pytest.mark.parametrize(("path", "what"), others_on_host.LOCKS.items())
def test_who_has_a_lock_is_named_with_pid_and_command_until_it_is_gone(tmp_path: Path, path: str, what: str) -> None:
    with holding(tmp_path, path) as pid:
        (other,) = found(str(tmp_path))
        assert (other.what, other.pid) == (what, pid)
        assert other.command.startswith(f"{sys.executable} -c import fcntl")
        assert 0 <= other.seconds < 60
        assert [left.pid for left in wait(0.01, str(tmp_path))] == [pid]
    assert (tmp_path / path.lstrip("/")).exists()
    assert wait(5, str(tmp_path)) == [], "the file alone means nothing"


def test_what_our_wrapper_runs_is_nobody_else(tmp_path: Path) -> None:
    """Control: the same process without the wrapper's mark is, above."""
    with holding(tmp_path, "/var/lib/dpkg/lock", HOSTRUN_COOKIE="ab12"):
        assert found(str(tmp_path)) == []


def test_dnf_writes_who_works_and_a_number_that_was_used_again_is_nobody(tmp_path: Path) -> None:
    file = tmp_path / "var/lib/dnf/rpmdb_lock.pid"
    file.parent.mkdir(parents=True)
    process = subprocess.Popen(["sh", "-c", "read dnf"], stdin=subprocess.PIPE)
    # The kernel shows the command of a process a moment after its start.
    wait_until(lambda: b"dnf" in Path(f"/proc/{process.pid}/cmdline").read_bytes(), "its command is shown")
    file.write_text(f"{process.pid}\n")
    assert [other.what for other in found(str(tmp_path))] == ["dnf's lock of rpm's database"]
    for text in (str(os.getpid()), "999999999", "not a number", ""):
        file.write_text(text)
        assert found(str(tmp_path)) == []
    process.communicate()


def test_a_lock_of_dnf_is_of_who_has_run_since_before_it_was_written_whatever_that_is_called(tmp_path: Path) -> None:
    """yum is a dnf, too, and so is a module of Ansible; control: the same number in a file from before its process began."""
    file = tmp_path / "var/lib/dnf/rpmdb_lock.pid"
    file.parent.mkdir(parents=True)
    process = subprocess.Popen(["sleep", "300"])
    try:
        file.write_text(f"{process.pid}")
        assert [other.pid for other in found(str(tmp_path))] == [process.pid]
        os.utime(file, (0, time.time() - 60))
        assert found(str(tmp_path)) == []
        file.write_bytes(bytes(8))
        assert found(str(tmp_path)) == []
    finally:
        process.kill()
        process.wait()


def test_who_asks_questions_of_debconf_has_its_lock(tmp_path: Path) -> None:
    file = tmp_path / "var/cache/debconf/config.dat"
    file.parent.mkdir(parents=True)
    with file.open("w") as open_file:
        assert found(str(tmp_path)) == [], "control: an open file means nothing"
        holds = subprocess.Popen(["flock", "--exclusive", "--no-fork", str(file), "sleep", "300"])
        try:
            wait_until(lambda: found(str(tmp_path)) != [], "the lock is held")
            (other,) = found(str(tmp_path))
            assert (other.what, other.pid) == ("debconf's lock", holds.pid)
        finally:
            holds.kill()
            holds.wait()
        assert open_file.fileno() and found(str(tmp_path)) == []


def test_only_inhibitors_that_block_a_shutdown_count() -> None:
    (one,) = inhibitors(INHIBITORS)
    assert (one.pid, one.what) == (4242, "an inhibitor of shutdown (APT: APT is installing or removing packages)")
    assert inhibitors("") == inhibitors("No inhibitors.\n") == []


def test_one_process_is_one_in_the_sentence() -> None:
    apt = [Other(what, 12, "apt-get upgrade", 75) for what in ("dpkg's lock", "dpkg's frontend lock")]
    assert sentence(apt) == "apt-get upgrade (pid 12, for 75 s) has dpkg's lock and dpkg's frontend lock"
    assert sentence([Other("rpm's lock", 0, "", 0)]) == "a process nobody can name has rpm's lock"


def test_what_the_program_prints_is_read_and_nothing_else_is() -> None:
    program = [sys.executable, "-c", Path(others_on_host.__file__).read_text()]
    done = subprocess.run([*program, "wait", "0"], capture_output=True, text=True, timeout=60, check=True)
    assert told(done.stdout) is not None
    for text in ("", "welcome\n[]", "{}x", '[{"pid": 1}]', "null"):
        assert told(text) is None
