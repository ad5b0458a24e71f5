"""The job board over HTTP, as far as a controller needs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drydock_api.client import ApiClient

SECONDS_MAX = 5.0


@dataclass(frozen=True)
class Claim:
    """A question that is ours to answer."""

    job: str
    secret: str
    ask: Mapping[str, Any]


class Board:
    """What is asked of a controller. Each call may raise BoardError."""

    def __init__(self, url: str, token_file: Path) -> None:
        self._api = ApiClient(url, token_file, SECONDS_MAX)

    def claimable(self, topic: str) -> list[str]:
        """Questions of the topic that nobody answers, by their ids."""
        return [str(job["id"]) for job in self._api.claimable([topic], ["Approve"], 10)]

    def claim(self, job: str, consumer: str) -> Claim | None:
        """Takes a question; None when somebody else was faster or its time is over."""
        taken = self._api.claim(job, consumer)
        return Claim(job, str(taken["claim"]), taken["job"]["ask"]) if taken else None

    def answer(self, claim: Claim, record: Mapping[str, Any]) -> None:
        """The same answer may be sent again. An answer against the contract is a BoardError with status 422."""
        result = {"outcome": "Done", "message": str(record.get("decision")), "answer": record}
        self._api.act(claim.job, "complete", {"claim": claim.secret, "result": result})
