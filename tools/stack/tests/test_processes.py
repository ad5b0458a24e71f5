import dataclasses
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from drydock_stack import identity, processes
from drydock_stack.failure import StackError
from drydock_stack.identity import ProcessIdentity
from drydock_stack.processes import Process


def known(found: ProcessIdentity | None) -> ProcessIdentity:
    assert found is not None
    return found


def test_a_process_that_reused_the_pid_is_not_ours_and_survives_stop(tmp_path: Path, sleeper: "subprocess.Popen[bytes]") -> None:
    stranger = known(identity.identity_of(sleeper.pid))
    process = Process(tmp_path, "victim")
    identity.write(process.pid_file, dataclasses.replace(stranger, start_ticks=stranger.start_ticks - 1))

    assert process.running() is None
    assert process.crashed()
    assert process.stop() is False
    assert sleeper.poll() is None, "a stranger was killed"
    assert not process.pid_file.exists()


def test_the_same_pid_of_an_earlier_boot_is_not_ours(tmp_path: Path, sleeper: "subprocess.Popen[bytes]") -> None:
    stranger = known(identity.identity_of(sleeper.pid))
    process = Process(tmp_path, "victim")
    identity.write(process.pid_file, dataclasses.replace(stranger, boot_id="an-earlier-boot"))

    assert process.running() is None
    process.stop()
    assert sleeper.poll() is None


def test_the_check_can_fail_our_own_process_is_stopped(tmp_path: Path, sleeper: "subprocess.Popen[bytes]") -> None:
    process = Process(tmp_path, "ours")
    identity.write(process.pid_file, known(identity.identity_of(sleeper.pid)))

    assert process.stop() is True
    assert sleeper.wait(timeout=10) == -signal.SIGTERM


def test_the_child_records_itself_before_it_becomes_the_program(tmp_path: Path) -> None:
    process = Process(tmp_path, "child")
    started = process.start(["sleep", "60"], tmp_path, {})
    started.wait_ready(lambda: process.running() is not None, 10)
    recorded = known(process.running())
    try:
        assert identity.session_of(recorded.pid) == recorded.pid
    finally:
        process.stop()
    assert not identity.is_alive(recorded)


def test_a_damaged_pid_file_names_nobody(tmp_path: Path) -> None:
    process = Process(tmp_path, "damaged")
    process.pid_file.parent.mkdir()
    for text in ("", "12", "{", '{"pid": 1}'):
        process.pid_file.write_text(text)
        assert process.running() is None


def test_a_start_that_ends_tells_the_end_of_its_log_only(tmp_path: Path) -> None:
    process = Process(tmp_path, "broken")
    process.log_file.parent.mkdir(parents=True)
    process.log_file.write_text("from an earlier start\n")
    started = process.start([sys.executable, "-c", "import sys; print('port is taken'); sys.exit(3)"], tmp_path, {})

    with pytest.raises(StackError, match="ended with code 3") as failure:
        started.wait_ready(lambda: False, 20)

    assert "port is taken" in str(failure.value)
    assert "earlier start" not in str(failure.value)
    assert not process.pid_file.exists()


def test_a_start_that_does_not_get_ready_is_stopped(tmp_path: Path) -> None:
    process = Process(tmp_path, "slow")
    started = process.start(["sleep", "60"], tmp_path, {})
    recorded = known(identity.read(process.pid_file))

    with pytest.raises(StackError, match=r"not ready after 0 s"):
        started.wait_ready(lambda: False, 0.2)

    assert not identity.is_alive(recorded)


def test_what_a_killed_leader_left_in_its_session_is_ended(tmp_path: Path) -> None:
    process = Process(tmp_path, "leader")
    program = "import subprocess, time; child = subprocess.Popen(['sleep', '60']); print(child.pid, flush=True); time.sleep(60)"
    started = process.start([sys.executable, "-c", program], tmp_path, {})
    started.wait_ready(lambda: process.log_file.read_text().strip() != "", 20)
    left = known(identity.identity_of(int(process.log_file.read_text())))
    leader = known(identity.read(process.pid_file))
    os.kill(leader.pid, signal.SIGKILL)
    os.waitpid(leader.pid, 0)

    assert identity.is_alive(left)
    processes.end_session(leader)
    assert not identity.is_alive(left)
