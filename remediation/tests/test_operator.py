"""What is claimed together runs together; nobody waits for a running set; nothing unfit reaches a host."""

from __future__ import annotations

import dataclasses
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from prometheus_client import REGISTRY

from drydock_api.client import BoardError
from drydock_remediation.commands import objections
from drydock_remediation.operator import Operator
from drydock_remediation.player import TaskReport
from drydock_remediation.records import REIMAGE, Claim, Job, Outcome, Release, Repair, Step, release_for
from drydock_remediation.reimage.access import BmcAccess
from drydock_remediation.settings import Settings, SettingsError, Ssh, read_settings

from .fakes import RELEASE, FakeBoard, Script, ScriptedPlayer, all_good, job
from .hostrun.program import wait_until
from .reimage_world import ORDERED, SimulatedHost, SimulatedMachine, reimage_job

SETTINGS = Settings("http://board", Path("token"), Ssh("root", Path("key"), Path("known")), "me", poll_seconds=0.02)


def operate(board: FakeBoard, player: ScriptedPlayer, **changes: int) -> tuple[Operator, threading.Event]:
    stopping = threading.Event()
    settings = Settings(**{**SETTINGS.__dict__, **changes})
    return Operator(board, player, settings, stopping), stopping


def once(gate: threading.Event) -> Script:
    """A play that goes on when it may."""

    def slow(claims: list[Claim], stop: Callable[[], bool]) -> Iterator[TaskReport]:
        gate.wait(20)
        yield from all_good(claims, stop)

    return slow


def test_jobs_claimable_together_become_one_set_per_step() -> None:
    health = job("h03", Step.HEALTH)
    board, player = FakeBoard(job("h01"), job("h02"), health), ScriptedPlayer(all_good)
    operator, _ = operate(board, player)
    assert operator.take() == 3
    operator.join()
    assert (Step.UPDATE, ["h01", "h02"]) in player.played
    assert (Step.HEALTH, ["h03"]) in player.played


def count(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(f"drydock_consumer_{name}", labels) or 0.0


def test_jobs_are_counted_when_claimed_and_when_the_board_took_their_end() -> None:
    before = count("jobs_claimed_total", step="Update"), count("job_seconds_count", step="Update")
    done, failed = (count("jobs_ended_total", step="Update", outcome=outcome) for outcome in ("Done", "Failed"))
    operator, _ = operate(FakeBoard(job("h01"), job("h02", address="-oProxyCommand=x")), ScriptedPlayer(all_good))
    operator.take()
    operator.join()
    wait_until(lambda: count("job_seconds_count", step="Update") == before[1] + 2, "both are counted")
    assert count("jobs_claimed_total", step="Update") == before[0] + 2
    assert count("jobs_ended_total", step="Update", outcome="Done") == done + 1
    assert count("jobs_ended_total", step="Update", outcome="Failed") == failed + 1


def test_a_newcomer_does_not_wait_for_a_running_set() -> None:
    board, gate = FakeBoard(job("h01")), threading.Event()
    operator, _ = operate(board, ScriptedPlayer(once(gate), all_good))
    operator.take()
    board.open["g18.Update.h02.3"] = job("h02", grant="g18")
    operator.take()
    assert board.wait_result("g18.Update.h02.3").outcome is Outcome.DONE
    assert "g17.Update.h01.3" not in board.results
    gate.set()
    operator.join()
    assert len(board.results) == 2


def test_no_more_sets_at_once_than_allowed() -> None:
    board, gate = FakeBoard(job("h01")), threading.Event()
    operator, _ = operate(board, ScriptedPlayer(once(gate)), sets_at_once=1)
    operator.take()
    board.open["g18.Update.h02.3"] = job("h02", grant="g18")
    assert operator.take() == 0
    assert list(board.open) == ["g18.Update.h02.3"]  # left for an operator that has room
    gate.set()
    operator.join()
    assert operator.take() == 1
    operator.join()


def test_a_host_is_judged_however_long_updates_take() -> None:
    board, gate = FakeBoard(job("h01")), threading.Event()
    player = ScriptedPlayer(once(gate), all_good)
    operator, _ = operate(board, player, sets_at_once=1)
    operator.take()
    waiting = [job(f"h{number}", grant="g18") for number in range(30, 60)]  # more than are looked at at once
    board.open = {one.id: one for one in (*waiting, job("h02", Step.HEALTH))}
    assert operator.take() == 1
    assert set(board.open) == {one.id for one in waiting}
    gate.set()
    operator.join()
    assert (Step.HEALTH, ["h02"]) in player.played


def test_a_host_is_judged_however_long_installations_take(tmp_path: Path) -> None:
    gate = threading.Event()

    class Slow:
        def host(self, claim: Claim) -> SimulatedHost:
            return SimulatedHost(SimulatedMachine())

        def bmc(self, host: str) -> None:
            gate.wait(20)

    board, player = FakeBoard(reimage_job()), ScriptedPlayer(all_good)
    settings = dataclasses.replace(SETTINGS, bmcs=BmcAccess("drydock", tmp_path, tmp_path, {}), sets_at_once=1, machines_at_once=1)
    operator = Operator(board, player, settings, threading.Event(), Slow())
    assert operator.take() == 1
    late = reimage_job(host="h05", grant="g19")
    board.open = {one.id: one for one in (late, job("h03", Step.HEALTH, mode=REIMAGE, release=ORDERED), job("h04", grant="g18"))}
    assert operator.take() == 2
    assert list(board.open) == [late.id], "left for an operator that has room"
    gate.set()
    operator.join()
    assert sorted(player.played) == [(Step.HEALTH, ["h03"]), (Step.UPDATE, ["h04"])]
    assert operator.take() == 1
    operator.join()


def test_a_board_that_knows_nothing_of_steps_makes_nobody_take_more_than_there_is_room_for() -> None:
    class Older(FakeBoard):
        def claimable(self, topics: Sequence[str], steps: Sequence[Step], limit: int) -> list[Job]:
            return super().claimable(topics, (), limit)

    board, gate = Older(job("h01")), threading.Event()
    operator, _ = operate(board, ScriptedPlayer(once(gate)), sets_at_once=1)
    operator.take()
    board.open["g18.Update.h02.3"] = job("h02", grant="g18")
    assert operator.take() == 0
    gate.set()
    operator.join()


def test_hosts_that_do_not_come_back_keep_nobody_from_being_judged() -> None:
    board, gate = FakeBoard(job("h01", Step.REPAIR, repair=Repair.VERIFY)), threading.Event()
    operator, _ = operate(board, ScriptedPlayer(once(gate), all_good), sets_at_once=1)
    assert operator.take() == 1
    board.open = {one.id: one for one in (job("h02", Step.HEALTH), job("h03", Step.REPAIR, repair=Repair.DIAGNOSE))}
    assert operator.take() == 1
    assert [one.host for one in board.open.values()] == ["h03"]
    gate.set()
    operator.join()


def test_two_jobs_of_one_host_never_share_a_play() -> None:
    board, player = FakeBoard(job("h01"), job("h01", grant="g18")), ScriptedPlayer(all_good)
    operator, _ = operate(board, player)
    operator.take()
    operator.join()
    assert player.played == [(Step.UPDATE, ["h01"]), (Step.UPDATE, ["h01"])]


@pytest.mark.parametrize(
    "unfit",
    [
        job("h01", release=None),
        job("h01", address="10.0.0.1 -o ProxyCommand=reboot"),
        job("h01", release=Release("2", "http://x/\ndeb http://evil ./", {"a": "1"}, "k")),
        job("h01", release=Release("2", "http://x/{{lookup('pipe','id')}}", {"a": "1"}, "k")),
        job("h01", release=Release("2", "file:///etc", {"a": "1"}, "k")),
        job("h01", release=Release("2", RELEASE.channel, {"a": "1; reboot"}, "k")),
        job("h01", release=Release("2", RELEASE.channel, {"-o": "1"}, "k")),
        job("h01", release=Release("2", RELEASE.channel, {}, "k")),
        job("h01", release=Release("2", RELEASE.channel, {"a": "1"}, "{{ 1 }}")),
        job("h01", applications=("../../etc",)),
        job("h01", family="zypper"),
        job("h01", checks=("nobody-knows-it",)),
        job("h01", family="dnf", release=release_for("dnf", {"name": "2", "channel": "http://x", "packages": {"a": "1"}, "kernel": "6"})),
    ],
)
def test_what_must_not_reach_a_host_is_refused_untouched(unfit: Job) -> None:
    board, player = FakeBoard(unfit), ScriptedPlayer(all_good)
    operator, _ = operate(board, player)
    operator.take()
    result = board.wait_result(unfit.id)
    operator.join()
    assert result.outcome is Outcome.FAILED
    assert "was not touched" in result.message
    assert player.played == []


def test_an_unanswering_board_is_asked_again_and_then_worked_for() -> None:
    board, player = FakeBoard(job("h01")), ScriptedPlayer(all_good)
    board.errors = [BoardError("refused"), BoardError("503", 503)]
    operator, stopping = operate(board, player)
    runner = threading.Thread(target=operator.run)
    runner.start()
    assert board.wait_result("g17.Update.h01.3").outcome is Outcome.DONE
    stopping.set()
    runner.join(timeout=10)
    assert not runner.is_alive()


def test_what_was_claimed_before_an_error_is_worked_on() -> None:
    class Breaks(FakeBoard):
        def claim(self, job: str, consumer: str) -> Claim | None:
            if job == "g17.Update.h02.3":
                raise BoardError("no answer")
            return super().claim(job, consumer)

    board = Breaks(job("h01"), job("h02"))
    operator, _ = operate(board, ScriptedPlayer(all_good))
    with pytest.raises(BoardError):
        operator.take()
    assert board.wait_result("g17.Update.h01.3").outcome is Outcome.DONE
    operator.join()


def test_a_lost_race_for_a_job_is_nothing() -> None:
    class Raced(FakeBoard):
        def claim(self, job: str, consumer: str) -> Claim | None:
            return None

    player = ScriptedPlayer(all_good)
    operator, _ = operate(Raced(job("h01")), player)
    assert operator.take() == 0
    assert player.played == []


def test_told_to_stop_it_claims_nothing_more() -> None:
    board = FakeBoard()
    operator, stopping = operate(board, ScriptedPlayer(all_good))
    runner = threading.Thread(target=operator.run)
    runner.start()
    stopping.set()
    runner.join(timeout=5)
    assert not runner.is_alive()
    board.open["g17.Update.h01.3"] = job("h01")
    assert list(board.open) == ["g17.Update.h01.3"]


def test_settings_name_everything_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"DRYDOCK_URL.*DRYDOCK_TOKEN_FILE.*DRYDOCK_SSH_CONFIG"):
        read_settings({})
    (tmp_path / "ssh.json").write_text('{"user": "root"}')
    (tmp_path / "token").write_text("t")
    names = {"DRYDOCK_URL": "http://x", "DRYDOCK_TOKEN_FILE": str(tmp_path / "token")}
    with pytest.raises(SettingsError, match="is not a file"):
        read_settings({**names, "DRYDOCK_SSH_CONFIG": str(tmp_path / "none")})
    with pytest.raises(SettingsError, match="keyFile"):
        read_settings({**names, "DRYDOCK_SSH_CONFIG": str(tmp_path / "ssh.json")})
    for address in ("9100", ":9100", "127.0.0.1:", "127.0.0.1:99999", "127.0.0.1:x"):
        with pytest.raises(SettingsError, match="DRYDOCK_METRICS_ADDRESS must be HOST:PORT"):
            read_settings({**names, "DRYDOCK_SSH_CONFIG": str(tmp_path / "ssh.json"), "DRYDOCK_METRICS_ADDRESS": address})
    for seconds in ("9", "7201", "five minutes", "-60"):
        with pytest.raises(SettingsError, match=f"DRYDOCK_BOOT_SECONDS must be a whole number from 10 to 7200, not '{seconds}'"):
            read_settings({**names, "DRYDOCK_SSH_CONFIG": str(tmp_path / "ssh.json"), "DRYDOCK_BOOT_SECONDS": seconds})


def test_re_images_are_taken_by_who_knows_where_bmcs_are_and_beside_updates(tmp_path: Path) -> None:
    bmcs = BmcAccess("drydock", tmp_path, tmp_path, {})
    both = [job("h01"), reimage_job(), job("h03", Step.HEALTH, mode=REIMAGE, release=ORDERED)]

    class Nowhere:
        def host(self, claim: Claim) -> SimulatedHost:
            return SimulatedHost(SimulatedMachine())

        def bmc(self, host: str) -> None:
            return None

    board, player = FakeBoard(*both), ScriptedPlayer(all_good)
    settings = dataclasses.replace(SETTINGS, bmcs=bmcs)
    operator = Operator(board, player, settings, threading.Event(), Nowhere())
    assert operator.take() == 3
    operator.join()
    assert sorted(player.played) == [(Step.HEALTH, ["h03"]), (Step.UPDATE, ["h01"])], "an Update of packages and a Health are played"
    assert "BMC" in board.results[reimage_job().id].message

    without = FakeBoard(*both)
    operate(without, ScriptedPlayer(all_good))[0].take()
    assert list(without.open) == [both[1].id, both[2].id], "left to an operator that can"


def test_a_re_image_without_an_image_touches_nothing() -> None:
    found = objections(reimage_job(release=RELEASE), "1.17.3.1")
    assert [text.split()[0] for text in found] == ["release.images.apt", "release.imageVersion"]
    assert objections(reimage_job(), "1.17.3.1") == objections(job("h02"), "1.17.3.1") == []


def test_the_image_of_a_release_is_that_of_the_family() -> None:
    record = {"name": "2", "kernel": "k", "images": {"apt": "http://a", "dnf": "http://d"}, "imageVersion": "2.0"}
    record |= {"channel": "http://c", "packages": {}, "dnfChannel": "http://c", "dnfPackages": {}}
    assert [release_for(family, record).image for family in ("apt", "dnf")] == ["http://a", "http://d"]
    assert release_for("apt", {**record, "images": {}}).image == ""


def test_settings_name_what_is_wrong_with_the_bmcs(tmp_path: Path) -> None:
    for name in ("token", "key", "known", "password", "ca"):
        (tmp_path / name).write_text("x")
    ssh = {"user": "root", "keyFile": str(tmp_path / "key"), "knownHostsFile": str(tmp_path / "known")}
    (tmp_path / "ssh.json").write_text(json.dumps(ssh))
    bmcs = {
        "user": "u",
        "passwordFile": str(tmp_path / "password"),
        "caFile": str(tmp_path / "ca"),
        "bmcs": {"h01": {"url": "https://10.0.0.1"}},
    }
    (tmp_path / "bmc.json").write_text(json.dumps(bmcs))
    names = {"DRYDOCK_URL": "http://x", "DRYDOCK_TOKEN_FILE": str(tmp_path / "token"), "DRYDOCK_SSH_CONFIG": str(tmp_path / "ssh.json")}
    assert read_settings(names).topics == ("host/PackageUpdate", "host/CleanDisk")
    assert read_settings({**names, "DRYDOCK_BMC_CONFIG": str(tmp_path / "bmc.json")}).topics == (
        "host/PackageUpdate",
        "host/CleanDisk",
        "host/Reimage",
        "host/PowerCycle",
    )
    with pytest.raises(SettingsError, match="DRYDOCK_BMC_CONFIG"):
        read_settings({**names, "DRYDOCK_BMC_CONFIG": str(tmp_path / "none.json")})
    (tmp_path / "rules.yaml").write_text("rules: [{name: all, paths: ['/**'], olderThanHours: 0}]")
    with pytest.raises(SettingsError, match=r"DRYDOCK_CLEAN_RULES: .*rules.yaml: rule all: '/\*\*' may match anywhere"):
        read_settings({**names, "DRYDOCK_CLEAN_RULES": str(tmp_path / "rules.yaml")})
