"""What the stack must know of a process to run it."""

import abc
import json
import signal
import socket
import urllib.error
import urllib.request
from pathlib import Path

from drydock_stack.instance import Instance
from drydock_stack.processes import Process


class Service(abc.ABC):
    """One process of the stack.

    Calls in order: ``build`` (slow, shared by checkouts), ``prepare`` (its data and configuration), ``command``,
    then ``is_ready`` until it is true, then ``complete``. Each may be called again after a crash at any point.
    """

    name: str
    ports: tuple[str, ...] = ()
    ready_seconds: float = 60
    stop_signal: signal.Signals = signal.SIGTERM
    stop_seconds: float = 30

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.process = Process(instance.state, self.name)

    @property
    def state(self) -> Path:
        return self.instance.state

    def port(self, name: str) -> int:
        return self.instance.port(name)

    def build(self) -> None:  # noqa: B027 - most services need no build
        """Makes its programs available."""

    def prepare(self) -> None:  # noqa: B027 - most services need no preparation
        """Writes its configuration and creates its data if they are missing."""

    @abc.abstractmethod
    def command(self) -> list[str]:
        """The program and its arguments."""

    def environment(self) -> dict[str, str]:
        """Variables it gets beside those of the caller (DRYDOCK_CRASH_AT, for one, is passed through)."""
        return {}

    @abc.abstractmethod
    def is_ready(self) -> bool:
        """Whether it does its work now; never raises and answers within two seconds."""

    def complete(self) -> None:  # noqa: B027 - most services are complete when ready
        """What can only be done while it runs."""


def http_json(url: str, body: object = None, seconds: float = 2) -> tuple[int, object]:
    """One HTTP call on loopback: status and decoded answer; status 0 when there was no answer."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    # No proxy of the environment may come between: everything here is on this machine.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=seconds) as answer:
            return answer.status, _decode(answer.read())
    except urllib.error.HTTPError as refused:
        return refused.code, _decode(refused.read())
    except (OSError, ValueError):
        return 0, None


def accepts(port: int) -> bool:
    """Whether something listens on this loopback port."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


def _decode(data: bytes) -> object:
    try:
        return json.loads(data)
    except ValueError:
        return data.decode(errors="replace")
