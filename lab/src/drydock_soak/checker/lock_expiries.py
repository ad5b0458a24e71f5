"""For how long locks stood before a grantor ended them: expired session locks for a lease (protocol P4), holds for their maximum."""

from __future__ import annotations

from collections import deque

from drydock_soak.checker.state import Lock, State

LATE_NS = 1_000_000_000  # What the witness reads on a busy machine.


class Expiries:
    """Follows the states of a run, and since when each session lock of them has been expired, or each hold been there.

    The witness may tell of either late: what it reads after a silence may have been committed any time since the last
    it read before. So it is counted from the last transaction that was seen well before, and a bit more is allowed.
    Grantors begin when they hear of it, or when they begin to lead, which is later.
    """

    def __init__(self) -> None:
        self._since: dict[tuple[str, int], int] = {}
        self._seen: deque[int] = deque()

    def after(self, state: State, at: int) -> None:
        self._seen.append(at)
        while len(self._seen) > 1 and self._seen[1] <= at - LATE_NS:
            self._seen.popleft()
        counted = [(host, lock.created) for host, lock in state.locks.items() if lock.stays is not None or state.expired(lock)]
        self._since = {which: self._since.get(which, self._seen[0]) for which in counted}

    def missing(self, host: str, lock: Lock, at: int) -> float:
        """How many seconds too early its end would be at the least."""
        since = self._since.get((host, lock.created), at)
        return lock.delay - (at + LATE_NS - since) / 1e9
