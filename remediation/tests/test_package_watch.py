"""What is installed on hosts is read beside jobs; one odd host holds up no other, and neither does a server that is away."""

from __future__ import annotations

import hashlib
import os
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from drydock_api.client import BoardError
from drydock_remediation import package_watch
from drydock_remediation.board import HttpBoard
from drydock_remediation.framed_output import LOST, Answer
from drydock_remediation.package_reading import SCRIPT, Due, Reading, read_packages, unreadable
from drydock_remediation.package_watch import PackageWatch
from drydock_remediation.settings import SettingsError, Ssh, _read_number

from .hostrun.program import wait_until
from .http_board import HttpBoardServer, token_file

SSH = Ssh("root", Path("key"), Path("known"))


def due(host: str, family: str = "apt", address: str = "10.0.0.1") -> Due:
    return Due(host, address, family, f"0.{host}", 7)


class Hosts:
    """A server with hosts that are due until they are reported."""

    def __init__(self, *hosts: str) -> None:
        self.open = list(hosts)
        self.reported: list[Reading] = []
        self.away = self.deaf = False
        self.error: Exception = BoardError("nobody is there")
        self.failed = 0

    def packages_due(self, seconds: int, limit: int) -> list[Due]:
        self._fail()
        return [due(host) for host in self.open][:limit]

    def report_packages(self, readings: Sequence[Reading]) -> None:
        self._fail(deaf=self.deaf)
        self.reported.extend(readings)
        self.open = [host for host in self.open if host not in self.told()]

    def told(self) -> set[str]:
        return {reading.due.host for reading in self.reported}

    def _fail(self, *, deaf: bool = False) -> None:
        if self.away or deaf:
            self.failed += 1
            raise self.error


Watched = Callable[[Hosts, Callable[[Due], Reading], int], PackageWatch]


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    """Starts watches, and ends them with the test."""
    monkeypatch.setattr(package_watch, "TICK_SECONDS", 0.02)
    stopping = threading.Event()
    threads: list[threading.Thread] = []

    def start(board: Hosts, read: Callable[[Due], Reading], at_once: int) -> PackageWatch:
        watch = PackageWatch(board, read, 0, at_once, stopping)
        threads.append(threading.Thread(target=watch.run))
        threads[-1].start()
        return watch

    yield start
    stopping.set()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()


def good(one: Due) -> Reading:
    return Reading(one, "a" * 64)


def test_a_host_that_does_not_answer_holds_up_no_other(watched: Watched) -> None:
    hosts, gate = Hosts("odd", *(f"h{number}" for number in range(40))), threading.Event()

    def read(one: Due) -> Reading:
        if one.host == "odd":
            gate.wait(20)
            return unreadable(one, "no end within 20 s")
        return good(one)

    watched(hosts, read, 2)
    wait_until(lambda: len(hosts.told()) == 40, "all the others are told")
    assert "odd" not in hosts.told()
    gate.set()
    wait_until(lambda: "odd" in hosts.told(), "it is told, too")
    assert next(reading.fault for reading in hosts.reported if reading.due.host == "odd") == "no end within 20 s"


def test_control_who_reads_one_after_the_other_waits_for_the_odd_one(watched: Watched) -> None:
    hosts, gate, begun = Hosts("odd", "h1"), threading.Event(), threading.Event()

    def read(one: Due) -> Reading:
        begun.set()
        gate.wait(20)
        return good(one)

    watched(hosts, read, 1)
    assert begun.wait(10)
    assert hosts.told() == set()
    gate.set()
    wait_until(lambda: hosts.told() == {"odd", "h1"}, "both are told")


def test_no_more_are_read_at_once_than_allowed(watched: Watched) -> None:
    hosts, lock, gate = Hosts(*(f"h{number}" for number in range(12))), threading.Lock(), threading.Event()
    now, most = [0], [0]

    def read(one: Due) -> Reading:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
            if now[0] == 3:
                gate.set()
        gate.wait(10)
        with lock:
            now[0] -= 1
        return good(one)

    watched(hosts, read, 3)
    wait_until(lambda: len(hosts.told()) == 12, "all are told")
    assert most == [3]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_operator_that_fails_over_one_host_reads_the_others(watched: Watched) -> None:
    hosts = Hosts("odd", "h1", "h2")

    def read(one: Due) -> Reading:
        if one.host == "odd":
            raise RuntimeError
        return good(one)

    watched(hosts, read, 1)
    wait_until(lambda: hosts.told() == {"odd", "h1", "h2"}, "all are told")
    assert {reading.due.host for reading in hosts.reported if reading.fault} == {"odd"}


@pytest.mark.parametrize("error", [BoardError("nobody is there"), ValueError("an answer that nobody understands")])
def test_a_server_that_is_away_is_asked_again_later(watched: Watched, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    monkeypatch.setattr(package_watch, "PAUSE_SECONDS_MAX", 0.02)
    hosts, reads = Hosts("h1"), threading.Semaphore(0)
    hosts.error = error

    def read(one: Due) -> Reading:
        reads.release()
        return good(one)

    hosts.away = True
    watched(hosts, read, 1)
    wait_until(lambda: hosts.failed >= 2, "it was asked in vain")
    hosts.away, hosts.deaf = False, True
    assert reads.acquire(timeout=10)
    assert reads.acquire(timeout=10), "what could not be reported is read again"
    assert hosts.told() == set()
    hosts.deaf = False
    wait_until(lambda: hosts.told() == {"h1"}, "it is told")


def test_the_wire(tmp_path: Path) -> None:
    with HttpBoardServer() as server:
        board = HttpBoard(server.url, token_file(tmp_path))
        server.packages.append({"host": "h1", "address": "10.0.0.1", "osFamily": "dnf", "stamp": "1.2", "askedAt": 5})
        server.packages.append({"host": "odd"})
        (found,) = board.packages_due(30, 8)
        assert found == Due("h1", "10.0.0.1", "dnf", "1.2", 5)
        board.report_packages([Reading(found, "a" * 64)])
        assert server.readings == [{"host": "h1", "stamp": "1.2", "askedAt": 5, "digest": "a" * 64, "fault": ""}]
    assert server.requests == ["GET /api/packageReadings?q=due&seconds=30&count=8", "POST /api/packageReadings?action=report"]


def test_hosts_that_cannot_be_read_are_told_with_why(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter((Answer(LOST, "", "no end\x07 within\n20 s"), Answer(127, "", "nice: dpkg-query: not found"), Answer(0, "motd", "")))
    monkeypatch.setattr("drydock_remediation.package_reading.ask", lambda *_: next(answers))
    assert read_packages(SSH, due("h1")) == Reading(due("h1"), "", "no end within 20 s")
    assert read_packages(SSH, due("h1")).fault == "code 127: nice: dpkg-query: not found"
    assert read_packages(SSH, due("h1")).fault == "code 0: motd"
    assert read_packages(SSH, due("h1", "apk")).fault == "its package family 'apk' is none of apt, dnf"
    assert "never given to ssh" in read_packages(SSH, due("h1", address="-oProxyCommand=x")).fault
    assert len(unreadable(due("h1"), "x" * 999).fault) == 200
    assert unreadable(due("h1"), "\n").fault == "it did not say why"


def digest(tmp_path: Path, listing: str, code: int = 0) -> subprocess.CompletedProcess[bytes]:
    program = tmp_path / "query"
    program.write_text(f"#!/bin/sh\nprintf '{listing}'\nexit {code}\n")
    program.chmod(0o755)
    environment = {"PATH": os.environ["PATH"]}
    return subprocess.run(["sh", "-c", SCRIPT, "packages", str(program)], capture_output=True, env=environment, check=False, timeout=20)


def test_the_number_is_of_what_is_installed_in_whatever_order(tmp_path: Path) -> None:
    told = digest(tmp_path, "installed b:all 2\\ninstalled a:all 1\\nconfig-files c:all 1\\ninstalled gpg-pubkey.(none) 1\\n").stdout
    assert told.decode() == f"{hashlib.sha256(b'a:all 1' + chr(10).encode() + b'b:all 2' + chr(10).encode()).hexdigest()}  -\n"
    assert digest(tmp_path, "installed a:all 1\\nunpacked b:all 2\\n").stdout == told, "half way is there"
    assert digest(tmp_path, "installed a:all 1\\ninstalled b:all 3\\n").stdout != told
    assert digest(tmp_path, "installed a:all 1\\n").stdout != told


def test_a_query_that_fails_or_finds_nothing_gives_none(tmp_path: Path) -> None:
    assert digest(tmp_path, "installed a:all 1\\n", code=2).stdout == b""
    empty = digest(tmp_path, "")
    assert (empty.stdout, empty.stderr, empty.returncode) == (b"", b"no package is installed\n", 1)


def test_settings_out_of_bounds_are_refused_by_name() -> None:
    name = "DRYDOCK_PACKAGE_WATCH_SECONDS"
    assert (_read_number({}, name, 30, (0, 3600)), _read_number({name: "0"}, name, 30, (0, 3600))) == (30, 0)
    for text in ("-1", "3601", "soon"):
        with pytest.raises(SettingsError, match=f"{name} must be a whole number from 0 to 3600, not '{text}'"):
            _read_number({name: text}, name, 30, (0, 3600))
