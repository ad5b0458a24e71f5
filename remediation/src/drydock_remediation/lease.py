"""Keeps a claim alive, and knows when it is ours no longer."""

from __future__ import annotations

import http.client
import logging
import threading
from collections.abc import Callable, Mapping

from drydock_api.client import BoardError
from drydock_remediation.board import Board
from drydock_remediation.boot_clock import boot_clock
from drydock_remediation.records import Claim

LOG = logging.getLogger(__name__)
RETRY_SECONDS = 0.5


class Lease:
    """Counts from before each request was sent, so it never ends later here than on the board. Thread-safe."""

    def __init__(self, board: Board, claim: Claim, clock: Callable[[], float] = boot_clock) -> None:
        self._board = board
        self._claim = claim
        self._clock = clock
        self._ends_at = claim.asked_at + claim.lease_seconds
        self._lost = False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._keep, name=f"lease {claim.job.id}", daemon=True)

    def start(self) -> Lease:
        self._thread.start()
        return self

    def valid(self) -> bool:
        """Asks the clock, not the thread: a program that was paused past its lease learns it at once. Once lost, lost."""
        if self._clock() >= self._ends_at:
            self._lost = True
        return not self._lost

    def ends_at(self) -> float:
        """On its clock, and as far as is known now; a lost one has ended before everything."""
        return self._ends_at if self.valid() else 0.0

    def note(self, facts: Mapping[str, str]) -> bool:
        """Whether the board keeps these facts now; it may be asked again. A BoardError: it will not, and the claim stands."""
        try:
            self._board.note(self._claim.job.id, self._claim.claim, facts, self.ends_at() - self._clock())
        except BoardError as error:
            LOG.warning("not noted: %s", error, extra={"job": self._claim.job.id})
            if error.status == http.client.CONFLICT:
                self._lost = True
            elif not error.retryable:
                raise
            return False
        return True

    def stop(self) -> None:
        self._stop.set()

    def _keep(self) -> None:
        while not self._stop.wait(self._claim.lease_seconds / 3):
            while self.valid() and not self._stop.is_set() and not self._renew():
                self._stop.wait(RETRY_SECONDS)
            if not self.valid():
                LOG.warning("lease lost", extra={"job": self._claim.job.id})
                return

    def _renew(self) -> bool:
        asked_at = self._clock()
        try:
            seconds = self._board.heartbeat(self._claim.job.id, self._claim.claim, self._ends_at - asked_at)
        except BoardError as error:
            if error.retryable:
                return False
            LOG.warning("the board ended the claim: %s", error, extra={"job": self._claim.job.id})
            self._lost = True
            return True
        if self.valid():  # an answer that came after the end revives nothing
            self._ends_at = asked_at + seconds
        return True
