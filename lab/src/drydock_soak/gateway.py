"""etcd's JSON gateway, reached from outside the namespace it is in."""

from __future__ import annotations

import base64
import contextlib
import ctypes
import http.client
import json
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CLONE_NEWNET = 0x40000000


class Unreachable(Exception):
    """The member gave no answer."""


class Gateway:
    """One member. Every call has a connection of its own and a time-out."""

    def __init__(self, namespace: str, address: str, port: int) -> None:
        self._namespace, self._address, self._port = namespace, address, port

    def call(self, path: str, body: dict[str, Any], seconds: float = 1.0) -> Any:
        try:
            with contextlib.closing(self._request(path, body, seconds)) as answer:
                return json.loads(answer.read())
        except (OSError, ValueError, http.client.HTTPException) as problem:
            raise Unreachable(f"{self._address}{path}: {problem!r}") from problem

    def stream(self, path: str, body: dict[str, Any], seconds: float = 30.0) -> Iterator[Any]:
        """One document after the other, for as long as the caller reads."""
        try:
            with contextlib.closing(self._request(path, body, seconds)) as answer:
                for line in answer:
                    yield json.loads(line)
        except (OSError, ValueError, http.client.HTTPException) as problem:
            raise Unreachable(f"{self._address}{path}: {problem!r}") from problem

    def _request(self, path: str, body: dict[str, Any], seconds: float) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection(self._address, self._port, timeout=seconds)
        connection.sock = _connected(self._namespace, self._address, self._port, seconds)
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        if answer.status != http.client.OK:
            raise Unreachable(f"{self._address}{path}: {answer.status} {answer.read(500)!r}")
        return answer


def encoded(text: str) -> str:
    """As the gateway wants keys and values."""
    return base64.b64encode(text.encode()).decode()


def decoded(text: str) -> str:
    return base64.b64decode(text).decode()


def prefix_end(prefix: str) -> str:
    """The end of the range of all keys with this prefix."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)


def _connected(namespace: str, address: str, port: int, seconds: float) -> socket.socket:
    """A socket belongs to the namespace its thread was in when it was made."""
    found: list[socket.socket | OSError] = []

    def connect() -> None:
        try:
            _enter(namespace)
            found.append(socket.create_connection((address, port), seconds))
        except OSError as problem:
            found.append(problem)

    thread = threading.Thread(target=connect)
    thread.start()
    thread.join()
    if isinstance(found[0], OSError):
        raise found[0]
    return found[0]


def _enter(namespace: str) -> None:
    """The calling thread alone goes there."""
    with (Path("/run/netns") / namespace).open() as place:
        if ctypes.CDLL(None, use_errno=True).setns(place.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), namespace)
