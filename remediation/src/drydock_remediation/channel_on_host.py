"""What a host keeps of a channel it may be brought to: its index and packages, apart from the host's own.

Runs on hosts; standard library only. Everything lies in one folder per channel; whoever removes it removes all that was ever written
for it. The host's own source of packages is written by `adopt` alone, at once and as a whole, when the upgrade has ended well.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from drydock_remediation import automatic_upgrades

STATE = "/var/lib/drydock"
STAGED_SECONDS_MAX = 24 * 3600  # what was staged longer ago is read anew
# Exit codes of the programs that plan and upgrade. What ends with NOTHING_BEGUN has changed nothing but what lies in its folder.
CANNOT, NOT_REACHED, NOTHING_BEGUN = 1, 5, 73
KEPT_BACK = "== kept back: "
AUDIT_PREFIX = "audit="
MARGIN_BYTES = 8 << 20
LINE_MAX = 1000
# What else would ask somebody, or start services of its own accord.
ENVIRONMENT = {
    "LC_ALL": "C",
    "DEBIAN_FRONTEND": "noninteractive",
    "NEEDRESTART_SUSPEND": "1",
    "APT_LISTCHANGES_FRONTEND": "none",
    "APT_LISTBUGS_FRONTEND": "none",
}


class NothingBegun(Exception):
    """Ends a program before it changed the host. Says why: CAUSE: TEXT, where the operator knows the cause."""

    def line(self) -> str:
        return " ".join(str(self).split())[:LINE_MAX]


@dataclass(frozen=True)
class Order:
    """What is wanted: the packages of the release with their versions, and whether packages may go back. `before` is the file in
    which the host keeps what it was; `seconds` may be waited for others."""

    channel: str
    downgrade: bool
    packages: Mapping[str, str]
    before: str = ""
    seconds: float = 0.0
    state: str = STATE

    @staticmethod
    def read(text: str) -> Order:
        record: dict[str, Any] = json.loads(text)
        return Order(**record)

    @property
    def folder(self) -> Path:
        way = "back" if self.downgrade else "forth"
        return Path(self.state) / "channels" / f"{hashlib.sha256(self.channel.encode()).hexdigest()[:12]}-{way}"

    @property
    def held_off(self) -> Path:
        return Path(self.state) / "held-off"


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str


def call(*command: str, show: bool = False) -> Said:
    """Output is bytes of whoever wrote them; what is no text is replaced. `show`: handed on as well."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env={**os.environ, **ENVIRONMENT}, check=False)
    said = Said(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))
    if show:
        say(said.out)
        say(said.err, error=True)
    return said


def guarded(order: Order, work: Callable[[Order], int], places: Iterable[str]) -> int:
    """Does what changes packages, and writes to these places, with what upgrades hosts by itself held off meanwhile, however it ends; the
    code it ends with."""
    signal.signal(signal.SIGTERM, _stop)  # so that what is held off is given back
    try:
        _refuse_unwritable(places)
        try:
            _hold_off(order)
            return work(order)
        finally:
            _give_back(order)
    except NothingBegun as reason:
        say(f"{reason.line()}\n", error=True)
        return NOTHING_BEGUN
    except OSError as error:  # as when the channel cannot be made the host's own source
        say(f"{error}\n", error=True)
        return CANNOT


def _hold_off(order: Order) -> None:
    try:
        automatic_upgrades.hold_off(order.held_off)
    except OSError as error:
        cause = "space" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "unwritable"
        raise NothingBegun(f"{cause}: {error}") from error


def _give_back(order: Order) -> None:
    """What cannot be given back now is by whoever reads the host next: the record stays."""
    try:
        automatic_upgrades.give_back(order.held_off)
    except OSError as error:
        say(f"{error}\n", error=True)


def _stop(*_: object) -> NoReturn:
    raise SystemExit(CANNOT)


def say(text: str, *, error: bool = False) -> None:
    stream = sys.stderr if error else sys.stdout
    stream.buffer.write(text.encode(errors="replace"))
    stream.flush()


def staged(order: Order) -> bool:
    """Whether index and packages were fetched, not long ago. A clock that was set back says no."""
    try:
        age = time.time() - (order.folder / "staged").stat().st_mtime
    except FileNotFoundError:
        return False
    return 0 <= age <= STAGED_SECONDS_MAX


def mark_staged(order: Order) -> None:
    write(order.folder / "staged", "")


def forget_staged(order: Order) -> None:
    (order.folder / "staged").unlink(missing_ok=True)


def forget_others(order: Order) -> None:
    """Channels that nobody has read for long; another rollout may be about to use what it has staged."""
    for folder in order.folder.parent.glob("*"):
        if folder != order.folder and time.time() - folder.stat().st_mtime > STAGED_SECONDS_MAX:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def alone(order: Order) -> Iterator[None]:
    """One at a time writes what is kept of a channel. Whoever stages gives way to a batch (hostrun), so that none waits long."""
    order.folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(order.folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def apart(order: Order, work: Callable[[Order], int]) -> int:
    """Does what changes nothing on the host but what it keeps of the channel; the code it ends with."""
    try:
        with alone(order):
            return work(order)
    except OSError as error:
        say(f"{error}\n", error=True)
        return CANNOT


def forget(order: Order) -> None:
    """All of them: the host has what it needed."""
    shutil.rmtree(order.folder.parent, ignore_errors=True)


def adopt(path: Path, text: str) -> None:
    """Makes the channel the host's own source."""
    if not path.is_file() or path.read_bytes() != text.encode():
        write(path, text)


def write(path: Path, text: str) -> None:
    """The old text or the new one, also after a power cut."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.new")
    with new.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.rename(new, path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    os.fsync(folder)
    os.close(folder)


def audit_before(order: Order) -> str:
    """What was broken before the first effect, as the host kept it."""
    try:
        text = Path(order.before).read_text(errors="replace") if order.before else ""
    except OSError:
        text = ""
    return "\n".join(line[len(AUDIT_PREFIX) :] for line in text.splitlines() if line.startswith(AUDIT_PREFIX))


def missing(order: Order, installed: Mapping[str, str]) -> list[str]:
    """Packages of the release that are not there in its version."""
    return [
        f"{name} is {installed.get(name, 'absent')} and not {want}"
        for name, want in sorted(order.packages.items())
        if want not in installed.get(name, "").split()
    ]


def space(order: Order, download: int, growth: int) -> list[dict[str, Any]]:
    """File systems on which the upgrade would not fit, in bytes; what lies on the same one is needed together."""
    wanted: dict[int, list[Any]] = {}
    for path, size in ((existing(order.folder), download), (Path("/usr"), growth)):
        entry = wanted.setdefault(path.stat().st_dev, [str(path), 0])
        entry[1] += size
    found = []
    for path, size in wanted.values():
        system = os.statvfs(path)
        free = system.f_bavail * system.f_frsize
        if free < size + MARGIN_BYTES:
            found.append({"path": path, "free": free, "needed": size + MARGIN_BYTES})
    return found


def unwritable(paths: Iterable[str]) -> list[dict[str, str]]:
    """Places that nobody can write to, not even root, and why; of one and what lies in it only the outer one."""
    found: list[dict[str, str]] = []
    for path in sorted(path for path in paths if Path(path).exists() and not os.access(path, os.W_OK)):
        if not any(path.startswith(f"{one['path']}/") for one in found):
            read_only = os.statvfs(path).f_flag & os.ST_RDONLY
            found.append({"path": path, "why": "is mounted read-only" if read_only else "is not to be written to, not even by root"})
    return found


def _refuse_unwritable(paths: Iterable[str]) -> None:
    if found := unwritable(paths):
        raise NothingBegun(f"unwritable: {'; '.join(' '.join(one.values()) for one in found)}")


def existing(path: Path) -> Path:
    return next(one for one in (path, *path.parents) if one.exists())


def kept_back(names: Sequence[str]) -> str:
    return f"{KEPT_BACK}{' '.join(sorted(names))}\n" if names else ""
