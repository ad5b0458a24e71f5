"""Running a command to its end: with a time-out, a sign of life while it is slow, and its output when it fails."""

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from drydock_stack import files
from drydock_stack.failure import StackError
from drydock_stack.processes import kill_group
from drydock_stack.progress import say

TAIL_LINES = 40
SIGN_OF_LIFE_SECONDS = 20


def run(
    what: str,
    command: Sequence[str],
    log: Path,
    seconds: float = 1500,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Runs ``command`` with its output in ``log``. ``what`` names the step in messages."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as stream:
        child = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = _wait(what, child, seconds)
        except BaseException:
            # Its own session, so that also its children end when we are interrupted or out of time.
            kill_group(child)
            child.wait()
            raise
    if code != 0:
        text = files.tail(log, TAIL_LINES)
        raise StackError(f"{what} failed with code {code}. The end of {log}:\n{text}")


def _wait(what: str, child: "subprocess.Popen[bytes]", seconds: float) -> int:
    began = time.monotonic()
    while True:
        try:
            return child.wait(timeout=min(SIGN_OF_LIFE_SECONDS, seconds))
        except subprocess.TimeoutExpired as slow:
            passed = time.monotonic() - began
            if passed >= seconds:
                raise StackError(f"{what} did not end within {seconds:.0f} s and was killed.") from slow
            say(f"… {what}: {passed:.0f} s")
