"""A job board for one controller: the public API's part that consumers see, on loopback."""

from __future__ import annotations

import http.server
import json
import re
import secrets
import threading
import time
import urllib.parse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

LEASE_SECONDS = 1
BODY_BYTES_MAX = 16 << 20


@dataclass
class Posted:
    """One question on the board and what became of it."""

    job: dict[str, Any]
    claims: list[str] = field(default_factory=list)
    claimed_at: float = 0.0
    answer: dict[str, Any] | None = None
    answered: threading.Event = field(default_factory=threading.Event)
    misdeeds: list[str] = field(default_factory=list)

    def free(self) -> bool:
        return self.answer is None and (not self.claims or time.monotonic() - self.claimed_at > LEASE_SECONDS)


class PlayedBoard:
    """One question is open at a time. ``on_claim`` is called before a claim is answered. Use as a context."""

    def __init__(self, topic: str, token: str) -> None:
        self.topic = topic
        self.token = token
        self.on_claim: Callable[[], None] = lambda: None
        self.strays: list[str] = []
        self._lock = threading.Lock()
        self._posted: dict[str, Posted] = {}
        board = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(*board.handle("GET", self.path, self.headers.get("Authorization", ""), {}))

            def do_POST(self) -> None:
                text = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), BODY_BYTES_MAX))
                try:
                    body = dict(json.loads(text))
                except (ValueError, TypeError):
                    body = {}
                self._answer(*board.handle("POST", self.path, self.headers.get("Authorization", ""), body))

            def _answer(self, status: int, body: Mapping[str, Any]) -> None:
                text = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                del format, args

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> PlayedBoard:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def post(self, number: int, ask: Mapping[str, Any], timeout_seconds: int) -> Posted:
        job = {
            "id": f"ask.Approve.{self.topic}.{number}",
            "step": "Approve",
            "topic": self.topic,
            "round": number,
            "state": "Pending",
            "attempt": 0,
            "deadlineSeconds": timeout_seconds,
            "ask": ask,
            **dict.fromkeys(("grant", "rollout", "host", "address"), ""),
        }
        posted = Posted(job)
        with self._lock:
            self._posted[str(job["id"])] = posted
        return posted

    def take_down(self, posted: Posted) -> None:
        """Its time is over."""
        with self._lock:
            del self._posted[posted.job["id"]]

    def handle(self, method: str, path: str, authorization: str, body: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        if authorization != f"Bearer {self.token}":
            self.strays.append(f"{method} {path} came without the token")
            return 401, {"message": "no such token"}
        parts = urllib.parse.urlsplit(path)
        query = urllib.parse.parse_qs(parts.query)
        if method == "GET" and parts.path == "/api/jobs" and query.get("q") == ["claimable"]:
            return self._claimable(query)
        action = re.fullmatch(r"/api/jobs/([^/]+)", parts.path)
        if method != "POST" or action is None:
            self.strays.append(f"{method} {path} is no call of a controller")
            return 404, {"message": "there is nothing here"}
        taken: list[bool] = []
        with self._lock:
            posted = self._posted.get(urllib.parse.unquote(action[1]))
            if posted is None:
                return 404, {"message": "there is no such job"}
            status, said = self._act(posted, query.get("action", [""])[0], body, taken)
        if taken:
            self.on_claim()
        return status, said

    def _claimable(self, query: Mapping[str, list[str]]) -> tuple[int, dict[str, Any]]:
        topics = re.findall(r"[^(),]+", query.get("topics", [""])[0].removeprefix("List"))
        self.strays += [f"it looked for topic {topic}" for topic in topics if topic != self.topic]
        with self._lock:
            free = [posted.job for posted in self._posted.values() if posted.free() and self.topic in topics]
        return 200, {"elements": free, "paging": {"start": 0, "count": 10}}

    def _act(self, posted: Posted, action: str, body: Mapping[str, Any], taken: list[bool]) -> tuple[int, dict[str, Any]]:
        if action == "claim":
            if not posted.free():
                return 409, {"message": "the job is not pending"}
            posted.claims.append(secrets.token_hex(8))
            posted.claimed_at = time.monotonic()
            taken.append(True)
            attempt = len(posted.claims)
            job = {**posted.job, "state": "Claimed", "attempt": attempt}
            token = f"0.0.{posted.job['round']}.{attempt}"
            return 200, {
                "value": {"job": job, "claim": posted.claims[-1], "attempt": attempt, "token": token, "leaseSeconds": LEASE_SECONDS}
            }
        if not posted.claims or body.get("claim") != posted.claims[-1]:
            return 409, {"message": "this claim is not the current one"}
        if action == "heartbeat":
            posted.claimed_at = time.monotonic()
            return 200, {"value": LEASE_SECONDS}
        return self._complete(posted, body.get("result"))

    @staticmethod
    def _complete(posted: Posted, result: object) -> tuple[int, dict[str, Any]]:
        answer = result.get("answer") if isinstance(result, dict) and result.get("outcome") == "Done" else None
        if not isinstance(answer, dict):
            posted.misdeeds.append("a result without an answer")
            return 422, {"message": "answer: an Approve is done only with an answer"}
        if posted.answer is not None and posted.answer != answer:
            posted.misdeeds.append("a second answer that differs from the first")
            return 409, {"message": "the job has ended with another result"}
        posted.answer = answer
        posted.answered.set()
        return 200, {"value": True}
