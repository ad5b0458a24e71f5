"""A small job board that speaks the real wire format: leases, attempts, tokens, claims. For tests."""

from __future__ import annotations

import http.server
import json
import secrets
import threading
import time
import urllib.parse
from pathlib import Path
from typing import Any

MARGIN_SECONDS = 1.0
ENDS_WITHIN_SECONDS = 0.02


def job(number: int, step: str, host: str, address: str, release: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A Job record; `round` counts over the steps of the grant."""
    round_ = more.pop("round", 3)
    return {
        "id": f"g{number}.{step}.{host}.{round_}",
        "grant": f"g{number}",
        "rollout": "r1",
        "step": step,
        "topic": "host/PackageUpdate",
        "host": host,
        "address": address,
        "round": round_,
        "state": "Pending",
        "attempt": 0,
        "instances": [],
        "release": release,
        "facts": {},
        "deadlineSeconds": 120,
        "createdAt": 0,
        **more,
    }


def preflight(host: str, address: str, release: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Asks before any grant."""
    round_ = more.pop("round", 1)
    made = job(0, "Preflight", host, address, release, round=round_, **more)
    return {**made, "id": f"pre.Preflight.r1.{host}.{round_}", "grant": ""}


class HttpBoardServer:
    """Serves on a free loopback port. `errors` holds statuses to answer with before the next real answers."""

    def __init__(self, lease_seconds: int = 6) -> None:
        self.jobs: dict[str, dict[str, Any]] = {}
        self.claims: dict[str, tuple[str, float]] = {}
        self.results: dict[str, dict[str, Any]] = {}
        self.packages: list[dict[str, Any]] = []
        self.readings: list[dict[str, Any]] = []
        self.requests: list[str] = []
        self.errors: list[int] = []
        self.deaf = False
        self.lease_seconds = lease_seconds
        self.changed = threading.Condition()
        board = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                board._answer(self)

            def do_POST(self) -> None:
                board._answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(ENDS_WITHIN_SECONDS,), daemon=True).start()

    def __enter__(self) -> HttpBoardServer:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def publish(self, *jobs: dict[str, Any]) -> None:
        with self.changed:
            self.jobs.update({one["id"]: one for one in jobs})

    def result(self, job_id: str, seconds: float = 120) -> dict[str, Any]:
        with self.changed:
            assert self.changed.wait_for(lambda: job_id in self.results, seconds), f"no result for {job_id}: {self.jobs[job_id]}"
            return self.results[job_id]

    def wait_claimed(self, job_id: str, attempt: int = 1, seconds: float = 60) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: self.jobs[job_id]["attempt"] >= attempt, seconds), f"{job_id} was not claimed"

    def _answer(self, request: http.server.BaseHTTPRequestHandler) -> None:
        url = urllib.parse.urlsplit(request.path)
        query = urllib.parse.parse_qs(url.query)
        body = json.loads(request.rfile.read(int(request.headers.get("Content-Length", 0))) or "{}")
        with self.changed:
            self.requests.append(f"{request.command} {request.path}")
            if self.deaf:
                request.close_connection = True
                return
            if self.errors:
                status, answer = self.errors.pop(0), {"message": "planned by the test"}
            elif request.headers.get("Authorization") != "Bearer secret" or request.headers.get("X-RestLi-Protocol-Version") != "2.0.0":
                status, answer = 401, {"message": "no token"}
            else:
                status, answer = self._handle(url.path, query, body)
            self.changed.notify_all()
        data = json.dumps(answer).encode()
        try:
            request.send_response(status)
            request.send_header("Content-Type", "application/json")
            request.send_header("Content-Length", str(len(data)))
            request.end_headers()
            request.wfile.write(data)
        except ConnectionError:
            pass  # the client was killed on purpose

    def _handle(self, path: str, query: dict[str, list[str]], body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if path == "/api/jobs" and query.get("q") == ["claimable"]:
            topics, steps = (_listed(query, name) for name in ("topics", "steps"))
            fitting = [one for one in self.jobs.values() if one["topic"] in topics and (not steps or one["step"] in steps)]
            found = [one for one in fitting if self._claimable(one)]
            return 200, {"elements": found[: int(query["count"][0])], "paging": {}}
        if path == "/api/packageReadings":
            self.readings += body.get("readings", {}).get("readings", [])
            return 200, {"elements": self.packages, "value": len(self.readings)}
        job_id = urllib.parse.unquote(path.removeprefix("/api/jobs/"))
        if job_id not in self.jobs:
            return 404, {"message": f"no job {job_id}"}
        match query.get("action"):
            case ["claim"]:
                return self._claim(self.jobs[job_id])
            case ["heartbeat"]:
                return self._heartbeat(job_id, body["claim"])
            case ["note"]:
                return self._note(job_id, body["claim"], body["facts"])
            case ["complete"]:
                return self._complete(job_id, body["claim"], body["result"])
        return 400, {"message": "no such action"}

    def _claimable(self, one: dict[str, Any]) -> bool:
        ends = self.claims.get(one["id"], ("", 0.0))[1]
        return one["id"] not in self.results and time.monotonic() > ends + (MARGIN_SECONDS if ends else 0)

    def _claim(self, one: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if not self._claimable(one):
            return 409, {"message": "somebody has it"}
        one["attempt"] += 1
        one["state"] = "Claimed"
        claim = secrets.token_hex(8)
        self.claims[one["id"]] = (claim, time.monotonic() + self.lease_seconds)
        hold = int(one["grant"].removeprefix("g") or 0)
        token = f"1.{hold}.{one['round']}.{one['attempt']}"
        claimed = {"job": one, "claim": claim, "attempt": one["attempt"], "token": token, "leaseSeconds": self.lease_seconds}
        return 200, {"value": claimed}

    def _heartbeat(self, job_id: str, claim: str) -> tuple[int, dict[str, Any]]:
        if self.claims[job_id][0] != claim or time.monotonic() > self.claims[job_id][1]:
            return 409, {"message": "stale claim"}
        self.claims[job_id] = (claim, time.monotonic() + self.lease_seconds)
        return 200, {"value": self.lease_seconds}

    def _note(self, job_id: str, claim: str, facts: dict[str, str]) -> tuple[int, dict[str, Any]]:
        if self.claims[job_id][0] != claim:
            return 409, {"message": "stale claim"}
        one = self.jobs[job_id]
        one["facts"] = {**one.get("facts", {}), **facts}
        return 200, {"value": True}

    def _complete(self, job_id: str, claim: str, result: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if job_id in self.results:
            return (200, {}) if self.results[job_id] == result and self.claims[job_id][0] == claim else (409, {"message": "ended"})
        if self.claims[job_id][0] != claim:
            return 409, {"message": "stale claim"}
        self.results[job_id] = result
        self.jobs[job_id]["state"] = result["outcome"]
        return 200, {}


def token_file(directory: Path) -> Path:
    file = directory / "token"
    file.write_text("secret\n")
    return file


def _listed(query: dict[str, list[str]], name: str) -> list[str]:
    return [word for one in query.get(name, []) for word in one.removeprefix("List(").removesuffix(")").split(",")]
