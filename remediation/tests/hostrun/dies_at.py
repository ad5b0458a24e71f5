"""Starts hostrun and kills one of its processes at its n-th line: dies_at.py DEPTH N HOSTRUN ARGUMENTS...

DEPTH counts forks: 0 the caller, 1 the process between, 2 the supervisor, 3 the command before it is executed.
Writes one line to the file DIED when it happened.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

depth, dies_at = int(sys.argv[1]), int(sys.argv[2])
program = sys.argv[3]
count = {"forks": 0, "lines": 0}
real_fork = os.fork


def counted_fork() -> int:
    pid = real_fork()
    if pid == 0:
        count["forks"] += 1
    return pid


def on_event(frame: FrameType, event: str, _: Any) -> Any:
    if frame.f_code.co_filename != program:
        return None
    if event == "line" and count["forks"] == depth:
        count["lines"] += 1
        if count["lines"] == dies_at:
            Path(os.environ["DIED"]).write_text(f"depth {depth} line {frame.f_lineno}\n")
            os.kill(os.getpid(), signal.SIGKILL)
    return on_event


code = compile(Path(program).read_text(), program, "exec")
sys.argv = sys.argv[3:]
os.fork = counted_fork
sys.settrace(on_event)
exec(code, {"__name__": "__main__", "__file__": program})  # noqa: S102 - this is how a debugger starts a program
