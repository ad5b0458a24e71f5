"""Starting and stopping long-running processes by pid files. Only what we started is ever signalled."""

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from drydock_stack import files, identity
from drydock_stack.failure import StackError
from drydock_stack.identity import ProcessIdentity

LOG_BYTES_MAX = 20 * 1024 * 1024
TAIL_LINES = 30


class Process:
    """One named process of a checkout: ``run/NAME.pid`` and ``log/NAME.log`` under its state folder."""

    def __init__(self, state: Path, name: str) -> None:
        self.name = name
        self.pid_file = state / "run" / f"{name}.pid"
        self.log_file = state / "log" / f"{name}.log"

    def running(self) -> ProcessIdentity | None:
        recorded = identity.read(self.pid_file)
        return recorded if recorded and identity.is_alive(recorded) else None

    def crashed(self) -> bool:
        """It was started and not stopped, yet it is gone (stopping removes the pid file)."""
        return self.pid_file.exists() and self.running() is None

    def start(self, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> "Started":
        """Starts it in a session of its own. The child writes its pid file before it becomes the program, so none is ever unrecorded."""
        self.log_file.parent.mkdir(parents=True, exist_ok=True)
        if self.log_file.exists() and self.log_file.stat().st_size > LOG_BYTES_MAX:
            os.replace(self.log_file, self.log_file.with_suffix(".log.1"))
        with self.log_file.open("ab") as log:
            log_start = log.tell()
            try:
                child = subprocess.Popen(
                    command,
                    cwd=folder,
                    env={**os.environ, **environment},
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    preexec_fn=self._record_myself,
                )
            except OSError as error:
                self.pid_file.unlink(missing_ok=True)
                raise StackError(f"{self.name} could not be started: {error}.") from error
        return Started(self, child, log_start)

    def stop(self, first: signal.Signals = signal.SIGTERM, seconds: float = 30) -> bool:
        """Stops it and waits until it is gone, with SIGKILL after ``seconds``. False when it was not running."""
        running = self.running()
        stopped = running is not None and end(running, first, seconds)
        recorded = identity.read(self.pid_file)
        if recorded:
            end_session(recorded)
        self.pid_file.unlink(missing_ok=True)
        return stopped

    def _record_myself(self) -> None:
        myself = identity.identity_of(os.getpid())
        if myself is None:
            raise OSError("the process does not see itself in /proc")
        identity.write(self.pid_file, myself)


class Started:
    """A process that was just started and is not yet known to be ready."""

    def __init__(self, process: Process, child: "subprocess.Popen[bytes]", log_start: int) -> None:
        self.process = process
        self._child = child
        self._log_start = log_start

    def wait_ready(self, is_ready: Callable[[], bool], seconds: float) -> None:
        """Returns when it is ready; a process that ends or does not get ready in time is stopped and its log's tail told."""
        deadline = time.monotonic() + seconds
        while not is_ready():
            code = self._child.poll()
            if code is not None:
                self.process.stop()
                raise StackError(self._story(f"ended with code {code} while starting"))
            if time.monotonic() > deadline:
                self.process.stop(seconds=10)
                raise StackError(self._story(f"was not ready after {seconds:.0f} s and was stopped"))
            time.sleep(0.05)

    def _story(self, what: str) -> str:
        log = self.process.log_file
        text = files.tail(log, TAIL_LINES, self._log_start) or "(empty)"
        return f"{self.process.name} {what}. The end of {log}:\n{text}"


def end(target: ProcessIdentity, first: signal.Signals, seconds: float) -> bool:
    """Signals exactly this process: the pid is pinned by a descriptor before its identity is compared once more."""
    try:
        descriptor = os.pidfd_open(target.pid)
    except ProcessLookupError:
        return False
    try:
        if not identity.is_alive(target):
            return False
        gone = select.poll()
        gone.register(descriptor, select.POLLIN)
        for number, wait in ((first, seconds), (signal.SIGKILL, 10.0)):
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(descriptor, number)
            if gone.poll(wait * 1000):
                return True
        raise StackError(f"Process {target.pid} does not end even by SIGKILL; look at /proc/{target.pid}/stack.")
    finally:
        os.close(descriptor)


def kill_group(child: "subprocess.Popen[Any]") -> None:
    """Ends a child that leads its own session, with all it started there."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)


def end_session(leader: ProcessIdentity) -> None:
    """Ends what a dead leader left in its session. While one of them lives, the kernel gives the leader's pid to nobody else."""
    if leader.boot_id != identity.boot_id() or identity.identity_of(leader.pid) is not None:
        return
    for pid in [pid for pid in identity.pids() if identity.session_of(pid) == leader.pid]:
        left = identity.identity_of(pid)
        if left and left.start_ticks >= leader.start_ticks:
            end(left, signal.SIGTERM, 5)
