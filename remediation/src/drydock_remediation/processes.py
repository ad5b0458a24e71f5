"""Ends every process of one play, wherever it went.

Ansible's workers call setsid, so killing a process group misses them, and an orphan changes its parent. What no
descendant loses is its environment: each play gets a cookie there, and whoever carries it is of that play.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

COOKIE = "DRYDOCK_PLAY"
SECONDS_MAX = 10.0


def carriers(cookie: str) -> list[int]:
    """Living processes of the play, without the one that asks."""
    wanted = f"{COOKIE}={cookie}".encode()
    found = []
    for process in Path("/proc").iterdir():
        if not process.name.isdigit() or int(process.name) == os.getpid():
            continue
        try:
            if wanted in (process / "environ").read_bytes().split(b"\0"):
                found.append(int(process.name))
        except OSError:
            continue  # it ended, or belongs to somebody else
    return found


def kill_play(cookie: str) -> bool:
    """Kills until nobody is left: a process may be forking while it is being looked at. False if some would not die."""
    give_up = time.monotonic() + SECONDS_MAX
    while left := carriers(cookie):
        for process in left:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
        if time.monotonic() > give_up:
            return False
        time.sleep(0.02)
    return True
