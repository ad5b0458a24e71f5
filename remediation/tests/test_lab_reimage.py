"""The real program re-images real hosts through their BMCs, is killed and stopped on the way, and meets BMCs that fail."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from drydock_remediation.reimage.access import read_access
from drydock_remediation.reimage.bmc import RedfishBmc

from .hostrun.program import wait_until
from .http_board import HttpBoardServer, job, token_file
from .lab_hosts import Bug, Lab, broken, environment, operator

pytestmark = pytest.mark.lab

SUMS = "cd /data && find . -path ./drydock -prune -o -path ./lost+found -prune -o -type f -print0 | sort -z | xargs -0 sha256sum"
UNCHANGED = "data partition unchanged by the installation"
RPM_HOST = "h03"


def reimage(lab: Lab, number: int, host: str, step: str = "Update", **more: Any) -> dict[str, Any]:
    family = "dnf" if host == RPM_HOST else "apt"
    return job(number, step, host, lab.address(host), lab.release("2"), topic="host/Reimage", osFamily=family, deadlineSeconds=600, **more)


def since(lab: Lab, host: str, seen: int) -> list[str]:
    """What happened to its machine since."""
    return lab.events(host)[seen:]


def installations(events: list[str]) -> int:
    return sum(event.startswith("power on, boots ") for event in events)


@pytest.mark.full
def test_hosts_of_both_families_are_installed_anew_though_the_operator_dies_in_the_middle(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts = {"h01": lab.grant(), RPM_HOST: lab.grant()}
    data = {host: lab.ask(host, f"echo mine > /root/mine; echo of {host} > /data/mine; sync; {SUMS}") for host in hosts}
    boots = {host: lab.ask(host, "cat /proc/sys/kernel/random/boot_id") for host in hosts}
    seen = {host: len(lab.events(host)) for host in hosts}
    monkeypatch.setenv("DRYDOCK_CRASH_AT", "operator-reimage-power_on-done")
    with HttpBoardServer() as board:
        first = operator(lab, board.url, token_file(tmp_path), tmp_path / "log")
        board.publish(*(reimage(lab, number, host) for host, number in hosts.items()))
        assert first.wait(timeout=200) == -signal.SIGKILL
        second = operator(lab, board.url, token_file(tmp_path), tmp_path / "log")
        results = {host: board.result(f"g{number}.Update.{host}.3", 300) for host, number in hosts.items()}
        board.publish(*(reimage(lab, number, host, "Health", round=4, facts=results[host]["facts"]) for host, number in hosts.items()))
        health = {host: board.result(f"g{number}.Health.{host}.4", 200) for host, number in hosts.items()}
        second.terminate()
        assert second.wait(timeout=30) == 0
    for host, result in results.items():
        assert (result["outcome"], health[host]["outcome"]) == ("Done", "Done"), (result, health[host])
        facts = result["facts"]
        assert (facts["imageVersion"], facts["kernelBefore"], facts["kernel"]) == ("2.0", "6.1.0.0-fleet", "6.2.0.0-fleet")
        assert facts["bootIdBefore"] == boots[host] != facts["bootId"]
        assert facts["dataSumsBefore"] == facts["dataSums"]
        assert lab.ask(host, SUMS) == data[host] != ""
        assert lab.ask(host, "test -e /root/mine || echo wiped") == "wiped"
        events = since(lab, host, seen[host])
        assert installations(events) == 1, f"{host} was installed once, whoever did what: {events}"
        assert UNCHANGED in events
    assert max(board.jobs[f"g{number}.Update.{host}.3"]["attempt"] for host, number in hosts.items()) == 2


def test_what_repairs_would_do_is_told_and_nothing_happens(lab: Lab, tmp_path: Path) -> None:
    seen, data = len(lab.events("h02")), lab.ask("h02", SUMS)
    release = tmp_path / "2.json"
    release.write_text(json.dumps(lab.release("2")))
    given = ["h02", lab.address("h02"), "--release", str(release), "--application", "web"]
    told = subprocess.run(
        [sys.executable, "-m", "drydock_remediation.repairs.dry_run", *given],
        env=environment(lab, "http://127.0.0.1:1", token_file(tmp_path)),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    would = json.loads(told.stdout)
    installed, wanted = lab.installed("h02"), lab.release("2")["packages"]
    changes = {name: [installed.get(name, ""), version] for name, version in wanted.items() if installed.get(name) != version}
    assert would["RollBack"] == {"wouldChange": changes}
    first, *_, last = would["Reimage"]["would"]
    assert first == "keep a record of the data: nothing was done yet"
    assert last == "eject the medium: the new system runs"
    assert would["Reimage"]["then"] == "prove the data intact: the new system runs from its disk"
    assert "wouldRestart" in would["RestartService"]
    assert "wouldRemove" in would["CleanDisk"]
    assert would["PowerCycle"]["would"].startswith("be asked to shut down")
    assert (since(lab, "h02", seen), lab.ask("h02", SUMS)) == ([], data)


# It stops itself, once, as late as it can: it has looked at its lease, and sends next.
STOPS: Bug = (
    "reimage/effects.py",
    "            return Sent(bmc.act(do, order, seconds))",
    """            import os, signal
            if do is Do.SHUT_DOWN and os.environ.get("SLEPT") is None:
                os.environ["SLEPT"] = "yes"
                os.kill(os.getpid(), signal.SIGSTOP)
            return Sent(bmc.act(do, order, seconds))""",
)
BELIEVES: tuple[Bug, ...] = (
    ("lease.py", "        return not self._lost", "        return True"),
    ("lease.py", "return self._ends_at if self.valid() else 0.0", "return self._clock() + 60.0"),
)
SESSION_SECONDS = 31.0  # a session of a BMC of the lab without a request


@pytest.mark.full
@pytest.mark.parametrize("bugs", [(), BELIEVES], ids=["as it is", "control"])
def test_an_operator_that_sleeps_through_its_lease_right_before_a_request_sends_nothing_when_it_wakes(
    lab: Lab, tmp_path: Path, bugs: tuple[Bug, ...]
) -> None:
    """Its session is over by then, and another would be begun for what is sent next. The control believes in its lease for ever: it
    switches off a host that another has finished."""
    grant = lab.grant()
    seen = len(lab.events("h02"))
    with HttpBoardServer() as board:
        source = broken(tmp_path / "sleeper", STOPS, *bugs)
        board.publish(reimage(lab, grant, "h02"))
        sleeper = operator(lab, board.url, token_file(tmp_path), tmp_path / "log", "--once", source=source)
        wait_until(lambda: stopped(sleeper.pid), "it stops right before its request", 120)
        since_then = time.monotonic()
        assert since(lab, "h02", seen) == [], "nothing was asked of the machine yet"
        other = operator(lab, board.url, token_file(tmp_path), tmp_path / "log2")
        result = board.result(f"g{grant}.Update.h02.3", 300)
        other.terminate()
        assert other.wait(timeout=60) == 0
        wait_until(lambda: time.monotonic() - since_then > SESSION_SECONDS, "its session is over", SESSION_SECONDS)
        look_at_bmc(lab, "h02")  # a BMC of the lab closes sessions when somebody asks it something
        events = since(lab, "h02", seen)
        sleeper.send_signal(signal.SIGCONT)
        if bugs:
            wait_until(lambda: since(lab, "h02", seen)[len(events) :][:1] == ["power press requested"], "it switches it off", 60)
            sleeper.kill()
        sleeper.wait(timeout=60)
    assert result["outcome"] == "Done", result
    assert installations(events) == 1
    if not bugs:
        assert since(lab, "h02", seen) == events, "nothing happened to the machine since it woke"


def look_at_bmc(lab: Lab, host: str) -> None:
    access = read_access(lab.state / "lab" / "bmc.json")
    bmc = RedfishBmc(access, access.places[host])
    assert bmc.read(60.0, tasks=False).power == "On"
    bmc.close()


def stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].startswith("T")


WRITER = """#!/usr/bin/python3
import signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: sys.exit())
with open("/data/log", "a") as log:
    try:
        while True:
            log.write(".")
            log.flush()
            time.sleep(0.05)
    finally:
        log.write("bye")
"""


@pytest.mark.full
def test_data_that_are_written_to_are_not_called_lost(lab: Lab, tmp_path: Path) -> None:
    """A program that keeps a file open and writes the rest when it is stopped: unknown to the job, then one of its applications."""
    grant = lab.grant()
    lab.ask("h02", "mkdir -p /root/writer && cat > /root/writer/run && chmod +x /root/writer/run", WRITER.encode())
    lab.ask("h02", "ln -s /root/writer /etc/service/writer")
    wait_until(lambda: lab.ask("h02", "test -s /data/log && echo it writes") != "", "it writes", 20)
    seen = len(lab.events("h02"))
    with HttpBoardServer() as board:
        board.publish(reimage(lab, grant, "h02"))
        process = operator(lab, board.url, token_file(tmp_path), tmp_path / "log")
        refused = board.result(f"g{grant}.Update.h02.3", 200)
        events = since(lab, "h02", seen)
        board.publish(
            reimage(lab, grant, "h02", round=5, facts=refused["facts"], instances=[{"id": "w@h02", "application": "writer", "zone": "z"}])
        )
        result = board.result(f"g{grant}.Update.h02.5", 300)
        process.terminate()
        process.wait(timeout=30)
    assert (refused["outcome"], events) == ("Failed", []), refused
    assert "something writes to the data partition: /data/log" in refused["message"]
    assert result["outcome"] == "Done", result
    assert lab.ask("h02", "tail -c 3 /data/log; rm /data/log") == "bye"


@pytest.mark.full
def test_an_image_with_another_sum_is_never_booted_and_the_host_is_not_called_good(lab: Lab, tmp_path: Path) -> None:
    grant = lab.grant()
    seen = len(lab.events("h02"))
    lab.command("fault", "h02", "damagedImage", "on")
    with HttpBoardServer() as board:
        board.publish(reimage(lab, grant, "h02"))
        process = operator(lab, board.url, token_file(tmp_path), tmp_path / "log", "--once")
        result = board.result(f"g{grant}.Update.h02.3", 300)
        assert process.wait(timeout=30) == 0
        told = {**result["facts"], "failure.step": "Update", "failure.says": result["message"]}
        board.publish(reimage(lab, grant, "h02", "Repair", round=4, facts=told, repair="Diagnose"))
        process = operator(lab, board.url, token_file(tmp_path), tmp_path / "log", "--once")
        diagnosis = board.result(f"g{grant}.Repair.h02.4", 200)["facts"]
        assert process.wait(timeout=60) == 0
    assert result["outcome"] == "Failed", result
    assert "the installer left it powered off 2 times" in result["message"]
    assert installations(since(lab, "h02", seen)) == 2
    assert diagnosis["diagnosis.signature"] == "checksum-mismatch", "its machine's event log says more than the re-image does"


@pytest.mark.full
@pytest.mark.parametrize("fault", [("503", "6"), ("mute", "1"), ("hang", "2"), ("dropSessions",), ("flapping",)])
def test_a_bmc_that_fails_on_the_way_is_survived(lab: Lab, tmp_path: Path, fault: tuple[str, ...]) -> None:
    grant = lab.grant()
    seen = len(lab.events("h02"))
    lab.command("fault", "h02", "bmc", *fault)
    with HttpBoardServer() as board:
        board.publish(reimage(lab, grant, "h02"))
        process = operator(lab, board.url, token_file(tmp_path), tmp_path / "log", "--once")
        result = board.result(f"g{grant}.Update.h02.3", 400)
        assert process.wait(timeout=60) == 0
    assert result["outcome"] == "Done", result
    assert installations(since(lab, "h02", seen)) == 1
    assert json.loads(result["evidence"])["bmc"]["medium"] == ""
