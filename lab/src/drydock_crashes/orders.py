"""Crash points armed while processes run: what ``CrashOrders`` is for the Java programs, from both sides."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

DIE, STAND = "die", "stand"
STAND_SECONDS = 8.0


class Orders:
    """The files in the folder ``run`` of a state folder: crash-order-NAME, and crash-met-NAME once the point was reached."""

    def __init__(self, state: Path) -> None:
        self._run = state / "run"
        self._run.mkdir(parents=True, exist_ok=True)

    def give(self, point: str, word: str) -> None:
        """Arms the point for whoever reaches it first. In one step: nobody reads half a word."""
        self.let_go(point)
        unfinished = self._run / f"crash-unfinished-{point}"
        unfinished.write_text(word)
        unfinished.rename(self._run / f"crash-order-{point}")

    def met(self, point: str) -> bool:
        return (self._run / f"crash-met-{point}").exists()

    def take_back(self, point: str) -> None:
        (self._run / f"crash-order-{point}").unlink(missing_ok=True)

    def let_go(self, point: str) -> None:
        """Who stands there goes on."""
        (self._run / f"crash-met-{point}").unlink(missing_ok=True)

    def stay(self, host: str, step: str) -> None:
        """Nobody does this step of the host until ``leave``: its rollout does not end."""
        (self._run / f"stays-{step}-{host}").touch()

    def stays(self, host: str, step: str) -> bool:
        return (self._run / f"stays-{step}-{host}").exists()

    def leave(self, host: str, step: str) -> None:
        (self._run / f"stays-{step}-{host}").unlink(missing_ok=True)

    def reach(self, point: str) -> None:
        """Does what was ordered of the point, if anything was."""
        met = self._run / f"crash-met-{point}"
        try:
            (self._run / f"crash-order-{point}").rename(met)
        except FileNotFoundError:
            return
        if met.read_text() == DIE:
            os.kill(os.getpid(), signal.SIGKILL)
        deadline = time.monotonic() + STAND_SECONDS
        while met.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
