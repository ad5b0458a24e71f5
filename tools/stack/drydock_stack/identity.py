"""Who a process is: pid, start time and boot. A pid alone is reused by the kernel and may belong to a stranger."""

import dataclasses
import json
import os
from collections.abc import Iterator
from pathlib import Path

from drydock_stack import files

PROC = Path("/proc")


@dataclasses.dataclass(frozen=True)
class ProcessIdentity:
    """One process, unmistakably: ``start_ticks`` counts from the boot that ``boot_id`` names."""

    pid: int
    start_ticks: int
    boot_id: str


def boot_id() -> str:
    return (PROC / "sys/kernel/random/boot_id").read_text().strip()


def identity_of(pid: int) -> ProcessIdentity | None:
    """The process that has this pid now; None when there is none or only its zombie."""
    fields = _stat(pid)
    if fields is None or fields[0] in ("Z", "X"):
        return None
    return ProcessIdentity(pid, int(fields[19]), boot_id())


def is_alive(identity: ProcessIdentity) -> bool:
    return identity_of(identity.pid) == identity


def pids() -> Iterator[int]:
    return (int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit())


def session_of(pid: int) -> int | None:
    fields = _stat(pid)
    return int(fields[3]) if fields else None


def command_line(pid: int) -> str:
    """Its arguments, joined by blanks; empty when it is gone."""
    try:
        return (PROC / str(pid) / "cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def working_in(folder: Path) -> list[int]:
    """Pids whose working directory is ``folder``: how the children of a killed PostgreSQL are found."""
    found = []
    for pid in pids():
        try:
            if Path(os.readlink(PROC / str(pid) / "cwd")) == folder:
                found.append(pid)
        except OSError:
            continue  # It ended meanwhile, or belongs to another user.
    return found


def read(path: Path) -> ProcessIdentity | None:
    """The process a pid file names, whether or not it still lives; None when the file is missing or damaged."""
    try:
        return ProcessIdentity(**json.loads(path.read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def write(path: Path, identity: ProcessIdentity) -> None:
    files.write(path, json.dumps(dataclasses.asdict(identity)) + "\n")


def _stat(pid: int) -> list[str] | None:
    """The fields of /proc/PID/stat from the third (state) on; the second, the name, may hold blanks and brackets."""
    try:
        text = (PROC / str(pid) / "stat").read_text()
    except OSError:
        return None
    return text.rpartition(")")[2].split()
