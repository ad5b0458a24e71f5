"""Pid files that cannot be mistaken: the process's start time and the boot stand beside its number, as in `tools/stack`."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

from drydock_lab import files


def identity(pid: int) -> dict[str, int | str] | None:
    """Who a process is; None when there is no such process or only its zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = stat.rpartition(")")[2].split()
    if fields[0] in ("Z", "X"):
        return None
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return {"pid": pid, "start_ticks": int(fields[19]), "boot_id": boot}


def write_pid_file(path: Path, pid: int) -> None:
    files.write_json(path, identity(pid))


def living(path: Path) -> int | None:
    """The pid in the file if that very process still lives."""
    try:
        recorded = json.loads(path.read_text())
        pid = int(recorded["pid"])
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None
    return pid if identity(pid) == recorded else None


def stop(path: Path, seconds_max: float) -> bool:
    """Ends the process of a pid file, politely first. Says whether there was one."""
    pid = living(path)
    if pid is None:
        path.unlink(missing_ok=True)
        return False
    for sign, patience in ((signal.SIGTERM, seconds_max), (signal.SIGKILL, 10.0)):
        try:
            os.kill(pid, sign)
        except ProcessLookupError:
            break
        deadline = time.monotonic() + patience
        while living(path) and time.monotonic() < deadline:
            time.sleep(0.05)
        if not living(path):
            break
    path.unlink(missing_ok=True)
    return True
