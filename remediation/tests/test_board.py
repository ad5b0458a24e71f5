"""The wire format, against a small server that speaks it."""

from __future__ import annotations

from pathlib import Path

import pytest

from drydock_api.client import BoardError
from drydock_remediation.board import HttpBoard
from drydock_remediation.boot_clock import boot_clock
from drydock_remediation.records import Outcome, Result, Step

from .http_board import HttpBoardServer, job, token_file

RELEASE = {"name": "2", "channel": "http://10.0.0.1/apt/v2", "packages": {"fleet-os": "2.0"}, "kernel": "6.2"}
TOPIC = ("host/PackageUpdate",)


def test_a_job_goes_from_claimable_to_completed(tmp_path: Path) -> None:
    with HttpBoardServer() as server:
        server.publish(job(17, "Health", "h01", "10.0.0.11", RELEASE, facts={"bootIdBefore": "b"}, instances=[{"application": "web"}]))
        board = HttpBoard(server.url + "/", token_file(tmp_path))
        (found,) = board.claimable(TOPIC, [], 5)
        assert (found.step, found.address, found.facts, found.applications) == (Step.HEALTH, "10.0.0.11", {"bootIdBefore": "b"}, ("web",))
        assert found.release
        assert found.release.packages == {"fleet-os": "2.0"}
        before = boot_clock()
        claim = board.claim(found.id, "me")
        assert claim
        assert (claim.attempt, claim.token, claim.lease_seconds) == (1, "1.17.3.1", 6)
        assert before <= claim.asked_at <= boot_clock()
        assert board.claim(found.id, "other") is None
        assert board.claimable(TOPIC, [], 5) == []
        assert board.heartbeat(found.id, claim.claim, 5) == 6
        board.note(found.id, claim.claim, {"noted": "yes"}, 5)
        assert server.jobs[found.id]["facts"] == {"bootIdBefore": "b", "noted": "yes"}
        result = Result(Outcome.DONE, "done", {"a": "b"}, "{}")
        board.complete(found.id, claim.claim, result)
        board.complete(found.id, claim.claim, result)  # the answer to the first may have been lost
        assert server.results[found.id] == {"outcome": "Done", "message": "done", "facts": {"a": "b"}, "evidence": "{}"}
    assert server.requests[0] == "GET /api/jobs?q=claimable&topics=List(host%2FPackageUpdate)&count=5"
    assert server.requests[1] == "POST /api/jobs/g17.Health.h01.3?action=claim"


def test_only_the_steps_that_are_sought_are_asked_for(tmp_path: Path) -> None:
    with HttpBoardServer() as server:
        server.publish(job(1, "Health", "h01", "10.0.0.11", RELEASE), job(2, "Update", "h02", "10.0.0.12", RELEASE))
        board = HttpBoard(server.url, token_file(tmp_path))
        assert [one.host for one in board.claimable(TOPIC, [Step.HEALTH, Step.VERIFY], 5)] == ["h01"]
    assert server.requests == ["GET /api/jobs?q=claimable&topics=List(host%2FPackageUpdate)&steps=List(Health,Verify)&count=5"]


def test_a_job_it_does_not_understand_hides_no_other(tmp_path: Path) -> None:
    with HttpBoardServer() as server:
        server.publish(job(1, "Reimage", "h01", "10.0.0.11", RELEASE), job(2, "Update", "h02", "10.0.0.12", RELEASE))
        assert [one.host for one in HttpBoard(server.url, token_file(tmp_path)).claimable(TOPIC, [], 5)] == ["h02"]


def test_an_answer_that_makes_no_sense_is_an_error_and_not_a_crash(tmp_path: Path) -> None:
    with HttpBoardServer() as server:
        server.publish(job(1, "Update", "h01", "10.0.0.11", RELEASE))
        board = HttpBoard(server.url, token_file(tmp_path))
        server.lease_seconds = None  # type: ignore[assignment]
        server.errors = [200]
        with pytest.raises(BoardError, match="not understood"):
            board.claim("g1.Update.h01.3", "me")
        server.errors = [200]
        with pytest.raises(BoardError, match="not understood"):
            board.heartbeat("g1.Update.h01.3", "c", 1)
        (tmp_path / "token").unlink()
        with pytest.raises(BoardError):
            board.claimable(TOPIC, [], 1)


@pytest.mark.parametrize(("status", "retryable"), [(500, True), (503, True), (429, True), (409, False), (401, False), (404, False)])
def test_errors_say_whether_asking_again_makes_sense(status: int, retryable: bool, tmp_path: Path) -> None:
    with HttpBoardServer() as server:
        server.errors = [status]
        with pytest.raises(BoardError, match="planned by the test") as caught:
            HttpBoard(server.url, token_file(tmp_path)).claimable(TOPIC, [], 1)
        assert (caught.value.status, caught.value.retryable) == (status, retryable)


def test_no_answer_is_an_error_that_may_be_retried(tmp_path: Path) -> None:
    with HttpBoardServer() as server:
        board = HttpBoard(server.url, token_file(tmp_path))
        server.deaf = True
        with pytest.raises(BoardError) as caught:
            board.claimable(TOPIC, [], 1)
        assert caught.value.retryable
    with pytest.raises(BoardError) as caught:
        board.claimable(TOPIC, [], 1)
    assert caught.value.retryable


def test_a_wrong_token_is_refused(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("wrong")
    with HttpBoardServer() as server, pytest.raises(BoardError) as caught:
        HttpBoard(server.url, tmp_path / "token").claimable(TOPIC, [], 1)
    assert caught.value.status == 401
