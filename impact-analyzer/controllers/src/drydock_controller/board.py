"""The job board over HTTP, as far as a controller needs it."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SECONDS_MAX = 5.0
ANSWER_BYTES_MAX = 64 << 20


class BoardError(Exception):
    """A request was not answered as hoped; ``status`` is what the server said, None if it said nothing."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Claim:
    """A question that is ours to answer."""

    job: str
    secret: str
    ask: Mapping[str, Any]


class Board:
    """Holds no connection; the token is read for each request, so that it can be replaced."""

    def __init__(self, url: str, token_file: Path) -> None:
        self._url = url.rstrip("/")
        self._token_file = token_file
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def claimable(self, topic: str) -> list[str]:
        """Questions of the topic that nobody answers, by their ids."""
        topics = f"List({urllib.parse.quote(topic, safe='')})"
        answer = self._send("GET", f"/jobs?q=claimable&topics={topics}&count=10", None)
        return [str(job["id"]) for job in answer["elements"] if job["step"] == "Approve"]

    def claim(self, job: str, consumer: str) -> Claim | None:
        """Takes a question; None when somebody else was faster or its time is over."""
        try:
            taken = self._act(job, "claim", {"consumer": consumer})
        except BoardError as error:
            if error.status in (http.client.CONFLICT, http.client.NOT_FOUND):
                return None
            raise
        return Claim(job, str(taken["claim"]), taken["job"]["ask"])

    def answer(self, claim: Claim, record: Mapping[str, Any]) -> None:
        """The same answer may be sent again. An answer against the contract is a BoardError with status 422."""
        result = {"outcome": "Done", "message": str(record.get("decision")), "answer": record}
        self._act(claim.job, "complete", {"claim": claim.secret, "result": result})

    def _act(self, job: str, action: str, body: Mapping[str, Any]) -> Any:
        return self._send("POST", f"/jobs/{urllib.parse.quote(job, safe='')}?action={action}", body).get("value")

    def _send(self, method: str, path: str, body: Mapping[str, Any] | None) -> dict[str, Any]:
        what = f"{method} {self._url}/api{path}"
        try:
            headers = {
                "Authorization": f"Bearer {self._token_file.read_text().strip()}",
                "X-RestLi-Protocol-Version": "2.0.0",
                "Content-Type": "application/json",
                "Accept": "application/json",
            }
            data = None if body is None else json.dumps(body).encode()
            # The URL is this program's own setting.
            request = urllib.request.Request(f"{self._url}/api{path}", data, headers, method=method)  # noqa: S310
            with self._opener.open(request, timeout=SECONDS_MAX) as answer:
                text = answer.read(ANSWER_BYTES_MAX)
            return dict(json.loads(text)) if text else {}
        except urllib.error.HTTPError as error:
            raise BoardError(f"{what}: {error.code} {error.read(64 << 10).decode(errors='replace')}", error.code) from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise BoardError(f"{what}: {error}") from error
