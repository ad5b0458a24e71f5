"""Removes from a host what rules call safe, and says what that was. Runs on the host: standard library only.

python3 - RULES [plan]: rules as JSON; with `plan` nothing is removed. Prints JSON: `removed` files and bytes by the name of their rule,
`failed` what could not be removed, and `free` in percent, the less of bytes and inodes, of the folders something was removed from.
"""

from __future__ import annotations

import fnmatch
import json
import os
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FAILED_MAX = 10
SECONDS_PER_HOUR = 3600
BYTES_PER_BLOCK = 512  # as stat(2) counts


def fits(parts: list[str], patterns: list[str]) -> bool:
    """`**` stands for any number of folders, and at the end for all that is below."""
    if not patterns:
        return not parts
    if patterns[0] == "**":
        return any(fits(parts[skipped:], patterns[1:]) for skipped in range(len(parts) + 1))
    return bool(parts) and fnmatch.fnmatchcase(parts[0], patterns[0]) and fits(parts[1:], patterns[1:])


def files(top: str, pattern: str) -> Iterator[tuple[str, int]]:
    """Names, each with the folder it is in, opened: whoever may write there cannot lead us elsewhere by a link."""
    for folder, _, names, opened in os.fwalk(top) if Path(top).is_dir() else ():
        below = list(Path(folder).relative_to(top).parts)
        for name in names:
            if fits([*below, name], pattern.split("/")):
                yield name, opened


def due(rule: dict[str, Any], now: float) -> Iterator[tuple[str, str, int, int]]:
    """Where the rule begins, name, folder and bytes of each file that is old enough; neither links nor folders."""
    for top, pattern in rule["paths"]:
        for name, folder in files(top, pattern):
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
    for rule in rules:
        for top, name, folder, size in due(rule, now):
            try:
                if not plan:
                    os.unlink(name, dir_fd=folder)
            except OSError as error:
                failed.append(str(error))
                continue
            tops.add(top)
            of = removed.setdefault(rule["name"], {"files": 0, "bytes": 0})
            of["files"], of["bytes"] = of["files"] + 1, of["bytes"] + size
    return {"removed": removed, "failed": failed[:FAILED_MAX], "free": {top: free_percent(top) for top in sorted(tops)}}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(clean(json.loads(sys.argv[1]), plan=sys.argv[2:] == ["plan"]), sort_keys=True))
