"""How a BMC fails on demand. Pure: which request meets which fate."""

from __future__ import annotations

import random
from enum import Enum, StrEnum


class Fault(StrEnum):
    """What `lab fault HOST bmc` takes."""

    NONE = "ok"
    BUSY = "503"  # answers every request with 503
    HANG = "hang"  # takes requests, does nothing and never answers
    MUTE = "mute"  # does what it is told and never answers that; reading works
    DROP_SESSIONS = "dropSessions"  # forgets the session before every third request of it
    SLOW = "slow"  # answers every request two seconds late
    FLAPPING = "flapping"  # breaks off the connection of two requests of five, by chance; never of two that follow each other


class Fate(Enum):
    SERVED = "served"
    BUSY = "busy"
    LATE = "served after a while"
    NOTHING_DONE = "nothing done, no answer"
    DONE_UNSAID = "done, no answer"
    SESSION_LOST = "session forgotten, then served"
    CUT_OFF = "connection broken off, nothing done"


class Faults:
    """One fault at a time, for a number of the requests that it hits or until it is mended."""

    def __init__(self) -> None:
        self.kind = Fault.NONE
        self.left: int | None = None
        self.hits = 0
        self._seen = 0
        # By chance, as in life: whoever asks in a rhythm of its own would lose the same request each time.
        self._dice = random.Random(0)  # noqa: S311
        self._answers = 0

    def set(self, kind: Fault, times: int | None = None) -> None:
        self.kind, self.left, self.hits, self._seen, self._answers = kind, times, 0, 0, 2

    def meet(self, *, changes: bool, in_session: bool) -> Fate:
        """What comes of the next request."""
        fate = self._fate(changes=changes, in_session=in_session)
        if fate is Fate.SERVED:
            return fate
        self.hits += 1
        if self.left is not None:
            self.left -= 1
            if self.left <= 0:
                self.kind = Fault.NONE
        return fate

    def _fate(self, *, changes: bool, in_session: bool) -> Fate:
        self._seen += 1
        match self.kind:
            case Fault.BUSY:
                return Fate.BUSY
            case Fault.SLOW:
                return Fate.LATE
            case Fault.HANG:
                return Fate.NOTHING_DONE
            case Fault.MUTE if changes and in_session:
                return Fate.DONE_UNSAID
            case Fault.DROP_SESSIONS if in_session and self._seen % 3 == 0:
                return Fate.SESSION_LOST
            case Fault.FLAPPING if self._answers == 0:
                self._answers = self._dice.choice((1, 2))
                return Fate.CUT_OFF
            case Fault.FLAPPING:
                self._answers -= 1
        return Fate.SERVED
