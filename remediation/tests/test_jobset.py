"""A job set carries each of its hosts to a result, and stops acting where it may not act any more."""

from __future__ import annotations

import dataclasses
import json
import threading
import time
from collections.abc import Callable, Iterator

from drydock_api.client import BoardError
from drydock_remediation.jobset import PLAYS_MAX, ClaimedWork, JobSet
from drydock_remediation.lease import Lease
from drydock_remediation.player import TaskReport
from drydock_remediation.records import Claim, Outcome, Step
from drydock_remediation.settings import Waits
from drydock_remediation.task_reports import TaskReports

from .fakes import RELEASE, FakeBoard, ScriptedPlayer, all_good, facts, good_update, job
from .hostrun.program import wait_until

Stop = Callable[[], bool]


def work_set(board: FakeBoard, player: ScriptedPlayer, step: Step = Step.UPDATE, stopping: threading.Event | None = None) -> JobSet:
    work = []
    for one in board.claimable(["host/PackageUpdate"], [], 99):
        claim = board.claim(one.id, "me")
        assert claim
        work.append(ClaimedWork(claim, Lease(board, claim).start()))
    return JobSet(board, player, step, work, stopping or threading.Event())


def silent(claims: list[Claim], stop: Stop) -> Iterator[TaskReport]:
    yield from ()


def until_stopped(claims: list[Claim], stop: Stop) -> Iterator[TaskReport]:
    """A play that hangs on one of its hosts."""
    give_up = time.monotonic() + 20
    while not stop() and time.monotonic() < give_up:
        time.sleep(0.01)
    yield from ()


def test_every_host_of_the_set_gets_its_result() -> None:
    board, player = FakeBoard(job("h01"), job("h02")), ScriptedPlayer(all_good)
    work_set(board, player).run()
    assert {one.outcome for one in board.results.values()} == {Outcome.DONE}
    assert sorted(board.results) == ["g17.Update.h01.3", "g17.Update.h02.3"]
    assert player.played == [(Step.UPDATE, ["h01", "h02"])]


def test_whom_an_update_waits_for_is_noted_while_it_waits() -> None:
    """Control: where nobody works, nothing is."""
    other = json.dumps([{"what": "dpkg's lock", "pid": 7, "command": "dpkg -i own.deb", "seconds": 75}])
    for said, noted in ((other, {"waitsFor": "dpkg -i own.deb (pid 7, for 75 s) has dpkg's lock"}), ("[]", {}), ("welcome", {})):
        board = FakeBoard(job("h01"))

        def waits(
            _: list[Claim], stop: Stop, said: str = said, board: FakeBoard = board, noted: dict[str, str] = noted
        ) -> Iterator[TaskReport]:
            yield TaskReport("h01", "others", TaskReports("ok", 0, said))
            wait_until(lambda: board.notes == noted, "it is noted")
            yield from good_update("h01")

        work_set(board, ScriptedPlayer(waits)).run()
        assert (board.notes, len(board.results)) == (noted, 1)


def test_a_host_that_is_through_does_not_wait_for_the_slow_one() -> None:
    board, seen = FakeBoard(job("h01"), job("h02")), []

    def script(claims: list[Claim], stop: Stop) -> Iterator[TaskReport]:
        yield from good_update("h01")
        seen.append(board.wait_result("g17.Update.h01.3").outcome)
        yield from good_update("h02")

    work_set(board, ScriptedPlayer(script)).run()
    assert seen == [Outcome.DONE]
    assert len(board.results) == 2


def test_hosts_that_were_not_seen_to_the_end_are_played_again() -> None:
    board = FakeBoard(job("h01"), job("h02"))

    def half(claims: list[Claim], stop: Stop) -> Iterator[TaskReport]:
        yield from good_update("h01")
        yield TaskReport("h02", "fence", TaskReports("unreachable", err="connection reset"))

    player = ScriptedPlayer(half, all_good)
    work_set(board, player).run()
    assert player.played == [(Step.UPDATE, ["h01", "h02"]), (Step.UPDATE, ["h02"])]
    assert board.results["g17.Update.h02.3"].outcome is Outcome.DONE


def test_one_answer_that_nobody_understands_stops_no_other_host() -> None:
    """As a plan that is no JSON, of a host whose packages come by dnf."""
    board = FakeBoard(job("h01"), job("h02", family="dnf", release=dataclasses.replace(RELEASE, family="dnf")))

    def script(claims: list[Claim], stop: Stop) -> Iterator[TaskReport]:
        if any(claim.job.host == "h02" for claim in claims):
            yield TaskReport("h02", "fence", TaskReports("ok", 0))
            yield TaskReport("h02", "before", TaskReports("ok", facts=facts(1)))
            yield TaskReport("h02", "simulation", TaskReports("ok", 0, "welcome\n{"))
            yield TaskReport("h02", "end", TaskReports("ok"))
        yield from (report for claim in claims if claim.job.host == "h01" for report in good_update("h01"))

    work_set(board, ScriptedPlayer(script)).run()
    assert board.results["g17.Update.h01.3"].outcome is Outcome.DONE
    odd = board.results["g17.Update.h02.3"]
    assert odd.outcome is Outcome.UNKNOWN and "what it told was not understood" in odd.message


def test_a_host_that_never_answers_is_unknown_after_a_few_plays() -> None:
    board, player = FakeBoard(job("h01")), ScriptedPlayer(silent)
    work_set(board, player).run()
    assert len(player.played) == PLAYS_MAX
    assert board.results["g17.Update.h01.3"].outcome is Outcome.UNKNOWN


def taken_over(board: FakeBoard, player: ScriptedPlayer, clock: Callable[[], float]) -> JobSet:
    claim = board.claim("g17.Update.h01.3", "me")
    assert claim
    again = dataclasses.replace(claim, attempt=2)
    return JobSet(board, player, Step.UPDATE, [ClaimedWork(again, Lease(board, again))], threading.Event(), clock)


def test_a_host_that_may_be_starting_anew_for_a_dead_attempt_gets_the_time_of_a_boot() -> None:
    board, player = FakeBoard(job("h01")), ScriptedPlayer(*[silent] * (PLAYS_MAX + 2), all_good)
    taken_over(board, player, lambda: 0.0).run()
    assert len(player.played) == PLAYS_MAX + 3
    assert board.results["g17.Update.h01.3"].outcome is Outcome.DONE


def test_and_no_more_than_that() -> None:
    board, player = FakeBoard(job("h01")), ScriptedPlayer(silent)
    times = iter([0.0, 10.0, 20.0, Waits().boot + 1.0])
    taken_over(board, player, lambda: next(times)).run()
    assert board.results["g17.Update.h01.3"].outcome is Outcome.UNKNOWN


def test_a_play_may_last_until_the_first_of_its_leases_ends() -> None:
    board = FakeBoard(job("h01"), job("h02"))
    ends: list[float] = []
    player = ScriptedPlayer(all_good)
    player.until = ends.append
    work = [ClaimedWork(claim, Lease(board, claim)) for one in list(board.open) if (claim := board.claim(one, "me"))]
    late = dataclasses.replace(work[0].claim, asked_at=work[0].claim.asked_at - 7)
    work[0] = ClaimedWork(late, Lease(board, late))
    JobSet(board, player, Step.UPDATE, work, threading.Event()).run()
    assert ends == [late.asked_at + board.lease_seconds]


def test_a_green_health_play_with_wrong_facts_is_a_failed_host() -> None:
    board = FakeBoard(job("h01", Step.HEALTH, facts={"bootIdBefore": "x"}))

    def green(claims: list[Claim], stop: Stop) -> Iterator[TaskReport]:
        yield TaskReport("h01", "before", TaskReports("ok", facts=facts(2, kernel="6.1.0.0-fleet")))
        yield TaskReport("h01", "end", TaskReports("ok"))

    work_set(board, ScriptedPlayer(green), Step.HEALTH).run()
    assert board.results["g17.Health.h01.4"].outcome is Outcome.FAILED


def test_a_host_that_is_on_the_release_already_is_only_read() -> None:
    board = FakeBoard(job("h01", Step.VERIFY), job("h02", Step.VERIFY))

    def reading(claims: list[Claim], stop: Stop) -> Iterator[TaskReport]:
        yield TaskReport("h01", "before", TaskReports("ok", facts=facts(2)))
        yield TaskReport("h01", "end", TaskReports("ok"))
        yield TaskReport("h02", "before", TaskReports("ok", facts=facts(1)))
        yield TaskReport("h02", "end", TaskReports("ok"))

    player = ScriptedPlayer(reading)
    work_set(board, player, Step.VERIFY).run()
    assert player.played == [(Step.VERIFY, ["h01", "h02"])]
    assert {name: one.outcome for name, one in board.results.items()} == {
        "g17.Verify.h01.4": Outcome.DONE,
        "g17.Verify.h02.4": Outcome.FAILED,
    }


def test_a_lost_lease_stops_the_play_and_only_that_host_is_given_up() -> None:
    board = FakeBoard(job("h01"), job("h02"), lease_seconds=1)
    board.lost.add("g17.Update.h01.3")
    player = ScriptedPlayer(until_stopped, all_good)
    work_set(board, player).run()
    assert player.played == [(Step.UPDATE, ["h01", "h02"]), (Step.UPDATE, ["h02"])]
    assert list(board.results) == ["g17.Update.h02.3"]
    assert player.running == 0


def test_control_a_set_that_ignores_its_leases_would_go_on() -> None:
    """The same check with the lease test planted out: the lost host gets a result."""

    class Blind(JobSet):
        def _must_stop(self) -> bool:
            return False

        def _forget_lost(self) -> None:
            pass

    board = FakeBoard(job("h01"), lease_seconds=1)
    claim = board.claim("g17.Update.h01.3", "me")
    assert claim
    board.lost.add("g17.Update.h01.3")
    lease = Lease(board, claim)
    lease._renew()
    assert not lease.valid()
    Blind(board, ScriptedPlayer(all_good), Step.UPDATE, [ClaimedWork(claim, lease)], threading.Event()).run()
    assert list(board.results) == ["g17.Update.h01.3"]


def test_told_to_stop_it_ends_the_play_and_makes_up_no_result() -> None:
    board, stopping = FakeBoard(job("h01")), threading.Event()
    player = ScriptedPlayer(until_stopped)
    runner = threading.Thread(target=work_set(board, player, stopping=stopping).run)
    runner.start()
    stopping.set()
    runner.join(timeout=10)
    assert not runner.is_alive()
    assert board.results == {}
    assert player.running == 0


def test_a_result_is_reported_until_the_board_answers() -> None:
    board = FakeBoard(job("h01"))
    runner = work_set(board, ScriptedPlayer(all_good))
    board.errors = [BoardError("reset"), BoardError("503", 503), BoardError("timeout")]
    runner.run()
    assert board.completions == 4
    assert board.results["g17.Update.h01.3"].outcome is Outcome.DONE


def test_a_result_the_board_refuses_is_dropped() -> None:
    board = FakeBoard(job("h01"))
    runner = work_set(board, ScriptedPlayer(all_good))
    board.errors = [BoardError("stale claim", 409)]
    runner.run()
    assert board.completions == 1
    assert board.results == {}


def test_a_player_that_breaks_leaves_no_result_and_no_lease() -> None:
    board = FakeBoard(job("h01"), lease_seconds=1)

    def broken(claims: list[Claim], stop: Stop) -> Iterator[TaskReport]:
        raise OSError("no space left")
        yield

    work_set(board, ScriptedPlayer(broken)).run()
    assert board.results == {}
    wait_until(lambda: not any(thread.name.startswith("lease ") for thread in threading.enumerate()), "its lease is kept no more")
