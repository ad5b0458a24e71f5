"""The real program on real hosts: packages, reboots, refusals, and its own death in the middle of dpkg."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from drydock_remediation.dnf import Dnf

from .hostrun.program import SOURCE as WRAPPER
from .hostrun.program import wait_until
from .http_board import HttpBoardServer, job, token_file
from .lab_hosts import ROOT, Bug, Lab, broken, operator, package, rpm

pytestmark = pytest.mark.lab

RPM_HOST = "h03"
DNF_SECONDS = 20  # a deadline that dnf keeps up to its transaction, also on a busy machine


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


@pytest.mark.full
def test_hosts_of_both_families_reach_release_2_and_are_judged_by_their_facts(lab: Lab, tmp_path: Path) -> None:
    grants = {host: lab.grant() for host in ("h01", "h02", RPM_HOST)}
    boots = {host: lab.ask(host, "cat /proc/sys/kernel/random/boot_id") for host in grants}
    release, instances = lab.release("2"), [{"id": "web@h", "application": "web", "zone": "z1"}]
    with HttpBoardServer() as board:
        process = operator(lab, board.url, token_file(tmp_path), tmp_path / "log")
        board.publish(*(job(grants[host], "Update", host, lab.address(host), release, **family(host)) for host in grants))
        results = {host: board.result(f"g{grant}.Update.{host}.3") for host, grant in grants.items()}
        wrong = {**release, "kernel": "6.9.0.0-fleet"}
        for host, one in (("h01", release), ("h02", wrong), ("h03", release)):
            more = {"round": 4, "facts": results[host]["facts"], "instances": instances, **family(host)}
            board.publish(job(grants[host], "Health", host, lab.address(host), one, **more))
        health = {host: board.result(f"g{grant}.Health.{host}.4") for host, grant in grants.items()}
        end(process)
    for host, result in results.items():
        assert result["outcome"] == "Done", result
        assert result["facts"]["bootIdBefore"] == boots[host] != result["facts"]["bootId"]
        assert (result["facts"]["kernelBefore"], result["facts"]["kernel"]) == ("6.1.0.0-fleet", "6.2.0.0-fleet")
        assert (result["facts"]["osReleaseBefore"], result["facts"]["osRelease"]) == ("Fleet OS 1", "Fleet OS 2")
        assert lab.installed(host) == release["dnfPackages" if host == RPM_HOST else "packages"]
    assert "\nfleet-agent 1.0\n" in results["h01"]["facts"]["packagesBefore"]
    assert "fleet-agent 1.0-1\n" in results[RPM_HOST]["facts"]["packagesBefore"]
    for host, agent in (("h01", "fleet-agent 2.0\n"), (RPM_HOST, "fleet-agent 2.0-1\n")):
        assert health[host]["outcome"] == "Done", health[host]
        assert agent in health[host]["facts"]["packagesAfter"]
        assert health[host]["facts"]["osFamily"] == family(host)["osFamily"]
    assert health[RPM_HOST]["facts"].keys() == health["h01"]["facts"].keys(), "the same facts of both families"
    assert health["h02"]["outcome"] == "Failed"
    assert [check["name"] for check in json.loads(health["h02"]["evidence"])["checks"] if not check["ok"]] == ["kernel"]
    claims = [one for one in board.requests if "action=claim" in one]
    assert len(claims) == 6


def family(host: str) -> dict[str, str]:
    return {"osFamily": "dnf" if host == RPM_HOST else "apt"}


def updated(lab: Lab, folder: Path, number: int, release: str, *bugs: Bug) -> dict[str, Any]:
    """What becomes of the dnf host when it shall go to a release of the lab."""
    folder.mkdir()
    with HttpBoardServer() as board:
        board.publish(job(number, "Update", RPM_HOST, lab.address(RPM_HOST), lab.release(release), osFamily="dnf"))
        source = broken(folder, *bugs) if bugs else None
        process = operator(lab, board.url, token_file(folder), folder / "log", "--once", source=source)
        result = board.result(f"g{number}.Update.{RPM_HOST}.3")
        assert process.wait(timeout=30) == 0
    return result


def test_dnf_is_refused_what_it_cannot_resolve_and_what_would_remove_a_package(lab: Lab, tmp_path: Path) -> None:
    before, boot = lab.installed(RPM_HOST), lab.ask(RPM_HOST, "cat /proc/sys/kernel/random/boot_id")
    unresolvable = updated(lab, tmp_path / "1", lab.grant(), "2-unresolvable")
    assert "dnf cannot plan the upgrade" in unresolvable["message"]
    assert "nothing provides fleet-firmware >= 1.0 needed by fleet-kernel-2.0-1" in unresolvable["message"]
    removal = updated(lab, tmp_path / "2", lab.grant(), "2-removal")
    assert "refused before anything was installed: it would remove fleet-agent" in removal["message"]
    for result in (unresolvable, removal):
        assert (result["outcome"], result["facts"]["changed"]) == ("Failed", "false")
    assert lab.installed(RPM_HOST) == before
    assert lab.ask(RPM_HOST, "cat /proc/sys/kernel/random/boot_id") == boot


NO_SIMULATION = ("simulation.py", "    return found\n", "    return []\n")
NO_BEST = ("dnf_on_host.py", "base.conf.best = True", "base.conf.best = False")
NO_LOOK = ("dnf_on_host.py", "if wrong := missing(order, installed(base)):", "if wrong := ():")
NO_REFUSAL = ("dnf_on_host.py", 'if plan["removals"]:', "if False:")


@pytest.mark.full
def test_control_what_dnf_skips_in_silence_is_seen_by_the_reading_after_it(lab: Lab, tmp_path: Path) -> None:
    """With `best` off dnf upgrades two of three packages and calls it success."""
    grant = lab.grant()
    result = updated(lab, tmp_path / "1", grant, "2-unresolvable", NO_SIMULATION, NO_BEST, NO_LOOK)
    assert lab.installed(RPM_HOST) == {"fleet-os": "2.0-1", "fleet-agent": "2.0-1", "fleet-kernel": "1.0-1"}
    assert result["outcome"] == "Failed"
    assert "was not reached: package fleet-kernel: got 1.0-1, want 2.0-1" in result["message"]
    runs = json.loads(lab.ask(RPM_HOST, "python3 /data/drydock/bin/hostrun-* state"))["runs"]
    assert runs[f"g{grant}.Update.{RPM_HOST}.3.upgrade"]["rc"] == 0, "dnf itself saw nothing wrong"


@pytest.mark.full
def test_control_a_removal_that_slips_through_the_simulation_is_refused_again_and_else_seen_afterwards(lab: Lab, tmp_path: Path) -> None:
    before = lab.installed(RPM_HOST)
    result = updated(lab, tmp_path / "1", lab.grant(), "2-removal", NO_SIMULATION)
    assert "refused: it would remove fleet-agent" in result["message"]
    assert (result["begun"], result["mend"], result["cause"]) == (False, "People", "removal")
    assert lab.installed(RPM_HOST) == before
    result = updated(lab, tmp_path / "2", lab.grant(), "2-removal", NO_SIMULATION, NO_REFUSAL, NO_LOOK)
    assert "fleet-agent" not in lab.installed(RPM_HOST)
    assert result["outcome"] == "Failed"
    assert "package fleet-agent: got not installed, want 2.0-1" in result["message"]


def test_a_channel_that_would_remove_a_package_is_refused_before_it_does(lab: Lab, tmp_path: Path) -> None:
    folder = tmp_path / "channel"
    folder.mkdir()
    package(folder, "fleet-os", "3.0")
    package(folder, "fleet-kernel", "3.0", "Conflicts: fleet-agent\n", "touch /removed-something")
    before, boot, grant = lab.installed("h01"), lab.ask("h01", "cat /proc/sys/kernel/random/boot_id"), lab.grant()
    with HttpBoardServer() as board:
        channel = lab.channel("h01", folder)
        release = {"name": "3", "channel": channel, "packages": {"fleet-os": "3.0", "fleet-kernel": "3.0"}, "kernel": "6.3.0.0-fleet"}
        board.publish(job(grant, "Update", "h01", lab.address("h01"), release))
        process = operator(lab, board.url, token_file(tmp_path), tmp_path / "log", "--once")
        result = board.result(f"g{grant}.Update.h01.3")
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
    grant = lab.grant()
    job_id = f"g{grant}.Update.h01.3"
    with HttpBoardServer(lease_seconds=3) as board:
        channel = lab.channel("h01", folder)
        board.publish(job(grant, "Update", "h01", lab.address("h01"), {**lab.release("2"), "channel": channel}))
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
            lambda: f"1.{grant}.3.2" in lab.ask("h01", "cat /data/drydock/token"), "the second attempt has claimed the host", seconds=60
        )
        lab.ask("h01", "touch /root/gate")
        result = board.result(job_id)
        end(second)
    assert result["outcome"] == "Done", result
    assert lab.ask("h01", "cat /root/ran").split() == ["ran", "ended"]
    runs = json.loads(lab.ask("h01", "python3 /data/drydock/bin/hostrun-* state"))["runs"]
    assert runs[f"{job_id}.upgrade"]["rc"] == 0
    assert runs[f"{job_id}.upgrade"]["token"] == f"1.{grant}.3.1"  # begun by the first attempt, and only then
    assert [key for key in runs if key.startswith(job_id) and key.endswith(".upgrade")] == [f"{job_id}.upgrade"]
    assert "\nfleet-agent 1.0\n" in result["facts"]["packagesBefore"]  # though the second attempt never saw them
    assert lab.installed("h01")["fleet-agent"] == "2.0"
    assert result["facts"]["bootIdBefore"] != result["facts"]["bootId"]


@pytest.mark.full
def test_a_package_nobody_named_that_goes_back_to_its_old_version_is_upgraded_by_the_next_round(lab: Lab, tmp_path: Path) -> None:
    """The package database is in order after the first, and all that the release names is there."""
    folder, before, grant = tmp_path / "channel", tmp_path / "before", lab.grant()
    folder.mkdir()
    before.mkdir()
    for name in ("fleet-os", "fleet-agent"):
        package(folder, name, "2.0")
    package(folder, "fleet-kernel", "2.0", postinst="echo 6.2.0.0-fleet > /boot/default-kernel")
    after_them = "Pre-Depends: fleet-os (>= 2), fleet-agent (>= 2), fleet-kernel (>= 2)\n"
    package(folder, "own-tool", "2.0", after_them, preinst="[ -e /root/failed ] || { touch /root/failed; exit 1; }")
    package(before, "own-tool", "1.0")
    lab.ask("h01", "cat > /root/own-tool.deb; dpkg -i /root/own-tool.deb", (before / "own-tool_1.0_all.deb").read_bytes())
    with HttpBoardServer() as board:
        release = {**lab.release("2"), "channel": lab.channel("h01", folder)}
        process = operator(lab, board.url, token_file(tmp_path), tmp_path / "log")
        results = []
        for number in (3, 4):
            board.publish(job(grant, "Update", "h01", lab.address("h01"), release, round=number))
            results.append(board.result(f"g{grant}.Update.h01.{number}"))
            if number == 3:
                assert lab.ask("h01", "dpkg --audit; dpkg-query -W -f '${Version}' own-tool") == "1.0"
                assert lab.installed("h01") == release["packages"]
        end(process)
    assert [result["outcome"] for result in results] == ["Failed", "Done"], results
    assert "apt-get ended with 100" in results[0]["message"]
    assert lab.ask("h01", "dpkg --audit; dpkg-query -W -f '${Version}' own-tool") == "2.0"


def test_the_wrapper_ends_a_late_apt_only_when_dpkg_is_through(lab: Lab, tmp_path: Path) -> None:
    folder = tmp_path / "channel"
    folder.mkdir()
    wait = "n=0; while [ ! -e /root/gate ] && [ $n -lt 300 ]; do n=$((n+1)); sleep 0.1; done"
    package(folder, "fleet-agent", "2.0", postinst=f"echo ran >> /root/ran; {wait}; echo ended >> /root/ran")
    channel = lab.channel("h02", folder)
    lab.ask("h02", "cat > /root/hostrun", WRAPPER.read_bytes())
    lab.ask("h02", f"echo 'deb [trusted=yes] {channel} ./' > /etc/apt/sources.list.d/fleet.list; apt-get update")
    grant = lab.grant()
    key = f"g{grant}.Update.h02.3.upgrade"
    run = f"python3 /root/hostrun run --token 1.{grant}.3.1 --key {key} --deadline 1 -- apt-get -y upgrade; echo code $?"
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


def slow_dnf(lab: Lab, folder: Path, number: int, seconds: int, wrapper: str = "") -> None:
    """Begins an upgrade under the wrapper; on return a script of a package runs in it, until /root/gate is there."""
    folder.mkdir()
    wait = "n=0; while [ ! -e /root/gate ] && [ $n -lt 900 ]; do n=$((n+1)); sleep 0.1; done"
    rpm(folder, "fleet-agent", "2.0", f"echo ran >> /root/ran; {wait}; echo ended >> /root/ran")
    channel = lab.dnf_channel(RPM_HOST, folder)
    lab.ask(RPM_HOST, "cat > /root/hostrun.py", (wrapper or WRAPPER.read_text()).encode())
    lab.ask(RPM_HOST, "cat > /root/on_host", Dnf.program.encode())
    order = json.dumps({"channel": channel, "downgrade": False, "packages": {"fleet-agent": "2.0-1"}})
    command = f"/usr/bin/python3 /root/on_host upgrade '{order}'"
    run = f"hostrun.py run --token 1.{number}.3.1 --key g{number}.Update.{RPM_HOST}.3.upgrade --deadline {seconds}"
    lab.ask(RPM_HOST, "cat > /root/run", f"python3 /root/{run} -- {command}; echo code $?".encode())
    lab.ask(RPM_HOST, "setsid sh /root/run </dev/null >/root/said 2>&1 &")
    wait_until(lambda: lab.ask(RPM_HOST, "cat /root/ran") == "ran", "rpm runs the script", seconds=60)


def said(lab: Lab) -> str:
    wait_until(lambda: "code" in lab.ask(RPM_HOST, "tail -1 /root/said"), "it ended", seconds=60)
    return lab.ask(RPM_HOST, "tail -1 /root/said")


def test_the_wrapper_sees_rpm_work_as_long_as_a_script_of_a_package_runs(lab: Lab, tmp_path: Path) -> None:
    works = "cd /root && python3 -c 'import hostrun; print(hostrun.rpm_works())'"
    slow_dnf(lab, tmp_path / "channel", lab.grant(), seconds=300)
    assert lab.ask(RPM_HOST, works) == "True"
    lab.ask(RPM_HOST, "touch /root/gate")
    assert said(lab) == "code 0"
    assert lab.ask(RPM_HOST, works) == "False"
    assert lab.ask(RPM_HOST, "rpm -V fleet-agent; dnf -q check") == ""


@pytest.mark.full
def test_the_wrapper_ends_a_late_dnf_only_when_rpm_is_through(lab: Lab, tmp_path: Path) -> None:
    began = time.monotonic()
    slow_dnf(lab, tmp_path / "channel", lab.grant(), seconds=DNF_SECONDS)
    wait_until(lambda: time.monotonic() > began + DNF_SECONDS + 15, "the deadline and the time to be killed are long over", seconds=90)
    assert len(json.loads(lab.ask(RPM_HOST, "python3 /root/hostrun.py state"))["running"]) == 1
    assert lab.ask(RPM_HOST, "cat /root/ran") == "ran"
    lab.ask(RPM_HOST, "touch /root/gate")
    assert said(lab) in ("code 0", "code 124")
    assert lab.ask(RPM_HOST, "cat /root/ran").split() == ["ran", "ended"]
    assert lab.ask(RPM_HOST, "rpm -V fleet-agent; dnf -q check") == ""
    assert lab.installed(RPM_HOST)["fleet-agent"] == "2.0-1"


@pytest.mark.full
def test_control_a_wrapper_that_does_not_know_rpm_ends_it_in_the_middle_of_a_script(lab: Lab, tmp_path: Path) -> None:
    text, known = WRAPPER.read_text(), "return dpkg_works() or rpm_works()"
    assert text.count(known) == 1
    slow_dnf(lab, tmp_path / "channel", lab.grant(), DNF_SECONDS, text.replace(known, "return dpkg_works()"))
    assert said(lab) == "code 124"
    assert lab.ask(RPM_HOST, "cat /root/ran") == "ran", "the script of a package was cut off"
