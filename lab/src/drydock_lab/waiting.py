"""Waiting for a condition, never for a time."""

from __future__ import annotations

import time
from collections.abc import Callable

from drydock_lab.errors import LabError

POLL_SECONDS = 0.05


def wait_until(condition: Callable[[], bool], seconds_max: float, what: str) -> None:
    """Returns once the condition holds; raises when it does not in time."""
    deadline = time.monotonic() + seconds_max
    while not condition():
        if time.monotonic() > deadline:
            raise LabError(f"waited {seconds_max:.0f} s for {what} in vain")
        time.sleep(POLL_SECONDS)
