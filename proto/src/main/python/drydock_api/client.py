"""Requests to the API as one principal, and those to the job board that every consumer makes."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ANSWER_BYTES_MAX = 64 << 20
REFUSAL_BYTES_MAX = 64 << 10


class BoardError(Exception):
    """A request was not answered as hoped. `status` is what the server said, None if it said nothing; `retryable`: the same request
    may be sent again."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status

    @property
    def retryable(self) -> bool:
        return self.status is None or self.status in (408, 429) or self.status >= http.client.INTERNAL_SERVER_ERROR


class ApiClient:
    """Thread-safe: it holds no connection. The token is read for each request, so that it can be replaced. No proxy of the environment is
    used: its address is that of the server itself."""

    def __init__(self, url: str, token_file: Path, seconds: float) -> None:
        """`seconds`: how long a request without a time of its own may take."""
        self._url = url.rstrip("/")
        self._token_file = token_file
        self._seconds = seconds
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def claimable(self, topics: Sequence[str], steps: Sequence[str], limit: int) -> list[dict[str, Any]]:
        """Jobs that nobody works on, oldest first, as the server tells them; no steps: of all."""
        of = f"&steps={restli_list(steps)}" if steps else ""
        return list(self.send("GET", f"/jobs?q=claimable&topics={restli_list(topics)}{of}&count={limit}").get("elements", []))

    def claim(self, job: str, consumer: str) -> Mapping[str, Any] | None:
        """Takes a job; None when another consumer was faster or its time is over."""
        try:
            taken = self.act(job, "claim", {"consumer": consumer})
        except BoardError as error:
            if error.status in (http.client.CONFLICT, http.client.NOT_FOUND):
                return None
            raise
        if not isinstance(taken, dict):
            raise BoardError(f"the answer to the claim of {job} was not understood: {taken!r}")
        return taken

    def act(self, job: str, action: str, body: Mapping[str, Any], seconds: float | None = None) -> Any:
        """An action on a job; what it answers."""
        return self.send("POST", f"/jobs/{urllib.parse.quote(job, safe='')}?action={action}", body, seconds).get("value")

    def send(self, method: str, path: str, body: Mapping[str, Any] | None = None, seconds: float | None = None) -> dict[str, Any]:
        """The answer as JSON. Raises BoardError."""
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
            with self._opener.open(request, timeout=max(0.1, self._seconds if seconds is None else seconds)) as answer:
                text = answer.read(ANSWER_BYTES_MAX)
            return dict(json.loads(text)) if text else {}
        except urllib.error.HTTPError as error:
            raise BoardError(f"{what}: {error.code} {_said(error)}", error.code) from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise BoardError(f"{what}: {error}") from error


def restli_list(words: Sequence[str]) -> str:
    """As Rest.li has it in a query."""
    return f"List({','.join(urllib.parse.quote(word, safe='') for word in words)})"


def _said(error: urllib.error.HTTPError) -> str:
    """The server's own sentence with its details, when there is one."""
    try:
        said = json.loads(error.read(REFUSAL_BYTES_MAX))
        details = "; ".join(f"{one['field']}: {one['message']}" for one in said.get("details", []))
        return f"{said.get('message', error.reason)}{f' ({details})' if details else ''}"
    except (OSError, ValueError, AttributeError, KeyError, TypeError, http.client.HTTPException):
        return str(error.reason)
