"""Removes from a host what rules call safe, and says what that was. Runs on the host: standard library only.

python3 - RULES [plan]: rules as JSON; with `plan` nothing is removed. Prints JSON: `removed` files and bytes by the name of their rule,
`failed` what could not be removed or was left out, and `free` in percent, the less of bytes and inodes, of the folders something was
removed from. A rule may begin on a partition of its own, which may be the full one. It never goes on into what is mounted below, nor
begins in the data partition or on a file system of other machines.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

FAILED_MAX = 10
SECONDS_PER_HOUR = 3600
BYTES_PER_BLOCK = 512  # as stat(2) counts
DATA = os.environ.get("DRYDOCK_DATA", "/data")
MOUNTS = Path("/proc/self/mountinfo")
SHARED = {
    *("9p", "afs", "ceph", "cifs", "davfs", "gfs", "gfs2", "glusterfs", "lustre", "ncp", "ncpfs", "nfs", "nfs4", "ocfs2", "pvfs2"),
    *("smb3", "smbfs", "sshfs", "virtiofs"),
}


class Mount(NamedTuple):
    device: str
    root: str  # the folder of the file system that is shown there: a bind mount shows another one of the same device
    kind: str


def read(text: str) -> dict[str, Mount]:
    """What is mounted, by its folder. Of two in one place the later one is seen."""
    found = {}
    for line in text.strip("\n").split("\n"):
        fields, _, source = line.partition(" - ")
        device, root, folder = (re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), field) for field in fields.split(" ")[2:5])
        found[folder] = Mount(device, root, source.split(" ")[0])
    return found


def located(folder: str, mounts: dict[str, Mount]) -> tuple[Mount, PurePosixPath]:
    """What a folder without links in its name lies on, and where there."""
    path = PurePosixPath(folder)
    point = next((one for one in (path, *path.parents) if str(one) in mounts), PurePosixPath("/"))
    mount = mounts.get(str(point), Mount("", "/", ""))
    return mount, mount.root / path.relative_to(point)


def objection(folder: str, mounts: dict[str, Mount], data: str) -> str:
    """Why nothing is removed below a folder; empty when it may be."""
    (mount, place), (system, _) = located(folder, mounts), located("/", mounts)
    # Data may be on many disks, each mounted below. The system may be shown there too, and is no data for that.
    disks = [one for point, one in mounts.items() if PurePosixPath(data) in PurePosixPath(point).parents and one.device != system.device]
    for of_data, shown in [located(data, mounts), *((one, PurePosixPath(one.root)) for one in disks)]:
        if mount.device == of_data.device and shown in (place, *place.parents):
            return f"it lies in {data}"
    return f"it lies on a file system of other machines, {mount.kind}" if mount.kind.split(".")[-1] in SHARED else ""


def fits(parts: list[str], patterns: list[str]) -> bool:
    """`**` stands for any number of folders, and at the end for all that is below."""
    if not patterns:
        return not parts
    if patterns[0] == "**":
        return any(fits(parts[skipped:], patterns[1:]) for skipped in range(len(parts) + 1))
    return bool(parts) and fnmatch.fnmatchcase(parts[0], patterns[0]) and fits(parts[1:], patterns[1:])


def files(top: str, pattern: str, left_out: dict[str, str]) -> Iterator[tuple[str, int]]:
    """Names, each with the folder it is in, opened: whoever may write there cannot lead us elsewhere by a link."""
    if not Path(top).is_dir():
        return
    mounts, real, data = read(os.fsdecode(MOUNTS.read_bytes())), os.path.realpath(top), os.path.realpath(DATA)
    if why := objection(real, mounts, data):
        left_out[top] = why
        return
    for folder, folders, names, opened in os.fwalk(top):
        below = list(Path(folder).relative_to(top).parts)
        for one in list(folders):
            within = str(PurePosixPath(real, *below, one))
            if why := "something else is mounted there" if within in mounts else objection(within, mounts, data):
                left_out[str(PurePosixPath(folder, one))] = why
                folders.remove(one)  # so that it is not even looked at: its server may be gone
        for name in names:
            if fits([*below, name], pattern.split("/")):
                yield name, opened


def due(rule: dict[str, Any], now: float, left_out: dict[str, str]) -> Iterator[tuple[str, str, int, int]]:
    """Where the rule begins, name, folder and bytes of each file that is old enough; neither links nor folders."""
    for top, pattern in rule["paths"]:
        for name, folder in files(top, pattern, left_out):
            try:
                state = os.stat(name, dir_fd=folder, follow_symlinks=False)
            except FileNotFoundError:
                continue  # somebody else was faster
            if stat.S_ISREG(state.st_mode) and now - state.st_mtime >= rule["hours"] * SECONDS_PER_HOUR:
                yield top, name, folder, state.st_blocks * BYTES_PER_BLOCK


def free_percent(place: str) -> int:
    state = os.statvfs(place)
    shares = [(state.f_bfree, state.f_blocks), (state.f_ffree, state.f_files)]
    return min((free * 100 // all_ for free, all_ in shares if all_), default=0)


def clean(rules: list[dict[str, Any]], *, plan: bool) -> dict[str, Any]:
    now, tops, failed = time.time(), set(), []
    removed: dict[str, dict[str, int]] = {}
    left_out: dict[str, str] = {}  # by its folder: many patterns begin in one
    for rule in rules:
        for top, name, folder, size in due(rule, now, left_out):
            try:
                if not plan:
                    os.unlink(name, dir_fd=folder)
            except OSError as error:
                failed.append(str(error))
                continue
            tops.add(top)
            of = removed.setdefault(rule["name"], {"files": 0, "bytes": 0})
            of["files"], of["bytes"] = of["files"] + 1, of["bytes"] + size
    failed += [f"{folder}: {why}" for folder, why in left_out.items()]
    return {"removed": removed, "failed": failed[:FAILED_MAX], "free": {top: free_percent(top) for top in sorted(tops)}}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(clean(json.loads(sys.argv[1]), plan=sys.argv[2:] == ["plan"]), sort_keys=True))
