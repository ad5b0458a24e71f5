"""The real program on real hosts: packages, reboots, refusals, and its own death in the middle of dpkg."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from .hostrun.program import SOURCE as WRAPPER
from .hostrun.program import wait_until
from .http_board import HttpBoardServer, job, token_file
from .lab_hosts import ROOT, Lab, operator, package

pytestmark = pytest.mark.lab

# Grants of this run. The data partition remembers the keys and tokens of earlier ones, as it must.
FIRST, SECOND, THIRD, FOURTH, FIFTH = (int(time.time()) + number for number in range(5))


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    found = Lab(ROOT / ".drydock" / "remediation-test")
    found.command("up", "--hosts", "2")
    try:
        yield found
    finally:
        found.command("down")


@pytest.fixture(autouse=True)
def on_release_1(lab: Lab) -> None:
    lab.command("reset")


def end(process: subprocess.Popen[bytes]) -> None:
    """A clean end, and soon."""
    process.terminate()
    assert process.wait(timeout=20) == 0


def left_of_plays() -> list[Path]:
    """Processes and folders of plays of this checkout's operators."""
    ours = f"PYTHONPATH={ROOT / 'remediation' / 'src'}".encode()
    found = []
    for process in Path("/proc").iterdir():
        try:
            environment = (process / "environ").read_bytes().split(b"\0") if process.name.isdigit() else []
        except OSError:
            continue
        if ours in environment and any(entry.startswith(b"DRYDOCK_PLAY=") for entry in environment):
            found.append(process)
    return found


def test_two_hosts_reach_release_2_and_are_judged_by_their_facts(lab: Lab, tmp_path: Path) -> None:
    boots = {host: lab.ask(host, "cat /proc/sys/kernel/random/boot_id") for host in ("h01", "h02")}
    with HttpBoardServer() as board:
        process = operator(lab, board.url, token_file(tmp_path), tmp_path / "log")
        release = lab.release("2")
        board.publish(*(job(number, "Update", host, lab.address(host), release) for number, host in ((FIRST, "h01"), (SECOND, "h02"))))
        results = {host: board.result(f"g{number}.Update.{host}.3") for number, host in ((FIRST, "h01"), (SECOND, "h02"))}
        instances = [{"id": "web@h", "application": "web", "zone": "z1"}]
        wrong = {**release, "kernel": "6.9.0.0-fleet"}
        board.publish(
            job(FIRST, "Health", "h01", lab.address("h01"), release, round=4, facts=results["h01"]["facts"], instances=instances),
            job(SECOND, "Health", "h02", lab.address("h02"), wrong, round=4, facts=results["h02"]["facts"], instances=instances),
        )
        healthy, unhealthy = board.result(f"g{FIRST}.Health.h01.4"), board.result(f"g{SECOND}.Health.h02.4")
        end(process)
    for host, result in results.items():
        assert result["outcome"] == "Done", result
        assert result["facts"]["bootIdBefore"] == boots[host] != result["facts"]["bootId"]
        assert result["facts"]["kernel"] == "6.2.0.0-fleet"
        assert lab.installed(host) == release["packages"]
        assert "\nfleet-agent 1.0\n" in result["facts"]["packagesBefore"]
    assert healthy["outcome"] == "Done", healthy
    assert "\nfleet-agent 2.0\n" in healthy["facts"]["packagesAfter"]
    assert healthy["facts"]["osFamily"] == "apt"
    assert unhealthy["outcome"] == "Failed"
    assert [check["name"] for check in json.loads(unhealthy["evidence"])["checks"] if not check["ok"]] == ["kernel"]
    claims = [one for one in board.requests if "action=claim" in one]
    assert len(claims) == 4


def test_a_channel_that_would_remove_a_package_is_refused_before_it_does(lab: Lab, tmp_path: Path) -> None:
    folder = tmp_path / "channel"
    folder.mkdir()
    package(folder, "fleet-os", "3.0")
    package(folder, "fleet-kernel", "3.0", "Conflicts: fleet-agent\n", "touch /removed-something")
    before, boot = lab.installed("h01"), lab.ask("h01", "cat /proc/sys/kernel/random/boot_id")
    with HttpBoardServer() as board:
        channel = lab.channel("h01", folder)
        release = {"name": "3", "channel": channel, "packages": {"fleet-os": "3.0", "fleet-kernel": "3.0"}, "kernel": "6.3.0.0-fleet"}
        board.publish(job(THIRD, "Update", "h01", lab.address("h01"), release))
        process = operator(lab, board.url, token_file(tmp_path), tmp_path / "log", "--once")
        result = board.result(f"g{THIRD}.Update.h01.3")
        assert process.wait(timeout=30) == 0
    assert result["outcome"] == "Failed"
    assert "refused before anything was installed" in result["message"]
    assert "apt would have to remove fleet-agent" in result["message"]
    assert lab.installed("h01") == before
    assert lab.ask("h01", "cat /proc/sys/kernel/random/boot_id") == boot
    assert result["facts"]["changed"] == "false"


def test_killed_in_the_middle_of_apt_a_second_operator_attaches_and_apt_ran_once(lab: Lab, tmp_path: Path) -> None:
    folder = tmp_path / "channel"
    folder.mkdir()
    slow = (
        "echo ran >> /root/ran; n=0; while [ ! -e /root/gate ] && [ $n -lt 600 ]; do n=$((n+1)); sleep 0.1; done; echo ended >> /root/ran"
    )
    kernel = "echo 6.2.0.0-fleet > /boot/default-kernel"
    package(folder, "fleet-os", "2.0")
    package(folder, "fleet-kernel", "2.0", postinst=kernel)
    package(folder, "fleet-agent", "2.0", postinst=slow)
    job_id = f"g{FOURTH}.Update.h01.3"
    with HttpBoardServer(lease_seconds=3) as board:
        channel = lab.channel("h01", folder)
        board.publish(job(FOURTH, "Update", "h01", lab.address("h01"), {**lab.release("2"), "channel": channel}))
        first = operator(lab, board.url, token_file(tmp_path), tmp_path / "log")
        wait_until(lambda: lab.ask("h01", "cat /root/ran") == "ran", "dpkg configures", seconds=60)
        assert left_of_plays()
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
        wait_until(lambda: not left_of_plays(), "the play of the dead operator ended with it", seconds=10)
        assert lab.ask("h01", "cat /root/ran") == "ran"  # and dpkg did not
        second = operator(lab, board.url, token_file(tmp_path), tmp_path / "log")
        board.wait_claimed(job_id, attempt=2)
        wait_until(
            lambda: f"1.{FOURTH}.3.2" in lab.ask("h01", "cat /data/drydock/token"), "the second attempt has claimed the host", seconds=60
        )
        lab.ask("h01", "touch /root/gate")
        result = board.result(job_id)
        end(second)
    assert result["outcome"] == "Done", result
    assert lab.ask("h01", "cat /root/ran").split() == ["ran", "ended"]
    runs = json.loads(lab.ask("h01", "python3 /data/drydock/bin/hostrun-* state"))["runs"]
    assert runs[f"{job_id}.upgrade"]["rc"] == 0
    assert runs[f"{job_id}.upgrade"]["token"] == f"1.{FOURTH}.3.1"  # begun by the first attempt, and only then
    assert [key for key in runs if key.startswith(job_id) and key.endswith(".upgrade")] == [f"{job_id}.upgrade"]
    assert "\nfleet-agent 1.0\n" in result["facts"]["packagesBefore"]  # though the second attempt never saw them
    assert lab.installed("h01")["fleet-agent"] == "2.0"
    assert result["facts"]["bootIdBefore"] != result["facts"]["bootId"]


def test_the_wrapper_ends_a_late_apt_only_when_dpkg_is_through(lab: Lab, tmp_path: Path) -> None:
    folder = tmp_path / "channel"
    folder.mkdir()
    wait = "n=0; while [ ! -e /root/gate ] && [ $n -lt 300 ]; do n=$((n+1)); sleep 0.1; done"
    package(folder, "fleet-agent", "2.0", postinst=f"echo ran >> /root/ran; {wait}; echo ended >> /root/ran")
    channel = lab.channel("h02", folder)
    lab.ask("h02", "cat > /root/hostrun", WRAPPER.read_bytes())
    lab.ask("h02", f"echo 'deb [trusted=yes] {channel} ./' > /etc/apt/sources.list.d/fleet.list; apt-get update")
    key = f"g{FIFTH}.Update.h02.3.upgrade"
    run = f"python3 /root/hostrun run --token 1.{FIFTH}.3.1 --key {key} --deadline 1 -- apt-get -y upgrade; echo code $?"
    lab.ask("h02", f"setsid sh -c '{run}' </dev/null >/root/said 2>&1 &")
    wait_until(lambda: lab.ask("h02", "cat /root/ran") == "ran", "dpkg configures")
    since = time.monotonic()
    wait_until(lambda: time.monotonic() > since + 3, "the deadline is long over")
    assert json.loads(lab.ask("h02", "python3 /root/hostrun state"))["running"] == [key]
    assert lab.ask("h02", "cat /root/ran") == "ran"
    lab.ask("h02", "touch /root/gate")
    wait_until(lambda: "code" in lab.ask("h02", "tail -1 /root/said"), "it ended")
    assert lab.ask("h02", "tail -1 /root/said") in ("code 0", "code 124")
    assert lab.ask("h02", "cat /root/ran").split() == ["ran", "ended"]
    assert lab.ask("h02", "dpkg --audit") == ""
    assert lab.installed("h02")["fleet-agent"] == "2.0"
