"""The application of the lab ends gracefully; without that no drain could be without loss."""

import http.client
import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from drydock_lab.golden_image import RESOURCES


@pytest.fixture
def application() -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, str(RESOURCES / "application.py"), "web", str(port)])
    try:
        wait_for(lambda: listens(port))
        yield process, port
    finally:
        process.kill()
        process.wait()


def test_health_says_who_it_is_and_counts_open_requests(application: tuple[subprocess.Popen[bytes], int]) -> None:
    _, port = application
    assert health(port)["open"] == 0
    assert health(port)["bootId"] == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    slow = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    slow.request("GET", "/?ms=1500")
    wait_for(lambda: health(port)["open"] == 1)
    assert (health(port)["application"], health(port)["ready"]) == ("web", True)
    assert slow.getresponse().read()
    wait_for(lambda: health(port)["open"] == 0)


def test_on_term_it_refuses_new_connections_and_finishes_open_requests(application: tuple[subprocess.Popen[bytes], int]) -> None:
    process, port = application
    idle = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    idle.request("GET", "/")
    assert idle.getresponse().read()
    slow = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    slow.request("GET", "/?ms=1500")
    wait_for(lambda: health(port)["open"] == 1)
    process.send_signal(signal.SIGTERM)
    wait_for(lambda: not listens(port))
    assert process.poll() is None, "it waits for the open request"
    answer = slow.getresponse()
    assert (answer.status, len(answer.read())) == (200, int(answer.headers["Content-Length"]))
    assert process.wait(10) == 0


def test_killed_in_the_middle_it_leaves_a_truncated_body(application: tuple[subprocess.Popen[bytes], int]) -> None:
    process, port = application
    slow = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    slow.request("GET", "/?ms=5000")
    answer = slow.getresponse()
    threading.Timer(0.1, process.kill).start()
    with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
        answer.read()


@pytest.mark.parametrize(("path", "status"), [("/?ms=x", 400), ("/?ms=99999999", 400), ("/nowhere", 404)])
def test_bad_requests_are_refused(application: tuple[subprocess.Popen[bytes], int], path: str, status: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", application[1], timeout=10)
    connection.request("GET", path)
    assert connection.getresponse().status == status


def health(port: int) -> dict[str, object]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", "/health", headers={"Connection": "close"})
    return dict(json.loads(connection.getresponse().read()))


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_for(condition: object) -> None:
    assert callable(condition)
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
