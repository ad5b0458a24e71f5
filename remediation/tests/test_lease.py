"""A lease ends here no later than on the board, whatever happens to requests, threads and clocks."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable

import pytest

from drydock_api.client import BoardError
from drydock_remediation.lease import Lease
from drydock_remediation.records import Claim

from .fakes import FakeBoard, job
from .hostrun.program import wait_until

ASKED_AT = 1000.0


class Clock:
    def __init__(self) -> None:
        self.now = ASKED_AT

    def __call__(self) -> float:
        return self.now


def leased(seconds: int = 15, board: FakeBoard | None = None) -> tuple[Lease, Clock, FakeBoard]:
    clock, board = Clock(), board or FakeBoard(lease_seconds=seconds)
    return Lease(board, Claim(job(), "c", 1, "1.1.1.1", seconds, ASKED_AT), clock), clock, board


def test_counts_from_before_the_claim_was_sent() -> None:
    lease, clock, _ = leased(15)
    clock.now = ASKED_AT + 14.9
    assert lease.valid()
    clock.now = ASKED_AT + 15.0
    assert not lease.valid()


def test_needs_no_thread_to_notice_its_end() -> None:
    """A program that was stopped past its lease and goes on has run none of its threads yet."""
    lease, clock, _ = leased(15)
    clock.now = ASKED_AT + 3600
    assert not lease.valid()


def test_is_not_revived_once_lost() -> None:
    lease, clock, _ = leased(15)
    clock.now = ASKED_AT + 16
    assert not lease.valid()
    lease._renew()
    clock.now = ASKED_AT + 1
    assert not lease.valid()


def test_renewal_counts_from_before_the_heartbeat_was_sent() -> None:
    class SlowBoard(FakeBoard):
        def heartbeat(self, job: str, claim: str, seconds: float) -> int:
            clock.now += 4
            return super().heartbeat(job, claim, seconds)

    lease, clock, _ = leased(15, SlowBoard(lease_seconds=15))
    clock.now = ASKED_AT + 5
    lease._renew()
    clock.now = ASKED_AT + 5 + 14.9
    assert lease.valid()
    clock.now = ASKED_AT + 5 + 15
    assert not lease.valid()


def test_a_heartbeat_answered_after_the_end_revives_nothing() -> None:
    class TooSlowBoard(FakeBoard):
        def heartbeat(self, job: str, claim: str, seconds: float) -> int:
            clock.now += 20
            return 15

    lease, clock, _ = leased(15, TooSlowBoard())
    lease._renew()
    assert not lease.valid()


def test_a_refused_heartbeat_ends_it_at_once() -> None:
    lease, _, board = leased(15)
    board.lost.add(job().id)
    lease._renew()
    assert not lease.valid()


def test_what_the_board_does_not_keep_is_not_taken_for_noted() -> None:
    lease, _, board = leased(15)
    board.errors = [BoardError("no answer")]
    assert not lease.note({"a": "b"})
    assert lease.valid(), "it may be asked again"
    assert lease.note({"a": "b"})
    assert board.notes == {"a": "b"}
    board.errors = [BoardError("no such action", 400)]
    with pytest.raises(BoardError):
        lease.note({"a": "c"})
    assert lease.valid(), "a board of an older version, which knows the claim all the same"
    board.lost.add(job().id)
    assert not lease.note({"a": "c"})
    assert not lease.valid()


def test_an_unanswered_heartbeat_is_repeated_within_the_lease() -> None:
    board = FakeBoard(job(), lease_seconds=3)
    claim = board.claim(job().id, "me")
    assert claim
    board.errors = [BoardError("no answer"), BoardError("503", 503)]
    lease = Lease(board, claim).start()
    wait_until(lambda: len(board.beats) >= 3, "repeated until it was answered")
    assert lease.valid()
    lease.stop()


def test_a_lease_of_its_own_thread_ends_when_the_board_is_gone() -> None:
    class DeadBoard(FakeBoard):
        def heartbeat(self, job: str, claim: str, seconds: float) -> int:
            raise BoardError("no answer")

    board = DeadBoard(job(), lease_seconds=1)
    claim = board.claim(job().id, "me")
    assert claim
    lease = Lease(board, claim).start()
    wait_until(lambda: not lease.valid(), "lost")
    wait_until(lambda: not any(thread.name == f"lease {job().id}" for thread in threading.enumerate()), "its thread ended")


def test_waits_for_a_heartbeat_no_longer_than_the_lease_lasts() -> None:
    waited: list[float] = []

    class NotingBoard(FakeBoard):
        def heartbeat(self, job: str, claim: str, seconds: float) -> int:
            waited.append(seconds)
            return 15

    lease, clock, _ = leased(15, NotingBoard())
    clock.now = ASKED_AT + 12
    lease._renew()
    assert waited == [3.0]


def test_control_a_lease_that_counts_from_the_answer_is_caught() -> None:
    """The same check as above fails for a claim whose time was taken after the answer."""

    def ends_in_time(asked_at: float) -> bool:
        clock = Clock()
        claim = dataclasses.replace(Claim(job(), "c", 1, "1.1.1.1", 15, ASKED_AT), asked_at=asked_at)
        lease = Lease(FakeBoard(), claim, clock)
        clock.now = ASKED_AT + 15
        return not lease.valid()

    check: Callable[[float], bool] = ends_in_time
    assert check(ASKED_AT)
    assert not check(ASKED_AT + 4)
