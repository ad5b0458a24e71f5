"""Several claimed jobs at once, each in a thread of its own: for work that waits for machines nearly all of the time."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from drydock_remediation.board import Board
from drydock_remediation.jobset import ClaimedWork, complete
from drydock_remediation.records import Result

LOG = logging.getLogger(__name__)


class ParallelJobSet:
    """`carry_out` brings one of them to its result; None leaves it to its lease, and to the next attempt."""

    def __init__(
        self, board: Board, work: list[ClaimedWork], carry_out: Callable[[ClaimedWork], Result | None], stopping: threading.Event
    ) -> None:
        self._board = board
        self._work = work
        self._carry_out = carry_out
        self._stopping = stopping
        self._counting = threading.Lock()
        self.open = len(work)  # how many have not ended

    def run(self) -> None:
        threads = [threading.Thread(target=self._one, args=(one,), name=one.claim.job.id) for one in self._work]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _one(self, work: ClaimedWork) -> None:
        try:
            result = self._carry_out(work)
            if result is not None:
                complete(self._board, work, result, self._stopping)
        except Exception:  # the last frame of this thread; the lease runs out and the job is given to somebody else
            LOG.exception("%s ended early", work.claim.job.id)
        finally:
            work.lease.stop()
            with self._counting:
                self.open -= 1
