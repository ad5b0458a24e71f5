"""What hosts of both families have of others when they are updated: their own package sources, holds, processes, what was broken before."""

from __future__ import annotations

import functools
import shutil
from pathlib import Path
from typing import Any

import pytest

from drydock_lab import packages as lab_packages

from .hostrun.program import wait_until
from .http_board import HttpBoardServer, job, preflight, token_file
from .lab_hosts import Bug, Lab, broken, operator, package, rpm

pytestmark = pytest.mark.lab

FAMILIES = {"h01": "apt", "h03": "dnf"}
SOURCES = "cd /etc && cat apt/sources.list.d/* yum.repos.d/* 2>/dev/null | sha256sum"
BOOT = "cat /proc/sys/kernel/random/boot_id"


def play(lab: Lab, folder: Path, *jobs: dict[str, Any], bugs: tuple[Bug, ...] = ()) -> dict[str, dict[str, Any]]:
    """By host, what one operator says of these jobs."""
    folder.mkdir(exist_ok=True)
    with HttpBoardServer(lease_seconds=20) as board:
        board.publish(*jobs)
        source = broken(folder, *bugs) if bugs else None
        process = operator(lab, board.url, token_file(folder), folder / "log", "--once", source=source)
        found = {one["host"]: board.result(one["id"], 240) for one in jobs}
        assert process.wait(timeout=60) == 0
    return found


def update(lab: Lab, number: int, host: str, release: dict[str, Any], **more: Any) -> dict[str, Any]:
    return job(number, "Update", host, lab.address(host), release, osFamily=FAMILIES[host], **more)


def asked(lab: Lab, host: str, release: dict[str, Any], **more: Any) -> dict[str, Any]:
    return preflight(host, lab.address(host), release, osFamily=FAMILIES[host], **more)


def gone(lab: Lab) -> dict[str, Any]:
    """Release 2 with channels that nobody serves."""
    made = lab.release("2")
    return {**made, **{field: f"{made[field]}/nowhere" for field in ("channel", "dnfChannel")}}


def state(lab: Lab, host: str) -> tuple[str, str, dict[str, str]]:
    return lab.ask(host, SOURCES), lab.ask(host, BOOT), lab.installed(host)


def why(result: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(result.get(name) for name in ("outcome", "begun", "mend", "cause"))


VENDORS = {
    "h01": ("/etc/apt/sources.list.d/vendor.list", "deb [trusted=yes] http://127.0.0.1:9/gone ./\n"),
    "h03": ("/etc/yum.repos.d/vendor.repo", "[vendor]\nname=vendor\nbaseurl=http://127.0.0.1:9/gone\nenabled=1\ngpgcheck=0\n"),
}


def test_hosts_that_are_not_updated_have_their_own_sources_as_they_were(lab: Lab, tmp_path: Path) -> None:
    """Control: once updated they have the release's. What a dead vendor has is not asked for."""
    for host, (file, text) in VENDORS.items():
        lab.ask(host, f"cat > {file}", text.encode())
    before = {host: state(lab, host) for host in FAMILIES}
    dead = play(lab, tmp_path / "1", *(update(lab, lab.grant(), host, gone(lab)) for host in FAMILIES))
    removal = play(lab, tmp_path / "2", *(update(lab, lab.grant(), host, lab.release("2-removal")) for host in FAMILIES))
    assert {host: state(lab, host) for host in FAMILIES} == before
    for host in FAMILIES:
        assert why(dead[host]) == ("Failed", False, "Time", "source-unreadable"), dead[host]
        assert "/nowhere could not be read" in dead[host]["message"]
        assert why(removal[host])[:3] == ("Failed", False, "People"), removal[host]
    done = play(lab, tmp_path / "3", *(update(lab, lab.grant(), host, lab.release("2")) for host in FAMILIES))
    for host in FAMILIES:
        assert why(done[host])[:2] == ("Done", True), done[host]
        assert state(lab, host)[0] != before[host][0], "control: it has the release's"
        assert lab.ask(host, "ls -A /var/lib/drydock") == ""


HELD = {
    "h01": ("apt-mark hold fleet-agent", "fleet-agent is on hold (apt-mark)"),
    "h03": ("echo excludepkgs=fleet-ag* >> /etc/dnf/dnf.conf", "fleet-agent is excluded (excludepkgs of /etc/dnf/dnf.conf)"),
}
LOCKED = "mkdir -p /etc/dnf/plugins; echo 'fleet-agent-0:1.0-1.*' > /etc/dnf/plugins/versionlock.list"


@pytest.mark.full
def test_who_keeps_a_package_is_named_before_and_nothing_is_begun(lab: Lab, tmp_path: Path) -> None:
    lab.ask("h03", "mkdir -p /etc/dnf; grep -qs main /etc/dnf/dnf.conf || echo '[main]' >> /etc/dnf/dnf.conf")
    for host, (command, _) in HELD.items():
        lab.ask(host, command)
    before = {host: state(lab, host) for host in FAMILIES}
    early = play(lab, tmp_path / "1", *(asked(lab, host, lab.release("2")) for host in FAMILIES))
    late = play(lab, tmp_path / "2", *(update(lab, lab.grant(), host, lab.release("2")) for host in FAMILIES))
    for host, (_, says) in HELD.items():
        for result in (early[host], late[host]):
            assert why(result) == ("Failed", False, "People", "held"), result
            assert says in result["message"]
    assert {host: state(lab, host) for host in FAMILIES} == before
    lab.ask("h03", f"sed -i /excludepkgs/d /etc/dnf/dnf.conf; {LOCKED}")
    locked = play(lab, tmp_path / "3", asked(lab, "h03", lab.release("2"), round=2))["h03"]
    assert why(locked) == ("Failed", False, "People", "held")
    assert "fleet-agent is locked (dnf versionlock, /etc/dnf/plugins/versionlock.list)" in locked["message"]
    lab.ask("h03", "rm /etc/dnf/plugins/versionlock.list")
    free = play(lab, tmp_path / "4", asked(lab, "h03", lab.release("2"), round=3))["h03"]
    assert free["outcome"] == "Done", f"control: {free}"


HOLDS = """
import fcntl, os, signal
file = open("{}", "a")
fcntl.lockf(file, fcntl.LOCK_EX)
os.mkfifo("/root/gate")
os.close(os.open("/root/holds", os.O_CREAT))
signal.alarm(600)
open("/root/gate").read()
"""
OPENS = "timeout 10 sh -c ': > /root/gate'"
LOCKS = {"h01": "/var/lib/apt/lists/lock", "h03": "/var/lib/rpm/.rpm.lock"}


def hold(lab: Lab, host: str) -> None:
    lab.ask(host, "cat > /root/foreign.py", HOLDS.format(LOCKS[host]).encode())
    lab.ask(host, "setsid /usr/bin/python3 /root/foreign.py </dev/null >/dev/null 2>&1 &")
    wait_until(lambda: lab.ask(host, "ls /root/holds") != "", "the lock is held")


def is_told(board: HttpBoardServer, job_id: str) -> bool:
    return "waitsFor" in board.jobs[job_id]["facts"]


@pytest.mark.full
def test_a_process_of_somebody_else_is_waited_for_and_named_and_goes_on_undisturbed(lab: Lab, tmp_path: Path) -> None:
    for host in FAMILIES:
        hold(lab, host)
    with HttpBoardServer(lease_seconds=20) as board:
        jobs = {host: update(lab, lab.grant(), host, lab.release("2"), deadlineSeconds=240) for host in FAMILIES}
        board.publish(*jobs.values())
        process = operator(lab, board.url, token_file(tmp_path), tmp_path / "log", "--once")
        for one in jobs.values():
            wait_until(functools.partial(is_told, board, one["id"]), "it is told whom it waits for", seconds=90)
        for host in FAMILIES:
            assert lab.installed(host)["fleet-os"].startswith("1.0")
            assert lab.ask(host, "pgrep -f /root/foreign.py | head -1") != "", "it goes on"
            lab.ask(host, OPENS)
        found = {host: board.result(one["id"], 240) for host, one in jobs.items()}
        assert process.wait(timeout=60) == 0
        told = {host: board.jobs[one["id"]]["facts"]["waitsFor"] for host, one in jobs.items()}
    for host in FAMILIES:
        assert found[host]["outcome"] == "Done", found[host]
        assert "/usr/bin/python3 /root/foreign.py (pid " in told[host]
    assert "has the lock of apt's lists" in told["h01"]
    assert "has rpm's lock" in told["h03"]


@pytest.mark.full
def test_one_that_does_not_end_in_time_is_the_reason_and_nothing_is_begun(lab: Lab, tmp_path: Path) -> None:
    for host in FAMILIES:
        hold(lab, host)
    before = {host: state(lab, host) for host in FAMILIES}
    found = play(lab, tmp_path / "1", *(update(lab, lab.grant(), host, lab.release("2"), deadlineSeconds=75) for host in FAMILIES))
    assert {host: state(lab, host) for host in FAMILIES} == before
    for host in FAMILIES:
        assert why(found[host]) == ("Failed", False, "Time", "lock-held"), found[host]
        assert "/usr/bin/python3 /root/foreign.py (pid " in found[host]["message"]
        lab.ask(host, OPENS)


def channels(lab: Lab, folder: Path) -> dict[str, Any]:
    """Release 2 in channels that each host serves to itself, and that a test may take away."""
    made = lab.release("2")
    for host, index, field in (("h01", "Packages", "channel"), ("h03", "repodata/repomd.xml", "dnfChannel")):
        copy = folder / host
        shutil.copytree(lab_packages.channels() / FAMILIES[host] / "v2", copy)
        made[field] = lab._serve(host, copy, index)
    return made


@pytest.mark.full
def test_what_was_staged_needs_no_channel_any_more_and_without_that_it_does(lab: Lab, tmp_path: Path) -> None:
    release = channels(lab, tmp_path)
    before = {host: state(lab, host) for host in FAMILIES}
    passed = play(lab, tmp_path / "1", *(asked(lab, host, release) for host in FAMILIES))
    assert {host: state(lab, host) for host in FAMILIES} == before
    for host in FAMILIES:
        assert (passed[host]["outcome"], passed[host]["facts"]["staged"]) == ("Done", "3"), passed[host]
        lab.ask(host, "rm -r /root/channel/*")
    done = play(lab, tmp_path / "2", *(update(lab, lab.grant(), host, release) for host in FAMILIES))
    for host in FAMILIES:
        assert why(done[host])[:2] == ("Done", True), done[host]
    lost = play(lab, tmp_path / "3", *(asked(lab, host, release, round=2) for host in FAMILIES))
    for host in FAMILIES:
        assert why(lost[host]) == ("Failed", False, "Time", "source-unreadable"), f"control: {lost[host]}"


PYTHON_FIRST = "printf '#!/bin/sh\\nexit 9\\n' > /usr/local/bin/python3; chmod 755 /usr/local/bin/python3"
HOOK = "printf 'DPkg::Pre-Invoke {\"printf f\\\\\\\\374r\";};\\n' > /etc/apt/apt.conf.d/zz-hook"


@pytest.mark.full
def test_a_python_of_somebody_else_and_a_byte_that_is_no_text_change_nothing(lab: Lab, tmp_path: Path) -> None:
    lab.ask("h03", PYTHON_FIRST)
    lab.ask("h01", HOOK)
    assert "374" in lab.ask("h01", "cat /etc/apt/apt.conf.d/zz-hook")
    assert lab.ask("h03", "python3 -c 'print(1)'; echo $?") == "9", "it is first"
    found = play(lab, tmp_path, *(update(lab, lab.grant(), host, lab.release("2")) for host in FAMILIES))
    for host in FAMILIES:
        assert found[host]["outcome"] == "Done", found[host]
    assert "f�r" in lab.ask("h01", "/usr/bin/python3 /data/drydock/bin/hostrun-* state >/dev/null; cat /data/drydock/runs/*.upgrade/out")


@pytest.mark.full
def test_control_the_python_that_is_first_is_the_wrong_one(lab: Lab, tmp_path: Path) -> None:
    lab.ask("h03", PYTHON_FIRST)
    bugs = (
        ("bundle.py", 'PYTHON = "/usr/bin/python3"', 'PYTHON = "python3"'),
        ("bundle.py", 'PATH = "/usr/sbin:', 'PATH = "/usr/local/bin:/usr/sbin:'),
    )
    found = play(lab, tmp_path, update(lab, lab.grant(), "h03", lab.release("2")), bugs=bugs)
    assert found["h03"]["outcome"] != "Done"


def complains(lab: Lab, folder: Path) -> str:
    """An rpm of which rpm itself says that something is wrong, since long before, though it is of the release already."""
    folder.mkdir()
    rpm(folder, "own-tool", "1.0", "true", "Requires: nowhere-to-be-found\n")
    lab.ask("h03", "cat > /root/own-tool.rpm && rpm -i --nodeps /root/own-tool.rpm", (folder / "own-tool.rpm").read_bytes())
    agent = lab.release("2")["dnfChannel"] + "/fleet-agent-2.0-1.noarch.rpm"
    lab.ask("h03", f"rpm -U --nodeps {agent}; chmod 600 $(rpm -ql fleet-agent | head -1)")
    return lab.ask("h03", "rpm -V --noconfig fleet-agent; dnf -q check")


@pytest.mark.full
def test_what_rpm_complained_about_before_is_not_held_against_the_host(lab: Lab, tmp_path: Path) -> None:
    grant = lab.grant()
    text = complains(lab, tmp_path / "rpm")
    assert "nowhere-to-be-found" in text
    assert ".M......." in text
    release = lab.release("2")
    done = play(lab, tmp_path / "1", update(lab, grant, "h03", release))["h03"]
    assert why(done)[:2] == ("Done", True), done
    assert "nowhere-to-be-found" in done["facts"]["brokenBefore"]
    after = job(grant, "Health", "h03", lab.address("h03"), release, osFamily="dnf", round=4, facts=done["facts"])
    health = play(lab, tmp_path / "2", after)["h03"]
    assert health["outcome"] == "Done", health


@pytest.mark.full
def test_control_one_that_forgets_what_was_before_holds_it_against_the_host(lab: Lab, tmp_path: Path) -> None:
    complains(lab, tmp_path / "rpm")
    bug = ("facts.py", 'new_complaints(before.audit if before else "", record["audit"])', 'new_complaints("", record["audit"])')
    found = play(lab, tmp_path, update(lab, lab.grant(), "h03", lab.release("2")), bugs=(bug,))["h03"]
    assert (found["outcome"], "package database" in found["message"]) == ("Failed", True)


UNNAMED = {"h01": "apt-mark hold own-tool", "h03": "echo 'own-tool-0:1.0-1.*' > /etc/dnf/plugins/versionlock.list"}


@pytest.mark.full
def test_an_unnamed_package_that_somebody_keeps_is_told_and_stands_in_nobody_s_way(lab: Lab, tmp_path: Path) -> None:
    """Control: it is in the channel in a newer version, and without the hold it would be upgraded."""
    release = lab.release("2")
    for host, field in (("h01", "channel"), ("h03", "dnfChannel")):
        old, new = tmp_path / f"{host}-old", tmp_path / f"{host}-new"
        old.mkdir()
        shutil.copytree(lab_packages.channels() / FAMILIES[host] / "v2", new)
        for folder, version in ((old, "1.0"), (new, "2.0")):
            if host == "h01":
                package(folder, "own-tool", version)
            else:
                rpm(folder, "own-tool", version, "true")
        file = next(old.glob("own-tool*"))
        install = "dpkg -i" if host == "h01" else "mkdir -p /etc/dnf/plugins; rpm -i"
        lab.ask(host, f"cat > /root/{file.name}; {install} /root/{file.name}", file.read_bytes())
        release[field] = lab.channel(host, new) if host == "h01" else lab.dnf_channel(host, new)
    free = play(lab, tmp_path / "0", *(asked(lab, host, release) for host in FAMILIES))
    for host, command in UNNAMED.items():
        assert free[host]["facts"]["staged"] == "4", f"control: {free[host]}"
        lab.ask(host, command)
    passed = play(lab, tmp_path / "1", *(asked(lab, host, release, round=2) for host in FAMILIES))
    done = play(lab, tmp_path / "2", *(update(lab, lab.grant(), host, release) for host in FAMILIES))
    for host in FAMILIES:
        assert (passed[host]["outcome"], passed[host]["facts"]["keptBack"]) == ("Done", "own-tool"), passed[host]
        assert (done[host]["outcome"], done[host]["facts"].get("keptBack")) == ("Done", "own-tool"), done[host]
        assert done[host]["message"].endswith("1 kept back: own-tool")
