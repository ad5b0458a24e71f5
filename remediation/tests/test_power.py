"""A host is switched off and on once per round, by an operator that can; who cannot leaves it to others."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from drydock_remediation.board import boot_clock
from drydock_remediation.operator import Operator
from drydock_remediation.power import LabPower, PowerError, PowerState, power_cycle
from drydock_remediation.records import Claim, Job, Outcome, Repair, Step
from drydock_remediation.settings import Settings, SettingsError, read_settings

from .fakes import FakeBoard, ScriptedPlayer, all_good, job
from .test_operator import SETTINGS


class FakePower:
    def __init__(self, state: PowerState, *, error: PowerError | None = None) -> None:
        self.now = state
        self.error = error
        self.cycled: list[str] = []

    def state(self, host: str) -> PowerState:
        return self.now

    def cycle(self, host: str) -> None:
        if self.error:
            raise self.error
        self.cycled.append(host)


def cycle_job(diagnosed: str = "old") -> Job:
    known = {"diagnosis.bootId": diagnosed} if diagnosed else {}
    return job("h02", Step.REPAIR, repair=Repair.POWER_CYCLE, facts=known)


def claim(attempt: int, diagnosed: str = "old") -> Claim:
    return Claim(cycle_job(diagnosed), "secret", attempt, f"1.17.3.{attempt}", 30, boot_clock())


def test_the_first_attempt_switches_it_off_and_on() -> None:
    power = FakePower(PowerState(True, "old"))
    assert power_cycle(power, claim(1)).outcome is Outcome.DONE
    assert power.cycled == ["h02"]


@pytest.mark.parametrize(
    ("found", "diagnosed", "outcome", "cycled"),
    [
        (PowerState(True, "new"), "old", Outcome.DONE, []),  # the attempt before did it and died
        (PowerState(True, "old"), "old", Outcome.DONE, ["h02"]),  # it died before
        (PowerState(False, ""), "old", Outcome.DONE, ["h02"]),  # it died between off and on
        (PowerState(True, ""), "old", Outcome.UNKNOWN, []),  # nobody can tell
        (PowerState(True, "new"), "", Outcome.UNKNOWN, []),
    ],
)
def test_a_later_attempt_looks_first(found: PowerState, diagnosed: str, outcome: Outcome, cycled: list[str]) -> None:
    power = FakePower(found)
    assert power_cycle(power, claim(2, diagnosed)).outcome is outcome
    assert power.cycled == cycled


@pytest.mark.parametrize(("sent", "outcome"), [(True, Outcome.UNKNOWN), (False, Outcome.FAILED)])
def test_what_the_controller_did_not_confirm_is_not_called_done(sent: bool, outcome: Outcome) -> None:
    power = FakePower(PowerState(True, "old"), error=PowerError("no route", sent=sent))
    result = power_cycle(power, claim(1))
    assert (result.outcome, "no route" in result.message) == (outcome, True)


def operate(board: FakeBoard, settings: Settings, power: FakePower | None) -> None:
    operator = Operator(board, ScriptedPlayer(all_good), settings, threading.Event(), power=power)
    operator.take()
    operator.join()


def test_only_an_operator_that_controls_power_takes_such_jobs() -> None:
    wanted, power = cycle_job(), FakePower(PowerState(True, "old"))
    board = FakeBoard(wanted)
    operate(board, SETTINGS, None)
    assert list(board.open) == [wanted.id]
    operate(board, Settings(**{**SETTINGS.__dict__, "power": "http://lab"}), power)
    assert board.results[wanted.id].outcome is Outcome.DONE
    assert power.cycled == ["h02"]


def test_a_setting_that_is_no_url_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: pytest.TempPathFactory) -> None:
    file = tmp_path / "file"  # type: ignore[operator]
    file.write_text(json.dumps({"user": "root", "keyFile": str(file), "knownHostsFile": str(file)}))
    environment = {"DRYDOCK_URL": "http://x", "DRYDOCK_TOKEN_FILE": str(file), "DRYDOCK_SSH_CONFIG": str(file)}
    assert read_settings(environment).topics == ("host/PackageUpdate",)
    assert read_settings({**environment, "DRYDOCK_POWER_URL": "http://lab:1/"}).topics == ("host/PackageUpdate", "host/PowerCycle")
    with pytest.raises(SettingsError, match="DRYDOCK_POWER_URL must be an http"):
        read_settings({**environment, "DRYDOCK_POWER_URL": "lab:1"})


@contextmanager
def lab(status: int, answer: object) -> Iterator[tuple[LabPower, list[str]]]:
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            asked.append(f"{self.command} {self.path} {body}".strip())
            text = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = answer  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield LabPower(f"http://127.0.0.1:{server.server_port}"), asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_the_lab_is_asked_in_its_own_words() -> None:
    with lab(200, {"power": "on", "bootId": "b"}) as (power, asked):
        assert power.state("h02") == PowerState(True, "b")
        power.cycle("h02")
    assert asked == ["GET /hosts/h02", 'POST /hosts/h02/power {"action": "reset"}']


@pytest.mark.parametrize(("status", "sent"), [(404, False), (500, True)])
def test_a_no_of_the_lab_is_an_error_with_its_words(status: int, sent: bool) -> None:
    with lab(status, {"message": "no host h02"}) as (power, _), pytest.raises(PowerError, match="no host h02") as error:
        power.cycle("h02")
    assert error.value.sent is sent
