"""The host operator for the hosts of the lab alone: those whose names begin with ``sim`` are done by the test itself."""

import sys
from collections.abc import Sequence

from drydock_remediation import __main__ as program
from drydock_remediation.board import HttpBoard
from drydock_remediation.records import Job, Step

BOARD_MAX = 100
claimable = HttpBoard.claimable


def of_the_lab(board: HttpBoard, topics: Sequence[str], steps: Sequence[Step], limit: int) -> list[Job]:
    return [job for job in claimable(board, topics, steps, BOARD_MAX) if not job.host.startswith("sim")][:limit]


HttpBoard.claimable = of_the_lab  # type: ignore[assignment,method-assign]
sys.exit(program.main())
