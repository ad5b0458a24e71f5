"""Users who never leave a host alone: its drain does not end."""

import contextlib
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from fleet import Fleet, apply

PORT = 8101  # Of the application web, which every host of the lab carries.
REQUEST_MILLIS = 1500


class EndlessRequests:
    """So many that one of them always has a request open. They ask the host itself, past the balancer."""

    def __init__(self, fleet: Fleet, host: str) -> None:
        self.url = f"http://{fleet.lab.addresses()[host]}:{PORT}/?ms={REQUEST_MILLIS}"
        self.answered = 0
        self.cut = 0
        self.gone = threading.Event()
        self.users = [threading.Thread(target=self.use, args=(delay,)) for delay in (0, REQUEST_MILLIS / 3000, REQUEST_MILLIS / 1500)]
        for user in self.users:
            user.start()

    def use(self, delay: float) -> None:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        self.gone.wait(delay)
        while not self.gone.is_set():
            try:
                with opener.open(self.url, timeout=30) as answer:
                    answer.read()
                self.answered += 1
            except OSError:
                self.cut += 1
                self.gone.wait(0.2)

    def leave(self) -> None:
        """They finish what they have open, and do not come back."""
        self.gone.set()
        for user in self.users:
            user.join(40)


@contextlib.contextmanager
def crowd(fleet: Fleet, host: str) -> Iterator[EndlessRequests]:
    users = EndlessRequests(fleet, host)
    try:
        yield users
    finally:
        users.leave()


def drains_end(fleet: Fleet, folder: Path, web: str) -> None:
    """Policies that give up on a drain within seconds; what becomes of the host then is said by that of web."""
    policies = sorted(folder.glob("*.yaml"))
    for path in policies:
        more = f", {web}" if path.stem == "web" else ""
        path.write_text(f"{path.read_text()}  drain: {{timeout: 6s{more}}}\n")
    apply(fleet, *policies)
