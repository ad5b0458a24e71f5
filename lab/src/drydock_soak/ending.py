"""How a soak is ended from outside: one signal goes through it as one exception, and does not disturb what cleans up."""

from __future__ import annotations

import signal
from types import FrameType


class Ended(BaseException):
    """Somebody sent a signal. No `Exception`: nothing on the way may take it for a failure of its own."""

    def __init__(self, number: int) -> None:
        super().__init__(f"ended by {signal.Signals(number).name}")
        self.exit_code = 128 + number


class Ending:
    """Raises `Ended` in the main thread at the first SIGINT or SIGTERM; later ones change nothing.

    From `hold` to `release` a signal waits: what is taken down then is taken down as a whole.
    """

    def __init__(self) -> None:
        self._held = False
        self._waiting: int | None = None

    def listen(self) -> None:
        """From now on; in the main thread."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._take)

    def hold(self) -> None:
        self._held = True

    def release(self) -> None:
        """Raises what came meanwhile."""
        self._held = False
        if self._waiting is not None:
            self._take(self._waiting, None)

    def _take(self, number: int, _: FrameType | None) -> None:
        if self._held:
            self._waiting = number
            return
        self.hold()  # For good: whoever catches it cleans up.
        raise Ended(number)
