"""Answers questions as they come, until told to stop."""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from drydock_api.client import BoardError
from drydock_controller.board import Board
from drydock_controller.questions import ApprovalQuestion

LOG = logging.getLogger(__name__)
PAUSE_SECONDS = 0.5

Decide = Callable[[ApprovalQuestion], Mapping[str, Any]]
"""From the question to the answer. Called again for a question that was claimed by a process that died: it must be pure."""


def serve(board: Board, topic: str, decide: Decide, stop: threading.Event, pause_seconds: float = PAUSE_SECONDS) -> None:
    """A question that cannot be answered is left to its time-out: no answer is never an approval."""
    consumer = f"{socket.gethostname()}-{os.getpid()}"
    while not stop.is_set():
        answered = 0
        try:
            for job in board.claimable(topic):
                claim = board.claim(job, consumer)
                if claim is not None:
                    board.answer(claim, decide(ApprovalQuestion.read(claim.ask)))
                    answered += 1
        except (BoardError, KeyError, TypeError, ValueError) as error:
            LOG.warning("left unanswered: %s", error)
        if not answered:
            stop.wait(pause_seconds)


def board_from_environment() -> Board:
    """Where consumers of the board are told of it."""
    return Board(os.environ["DRYDOCK_URL"], Path(os.environ["DRYDOCK_TOKEN_FILE"]))
