"""Where the clients' effects on hosts happen: a server on a socket that compares tokens, and remembers everything."""

from __future__ import annotations

import math
import socketserver
import threading
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Effect:
    """One attempt to do something to a host, in the order in which they came."""

    at: int
    host: str
    token: int
    id: str
    accepted: bool
    client: str = ""


class Register:
    """Refuses a token lower than the highest seen for the host; unfenced, for a control, it takes every effect."""

    def __init__(self, path: Path, fenced: bool = True) -> None:
        self.effects: list[Effect] = []
        self._fenced = fenced
        self._highest: dict[str, int] = {}
        self._lock = threading.Lock()
        register = self

        class Connection(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                for line in self.rfile:
                    host, token, lock_id, client = line.decode().split()
                    self.wfile.write(b"done\n" if register.effect(host, int(token), lock_id, client) else b"stale\n")

        path.unlink(missing_ok=True)
        self._server = _Server(str(path), Connection)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def effect(self, host: str, token: int, lock_id: str, client: str = "") -> bool:
        with self._lock:
            accepted = not self._fenced or token >= self._highest.get(host, 0)
            if accepted:
                self._highest[host] = max(token, self._highest.get(host, 0))
            self.effects.append(Effect(time.monotonic_ns(), host, token, lock_id, accepted, client))
            return accepted

    def hosts_by_process(self, since: int) -> dict[str, set[str]]:
        """On which hosts the clients of each process have acted of late."""
        found: dict[str, set[str]] = defaultdict(set)
        with self._lock:
            for effect in reversed(self.effects):
                if effect.at < since:
                    break
                found[effect.client.partition("-")[0]].add(effect.host)
        return found

    def clients(self, since: int, until: float = math.inf) -> set[str]:
        """Who acted in that time."""
        with self._lock:
            return {effect.client for effect in self.effects if since <= effect.at <= until}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256
