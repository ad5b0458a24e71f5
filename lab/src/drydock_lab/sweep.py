"""Removes what a dead owner of this checkout's lab left: processes, namespaces, interfaces, loop devices."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

from drydock_lab.commands import run
from drydock_lab.errors import LabError
from drydock_lab.instance import Instance
from drydock_lab.waiting import wait_until


def sweep(instance: Instance) -> list[str]:
    """Leaves nothing of this checkout's lab running; says what it removed. Other checkouts are not looked at."""
    removed = sweep_namespaces(instance.namespace_prefix)
    for interface in sorted(path.name for path in Path("/sys/class/net").glob(f"{instance.interface_prefix}*")):
        # Deleting one end of a pair deletes the other, so the second may be gone already.
        run(["ip", "link", "del", interface], check=False)
        removed.append(f"interface {interface}")
    for device in loop_devices(instance.lab):
        run(["losetup", "-d", device], check=False)
        removed.append(f"loop device {device}")
    return removed


def sweep_namespaces(prefix: str, ours: Callable[[str], bool] = lambda _: True) -> list[str]:
    """Ends every process in the network namespaces with this prefix, and removes them; says what it removed.

    Raises, and changes nothing, when there is a process whose command line is not one of ``ours``.
    """
    removed = []
    namespaces = _namespaces(prefix)
    for namespace in namespaces:
        for pid in _pids(namespace):
            if (line := _command_line(pid)) and not ours(line):
                raise LabError(f"process {pid} in the namespace {namespace} is somebody else's: end it first ({line[:100]})")
    for namespace in namespaces:
        ended = _end_processes(namespace)
        run(["ip", "netns", "del", namespace])
        removed.append(f"namespace {namespace} with {ended} processes")
    return removed


def loop_devices(below: Path) -> list[str]:
    """Loop devices whose file lies in this folder (or is this file)."""
    found = []
    for entry in Path("/sys/block").glob("loop*/loop/backing_file"):
        try:
            backing = entry.read_text().strip().removesuffix(" (deleted)")
        except OSError:
            continue  # detached while we looked
        if backing == str(below) or backing.startswith(f"{below}/"):
            found.append(f"/dev/{entry.parts[3]}")
    return found


def _namespaces(prefix: str) -> list[str]:
    names = (line.split()[0] for line in run(["ip", "netns", "list"]).splitlines() if line.strip())
    return sorted(name for name in names if name.startswith(prefix))


def _pids(namespace: str) -> list[int]:
    return [int(pid) for pid in run(["ip", "netns", "pids", namespace], check=False).split() if int(pid) != os.getpid()]


def _command_line(pid: int) -> str:
    """Empty when it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ").strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _end_processes(namespace: str) -> int:
    pids = _pids(namespace)
    for pid in pids:
        _kill(pid)
    if pids:
        wait_until(lambda: not _pids(namespace), 10, f"the processes of {namespace} to end")
    return len(pids)


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # it ended by itself
