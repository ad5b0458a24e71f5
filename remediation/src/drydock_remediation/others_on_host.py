"""Who else works on a host's packages, or keeps it from being started anew. Reads; ends nobody.

Imported by what runs on hosts, and a program there: `wait SECONDS [reboot]` prints what `told` reads, `say` a sentence about all of
them, nothing where there is nobody. Standard library only.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import struct
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

# What each lock is called in messages. A lock file is always there; who has a POSIX lock on it works.
LOCKS = {
    "/var/lib/dpkg/lock-frontend": "dpkg's frontend lock",
    "/var/lib/dpkg/lock": "dpkg's lock",
    "/var/lib/apt/lists/lock": "the lock of apt's lists",
    "/var/cache/apt/archives/lock": "the lock of apt's archives",
    "/var/lib/rpm/.rpm.lock": "rpm's lock",
    "/usr/lib/sysimage/rpm/.rpm.lock": "rpm's lock",
}
# dnf writes who works into a file instead.
PIDS = {
    "/var/lib/dnf/rpmdb_lock.pid": "dnf's lock of rpm's database",
    "/var/cache/dnf/metadata_lock.pid": "dnf's lock of its metadata",
    "/var/cache/dnf/download_lock.pid": "dnf's lock of its downloads",
}
# debconf takes a lock of another kind (flock), which the kernel lists by number of device and file.
FLOCKS = {f"/var/cache/debconf/{name}.dat": "debconf's lock" for name in ("config", "templates", "passwords")}
OURS = b"HOSTRUN_COOKIE="  # whatever the wrapper runs has it in its environment
INHIBITOR = re.compile(r"(.*?)\s+(\d+)\s+(\S+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(.*?)\s+(block|block-weak|delay)\s*")
POLL_SECONDS = 1.0
COMMAND_MAX = 120
INHIBIT_SECONDS = 10
WRITTEN_SECONDS = 2.0  # a process may have begun so long after the time of the file it wrote
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"}


@dataclass(frozen=True)
class Other:
    """A process of somebody else, what it has, and for how many seconds it has run. pid 0: nobody can tell which."""

    what: str
    pid: int
    command: str
    seconds: int

    def sentence(self) -> str:
        who = f"{self.command or 'a process'} (pid {self.pid}, for {self.seconds} s)" if self.pid else "a process nobody can name"
        return f"{who} has {self.what}"


def found(root: str = "", *, reboot: bool = False) -> list[Other]:
    """With `reboot` also who keeps the machine from being started anew. `root` stands before the paths, for tests."""
    holders = [(name, _posix_holder(root + path)) for path, name in LOCKS.items()]
    holders += [(name, written_holder(root + path)) for path, name in PIDS.items()]
    holders += [(name, _flock_holder(root + path)) for path, name in FLOCKS.items()]
    others = [_other(name, pid) for name, pid in holders if pid is not None and not _ours(pid)]
    if reboot:
        others += [other for other in inhibitors(_inhibitions()) if not _ours(other.pid)]
    return others


def wait(seconds: float, root: str = "", *, reboot: bool = False) -> list[Other]:
    """Until nobody else works, or the time is over; who is left."""
    give_up = time.monotonic() + seconds
    while (others := found(root, reboot=reboot)) and time.monotonic() < give_up:
        time.sleep(min(POLL_SECONDS, seconds))
    return others


def told(text: str) -> list[Other] | None:
    """What the program printed; None when that was not an answer of it."""
    try:
        return [Other(str(one["what"]), int(one["pid"]), str(one["command"]), int(one["seconds"])) for one in json.loads(text)]
    except (ValueError, KeyError, TypeError):
        return None


def sentence(others: list[Other]) -> str:
    """One process for one, though it may have several locks."""
    by_pid: dict[int, list[Other]] = {}
    for other in others:
        by_pid.setdefault(other.pid, []).append(other)
    return "; ".join(f"{mine[0].sentence()}{''.join(f' and {one.what}' for one in mine[1:])}" for mine in by_pid.values())


def inhibitors(text: str) -> list[Other]:
    """Those that block a shutdown, in what `systemd-inhibit --list --no-legend` printed."""
    rows = (INHIBITOR.fullmatch(line.strip()) for line in text.splitlines())
    blocking = [row for row in rows if row and "shutdown" in row.group(6).split(":") and row.group(8) != "delay"]
    return [_other(f"an inhibitor of shutdown ({row.group(1).strip()}: {row.group(7)})", int(row.group(4))) for row in blocking]


def _inhibitions() -> str:
    try:
        command = ["systemd-inhibit", "--list", "--no-legend", "--no-pager"]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=INHIBIT_SECONDS, check=False, env=ENVIRONMENT)
    except (OSError, subprocess.TimeoutExpired):
        return ""  # a host without systemd has no inhibitors
    return done.stdout.decode(errors="replace")


def _posix_holder(path: str) -> int | None:
    """The pid that has a POSIX lock on the file, 0 when it is one of an open file; None when nobody has."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        layout = "hhqqi4x"  # struct flock: type, whence, start, length, pid
        answer = fcntl.fcntl(descriptor, fcntl.F_GETLK, struct.pack(layout, fcntl.F_WRLCK, 0, 0, 0, 0))
        kind, _, _, _, pid = struct.unpack(layout, answer)
        return None if kind == fcntl.F_UNLCK else max(0, pid)
    finally:
        os.close(descriptor)


def written_holder(path: str) -> int | None:
    """The living process whose pid stands in the file, if it has run since before that was written, or is a dnf by its name (clocks are
    set): numbers are used again."""
    try:
        written, pid = Path(path).stat().st_mtime, int(Path(path).read_text())
        earlier = time.time() - _age(pid) <= written + WRITTEN_SECONDS
        return pid if earlier or b"dnf" in _bytes(pid, "cmdline") else None
    except (OSError, ValueError, IndexError):
        return None


def _flock_holder(path: str) -> int | None:
    try:
        file = Path(path).stat()
        key = f"{os.major(file.st_dev):02x}:{os.minor(file.st_dev):02x}:{file.st_ino}"
        rows = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
        return next((max(0, int(row[4])) for row in rows if row[1] == "FLOCK" and row[5] == key), None)
    except (OSError, ValueError, IndexError):
        return None


def _age(pid: int) -> float:
    """For how many seconds a process has run."""
    fields = _bytes(pid, "stat").rpartition(b")")[2].split()
    return time.clock_gettime(time.CLOCK_BOOTTIME) - int(fields[19]) / os.sysconf("SC_CLK_TCK")


def _ours(pid: int) -> bool:
    try:
        return pid == os.getpid() or any(entry.startswith(OURS) for entry in _bytes(pid, "environ").split(b"\0"))
    except OSError:
        return False


def _other(what: str, pid: int) -> Other:
    try:
        command = _bytes(pid, "cmdline").replace(b"\0", b" ") or _bytes(pid, "comm")
        seconds = int(_age(pid))
    except (OSError, ValueError, IndexError):
        return Other(what, pid, "", 0)  # it has just ended, or is nobody we see
    words = " ".join(command.decode(errors="replace").split())
    shown = "".join(letter if letter.isprintable() else "?" for letter in words)
    return Other(what, pid, shown[:COMMAND_MAX], max(0, seconds))


def _bytes(pid: int, name: str) -> bytes:
    return Path(f"/proc/{pid}/{name}").read_bytes()


def _printed(others: list[Other]) -> str:
    rows: list[Mapping[str, Any]] = [asdict(other) for other in others]
    return json.dumps(rows) + "\n"


def main(arguments: list[str]) -> int:
    if arguments == ["say"]:
        sys.stdout.write(sentence(found(reboot=True)))
        return 0
    sys.stdout.write(_printed(wait(float(arguments[1]), reboot="reboot" in arguments)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
