"""The public API over HTTP, as one principal."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

SECONDS_MAX = 10.0


class Refusal(Exception):
    """The server answered no; ``status`` is that of HTTP."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class Silence(Exception):
    """No answer: what was asked may have been done or not."""


class Api:
    """Holds no connection. Safe for use by many threads."""

    def __init__(self, url: str, token_file: Path) -> None:
        self._url = url
        self._token_file = token_file
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def get(self, path: str) -> Any:
        return self._send(path, None)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """The answer; of what was created its id."""
        return self._send(path, body)

    def _send(self, path: str, body: dict[str, Any] | None) -> Any:
        what = f"{'GET' if body is None else 'POST'} /api/{path}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self._url}/api/{path}", data)  # noqa: S310 - http on loopback
        request.add_header("Authorization", f"Bearer {self._token_file.read_text().strip()}")
        request.add_header("X-RestLi-Protocol-Version", "2.0.0")
        request.add_header("Content-Type", "application/json")
        try:
            with self._opener.open(request, timeout=SECONDS_MAX) as answer:
                text = answer.read()
                return json.loads(text) if text else {"id": answer.headers["X-RestLi-Id"]}
        except urllib.error.HTTPError as refused:
            said = refused.read(4096).decode(errors="replace")
            if refused.code >= http.client.INTERNAL_SERVER_ERROR:
                raise Silence(f"{what}: {refused.code} {said}") from None
            raise Refusal(f"{what}: {refused.code} {said}", refused.code) from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Silence(f"{what}: {error}") from error
