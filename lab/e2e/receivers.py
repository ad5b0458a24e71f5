"""Two ends of a team's notifications: a receiver of its own on loopback, and the command that posts to it."""

import contextlib
import hashlib
import hmac
import http.server
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fleet import Fleet


class Receiver:
    """Takes whatever is posted, and keeps it with the time at which all of it was there."""

    def __init__(self) -> None:
        self.taken: list[dict[str, Any]] = []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        taken = self.taken

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                signature = self.headers.get("Drydock-Signature", "")
                taken.append({"received": time.time(), "signature": signature, "body": body, **json.loads(body)})
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Tests print what matters."""

        return Handler

    def told(self, rollout: str) -> list[str]:
        """What was told, as "Event host", in the order of its first arrival: a quarantine is told of the lock and of the host."""
        return list(dict.fromkeys(f"{one['event']} {one.get('host', '')}" for one in self.taken if one.get("rollout") == rollout))


@contextlib.contextmanager
def receiver() -> Iterator[Receiver]:
    one = Receiver()
    try:
        yield one
    finally:
        one.server.shutdown()
        one.server.server_close()


@contextlib.contextmanager
def delivering(fleet: Fleet, principal: str, name: str, to: Receiver, secret: Path) -> Iterator[None]:
    """The command that posts, which may not end by itself; killed at the end, as a machine that dies kills it."""
    state = fleet.instance.state
    environment = {**os.environ, "DRYDOCK_URL": fleet.server.url, "DRYDOCK_TOKEN_FILE": str(state / "token" / principal)}
    command = [str(fleet.instance.root / "cli" / "drydock"), "subscription", "deliver", name, "--to", to.url, "--secret-file", str(secret)]
    with (state / "run" / f"deliver-{principal}.log").open("ab") as log:
        program = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        yield
        assert program.poll() is None, f"it ended by itself: {Path(log.name).read_text()}"
    finally:
        program.send_signal(signal.SIGKILL)
        program.wait(timeout=30)


def is_signed(one: dict[str, Any], secret: str) -> bool:
    """By what the documents say of the header, and nothing of the code that makes it."""
    header = dict(part.split("=", 1) for part in one["signature"].split(","))
    signed = hmac.new(secret.encode(), f"{header['t']}.".encode() + one["body"], hashlib.sha256).hexdigest()
    return hmac.compare_digest(signed, header["v1"]) and abs(one["received"] - int(header["t"])) < 60
