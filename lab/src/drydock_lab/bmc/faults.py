"""How a BMC fails on demand. Pure: which request meets which fate."""

from __future__ import annotations

from enum import Enum, StrEnum


class Fault(StrEnum):
    """What `lab fault HOST bmc` takes."""

    NONE = "ok"
    BUSY = "503"  # answers every request with 503
    HANG = "hang"  # takes requests, does nothing and never answers
    MUTE = "mute"  # does what it is told and never answers that; reading works
    DROP_SESSIONS = "dropSessions"  # forgets the session before every third request of it
    SLOW = "slow"  # answers every request two seconds late
    FLAPPING = "flapping"  # of five requests it answers three, and breaks off the connection of two


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

    def set(self, kind: Fault, times: int | None = None) -> None:
        self.kind, self.left, self.hits, self._seen = kind, times, 0, 0

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
            case Fault.FLAPPING if self._seen % 5 in (3, 0):
                return Fate.CUT_OFF
        return Fate.SERVED
