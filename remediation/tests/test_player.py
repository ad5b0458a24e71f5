"""The commands a host is given, the processes of a play, and how a host is read."""

from __future__ import annotations

import dataclasses
import json
import logging
import math
import os
import secrets
import subprocess
import sys
import threading
import types
from pathlib import Path

import pytest

from drydock_remediation.boot_clock import boot_clock
from drydock_remediation.bundle import ALONE
from drydock_remediation.channel_on_host import Order
from drydock_remediation.commands import REBOOT, Wrapper, host_program, update_commands
from drydock_remediation.log import JsonLines
from drydock_remediation.play import await_the_end, told
from drydock_remediation.player import AnsiblePlayer, read_report, reports
from drydock_remediation.processes import COOKIE, carriers, kill_play
from drydock_remediation.records import FAMILIES, Claim, Job, Repair, Step, release_for
from drydock_remediation.settings import WRAPPER, Settings, Ssh, Waits

from . import on_host
from .fakes import RELEASE, job, recorded
from .hostrun.program import wait_until

CLAIM = Claim(job(), "c", 2, "1.17.3.2", 15, 0.0)
SETTINGS = Settings("http://board", Path("token"), Ssh("root", Path("/key"), Path("/known")), "me")


def test_everything_that_changes_a_host_runs_under_the_wrapper_with_token_and_key() -> None:
    wrapper = Wrapper(WRAPPER)
    commands = update_commands(wrapper, CLAIM, RELEASE)
    for name in ("channel", "upgrade", "reboot"):
        wrapped = [*ALONE, wrapper.path, "run", "--token", "1.17.3.2", "--key", f"g17.Update.h02.3.{name}"]
        assert commands[name][: len(wrapped)] == wrapped
    program = host_program(FAMILIES["apt"])
    assert commands["fence"][-4:] == ["1.17.3.2", program.path, program.sha256, program.text]
    assert commands["simulation"][:-1] == [*ALONE, program.path, "plan"]


def test_a_dnf_host_is_upgraded_from_its_own_channel_by_the_program_that_was_planned_with() -> None:
    record = {"name": "2", "channel": "http://x/apt", "packages": {"a": "1"}, "kernel": "6", "dnfChannel": "http://x/dnf"}
    made = release_for("dnf", {**record, "dnfPackages": {"a": "1-1"}, "dnfKernel": "6.el9"})
    assert (made.channel, made.packages, made.kernel) == ("http://x/dnf", {"a": "1-1"}, "6.el9")
    commands = update_commands(Wrapper(WRAPPER), CLAIM, made)
    program = host_program(FAMILIES["dnf"])
    for name, verb in (("channel", "refresh"), ("simulation", "plan"), ("upgrade", "upgrade")):
        assert commands[name][-len(ALONE) - 3 : -1] == [*ALONE, program.path, verb]
        assert Order.read(commands[name][-1]).channel == "http://x/dnf"
    assert release_for("apt", record).channel == "http://x/apt"
    assert release_for("dnf", record).kernel == "6"


def test_nothing_of_a_command_is_taken_for_a_template() -> None:
    """Ansible would put something else in its place."""
    for family in ("apt", "dnf"):
        claim = dataclasses.replace(CLAIM, job=job(downgrade=True))
        commands = update_commands(Wrapper(WRAPPER), claim, dataclasses.replace(RELEASE, family=family))
        words = [word for command in commands.values() for word in command] + FAMILIES[family].query
        assert [word for word in words if any(mark in word for mark in ("{{", "{%", "{#"))] == []


@pytest.mark.parametrize("family", FAMILIES)
def test_only_a_job_that_says_so_lets_packages_go_to_older_versions(family: str) -> None:
    release = dataclasses.replace(RELEASE, family=family)
    for downgrade in (False, True):
        claim = dataclasses.replace(CLAIM, job=job(downgrade=downgrade))
        commands = update_commands(Wrapper(WRAPPER), claim, release)
        assert [Order.read(commands[name][-1]).downgrade for name in ("channel", "simulation", "upgrade")] == [downgrade] * 3


def test_a_job_says_so_in_one_way_only() -> None:
    record = {**dict.fromkeys(("id", "grant", "host", "address"), "x"), "step": "Update", "round": 3, "deadlineSeconds": 60}
    said = [Job.read({**record, **more}).downgrade for more in ({}, {"downgrade": False}, {"downgrade": "false"}, {"downgrade": True})]
    assert said == [False, False, False, True]


def test_every_attempt_gives_the_wrapper_the_same_command() -> None:
    """It refuses a key that belongs to another one."""
    first, second = (update_commands(Wrapper(WRAPPER), Claim(job(), "x", n, f"1.17.3.{n}", 15, 0.0), RELEASE) for n in (1, 2))
    for name in ("channel", "upgrade", "reboot"):
        assert first[name][first[name].index("--") :] == second[name][second[name].index("--") :]


@pytest.mark.parametrize(("refusals", "code"), [(0, 0), (2, 0), (9, 1)])
def test_a_refused_reboot_is_tried_again_and_told(tmp_path: Path, refusals: int, code: int) -> None:
    """As systemd 257 refuses while somebody inhibits it."""
    shutdown = f'echo x >> {tmp_path}/asked; [ $(wc -l < {tmp_path}/asked) -gt {refusals} ] || {{ echo "Access denied" >&2; exit 1; }}'
    for name, script in (("shutdown", shutdown), ("sleep", "true"), ("sync", "true")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    done = subprocess.run(["sh", "-c", REBOOT], env=environment, capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stderr.count("Access denied")) == (code, min(refusals, 5))


def test_a_job_s_deadline_bounds_every_command() -> None:
    upgrade = update_commands(Wrapper(WRAPPER), CLAIM, RELEASE)["upgrade"]
    assert upgrade[upgrade.index("--deadline") + 1] == "120"


def test_host_keys_are_checked_against_the_given_file_alone() -> None:
    options = SETTINGS.ssh.options()
    for wanted in ("StrictHostKeyChecking=yes", "UserKnownHostsFile=/known", "GlobalKnownHostsFile=/dev/null", "BatchMode=yes"):
        assert wanted in options
    assert options[:2] == ["-F", "none"]
    environment = AnsiblePlayer(SETTINGS)._environment(Path("/x"))
    assert environment["ANSIBLE_HOST_KEY_CHECKING"] == "True"
    assert environment["PATH"].startswith(f"{Path(sys.executable).parent}:")


def test_a_play_that_waits_does_not_look_a_thousand_times_a_second() -> None:
    environment = AnsiblePlayer(SETTINGS)._environment(Path("/x"))
    config = ["ansible-config", "dump", "--only-changed", "--format", "json"]
    told = subprocess.run(config, env=environment, capture_output=True, check=True, timeout=60).stdout
    intervals = [setting["value"] for setting in json.loads(told) if setting.get("name") == "DEFAULT_INTERNAL_POLL_INTERVAL"]
    assert intervals == [0.02]


def test_the_wrong_ansible_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    checked = AnsiblePlayer(SETTINGS)
    checked.check_version()
    monkeypatch.setattr("importlib.metadata.version", lambda _: "2.14.18")
    with pytest.raises(RuntimeError, match="must be of ansible-core"):
        checked.check_version()


def escaping(cookie: str) -> subprocess.Popen[bytes]:
    """A process whose children leave its session and lose their parent, as Ansible's workers do."""
    script = "import os,time\nos.fork() or (os.setsid(), os.fork() and os._exit(0), time.sleep(60))\ntime.sleep(60)"
    return subprocess.Popen([sys.executable, "-c", script], env={**os.environ, COOKIE: cookie}, start_new_session=True)


def test_a_play_is_ended_with_everything_that_escaped_from_it() -> None:
    cookie, other = secrets.token_hex(8), secrets.token_hex(8)
    mine, foreign = escaping(cookie), escaping(other)
    try:
        wait_until(lambda: len(carriers(cookie)) >= 2 and len(carriers(other)) >= 2, "processes are there")
        assert kill_play(cookie)
        mine.wait(timeout=5)
        assert carriers(cookie) == []
        assert len(carriers(other)) >= 2
    finally:
        kill_play(other)
        foreign.wait(timeout=5)


def group_of(process: int) -> int | None:
    try:
        return os.getpgid(process)
    except ProcessLookupError:
        return None


def test_control_killing_the_group_alone_leaves_some() -> None:
    cookie = secrets.token_hex(8)
    process = escaping(cookie)
    try:
        wait_until(lambda: any(group_of(one) not in (None, process.pid) for one in carriers(cookie)), "one has escaped")
        os.killpg(process.pid, 9)
        process.wait(timeout=5)
        wait_until(lambda: carriers(cookie) != [], "what escaped has lost its parent and lives")
    finally:
        assert kill_play(cookie)


def test_reports_end_when_told_to_stop_though_the_play_says_nothing() -> None:
    process = subprocess.Popen(["sleep", "60"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    asked = iter([False, False, True])
    assert list(reports(process, lambda: next(asked), lambda: math.inf)) == []
    process.kill()
    process.wait()


def test_a_play_is_told_each_new_end_of_its_leases(tmp_path: Path) -> None:
    with (tmp_path / "told").open("wb") as told_there:
        process = subprocess.Popen(["tee", "/dev/stderr"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=told_there)
    ends, asked = iter([17.5, 17.5, 22.5, 22.5]), iter([False] * 4 + [True])
    assert list(reports(process, lambda: next(asked), lambda: next(ends))) == []
    process.communicate()
    assert (tmp_path / "told").read_text().split() == ["17.5", "22.5"]


def test_a_play_finds_all_that_it_needs_in_its_own_environment() -> None:
    """It has this package and nothing else of the operator's."""
    environment = AnsiblePlayer(SETTINGS)._environment(Path("/x"))
    command = [sys.executable, "-c", "import drydock_remediation.play"]
    assert subprocess.run(command, env=environment, capture_output=True, timeout=60, check=False).returncode == 0


def test_a_play_whose_operator_says_nothing_more_ends_with_its_leases() -> None:
    """A stopped operator closes no life line."""
    life_line, operators_end = os.pipe()
    waiting = threading.Thread(target=await_the_end, args=(life_line, boot_clock() + 0.2))
    waiting.start()
    waiting.join(timeout=20)
    assert not waiting.is_alive()
    os.close(operators_end)
    os.close(life_line)


def test_a_play_goes_on_while_its_leases_are_renewed_and_ends_with_the_operator() -> None:
    life_line, operators_end = os.pipe()
    first_end = boot_clock() + 1.0
    waiting = threading.Thread(target=await_the_end, args=(life_line, first_end))
    waiting.start()
    os.write(operators_end, b"inf\n")
    wait_until(lambda: boot_clock() > first_end + 0.3, "the first lease has ended")
    assert waiting.is_alive()
    os.close(operators_end)
    waiting.join(timeout=20)
    assert not waiting.is_alive()
    os.close(life_line)


def test_events_of_ansible_become_reports() -> None:
    result = {"rc": 0, "stdout": "out", "stderr": "", "host": recorded(2)}
    event = {"event": "runner_on_ok", "event_data": {"host": "h02", "task": "before", "res": result}}
    report = read_report(json.dumps(told(event)).encode())
    assert report
    assert (report.host, report.task, report.told.status, report.told.code, report.told.out) == ("h02", "before", "ok", 0, "out")
    assert report.told.facts
    assert report.told.facts.kernel == "6.2.0.0-fleet"
    assert told({"event": "playbook_on_stats", "event_data": {}}) is None
    assert read_report(b"{") is None
    assert read_report(b'{"host": "h02"}') is None


def read_host() -> types.ModuleType:
    return on_host.load("read_host")


def test_only_properly_installed_packages_count() -> None:
    lines = "fleet-os|ii |2.0\nfleet-agent|iF |2.0\nfleet-kernel|rc |1.0\ndpkg-query: no packages found matching x\nbash|hi |5\n"
    assert read_host().installed(lines) == {"bash": "5", "fleet-os": "2.0"}


def test_all_packages_become_one_sorted_text() -> None:
    module = read_host()
    found = module.installed("b|ii |2:1.0-1\na|ii |1\nkernel|ii |6.2\nkernel|ii |6.1\nc|ii |3\nc|ii |3\n")
    assert module.listed(found) == "a 1\nb 2:1.0-1\nc 3\nkernel 6.1 6.2\n"


def test_a_system_is_called_by_the_name_it_gives_itself() -> None:
    assert read_host().os_release('ID=x\nPRETTY_NAME="Fleet OS 2"\n') == "Fleet OS 2"
    assert read_host().os_release("PRETTY_NAME=Fleet\n") == "Fleet"
    assert read_host().os_release("ID=x\n") == "unknown"


def test_what_was_before_is_read_as_the_host_kept_it(tmp_path: Path) -> None:
    module = read_host()
    assert module.before("") is None
    assert module.before(str(tmp_path / "none")) is None
    (tmp_path / "kept").write_text('fleet-os|ii |1.0\nkernel=6.1\nID=fleet\nPRETTY_NAME="Fleet OS 1"\naudit= own-tool  half|ii|done\n')
    assert module.before(str(tmp_path / "kept")) == {
        "kernel": "6.1",
        "os_release": "Fleet OS 1",
        "all_packages": "fleet-os 1.0\n",
        "audit": " own-tool  half|ii|done",
    }


def test_the_fingerprint_of_a_package_database_changes_with_it(tmp_path: Path) -> None:
    module = on_host.load("read_host")
    assert module.fingerprint(str(tmp_path)) == "", "there is none"
    for place in ("var/lib/dpkg/status", "var/lib/rpm/rpmdb.sqlite"):
        file = tmp_path / place
        file.parent.mkdir(parents=True)
        seen = {module.fingerprint(str(tmp_path))}
        for text, at in (("one", 1), ("two", 2), ("three", 2)):
            file.write_text(text)
            os.utime(file, (at, at))
            seen.add(module.fingerprint(str(tmp_path)))
            assert module.fingerprint(str(tmp_path)) in seen, "reading it changes nothing"
        assert len(seen) == 4


def test_an_audit_is_clean_only_if_every_command_ran_and_said_nothing() -> None:
    audit = read_host().audit
    assert audit([["true"], ["true"]]) == ""
    assert audit([["true"], ["echo", "half configured"]]) == "half configured"
    assert audit([["true"], ["false"]]) == "false ended with 1"


def with_manifest(data: Path) -> types.ModuleType:
    """One file, and its sum in the manifest."""
    (data / "file").write_text("precious")
    sums = subprocess.run(["sha256sum", "file"], cwd=data, capture_output=True, text=True, check=True).stdout
    (data / "manifest.sha256").write_text(sums)
    return read_host()


def test_sums_of_the_data_partition_are_really_compared(tmp_path: Path) -> None:
    module = with_manifest(tmp_path)
    assert module.data_sums(tmp_path, 60)[0] is True
    (tmp_path / "file").write_text("spoiled")
    assert module.data_sums(tmp_path, 60)[0] is False
    (tmp_path / "manifest.sha256").write_text("")
    assert module.data_sums(tmp_path, 60)[0] is False


def test_a_data_partition_need_not_have_a_manifest(tmp_path: Path) -> None:
    assert read_host().data_sums(tmp_path, 60) == (True, "no manifest", "")


def test_sums_that_take_too_long_are_a_finding_and_the_manifest_is_known(tmp_path: Path) -> None:
    module = with_manifest(tmp_path)
    known = module.data_sums(tmp_path, 60)[2]
    (tmp_path / "file").unlink()
    os.mkfifo(tmp_path / "file")  # nobody ever writes to it
    assert module.data_sums(tmp_path, 1) == (False, "not checked within 1 s", known)


def test_sums_nobody_asked_for_are_not_called_right(tmp_path: Path) -> None:
    ok, says, manifest = with_manifest(tmp_path).data_sums(tmp_path, 0)
    assert (ok, says, len(manifest)) == (False, "not checked", 64)


@pytest.mark.parametrize(("step", "seconds"), [(Step.VERIFY, 240), (Step.HEALTH, 240), (Step.UPDATE, 0), (Step.REPAIR, 0)])
def test_sums_are_compared_where_they_are_judged_and_leave_the_job_time(step: Step, seconds: int, tmp_path: Path) -> None:
    def given(deadline: int, waits: Waits) -> object:
        asked = Claim(job(step=step, repair=Repair.VERIFY, deadline_seconds=deadline), "c", 1, "1.17.3.1", 15, 0.0)
        return AnsiblePlayer(dataclasses.replace(SETTINGS, waits=waits))._host_variables(tmp_path, step, asked)["sums_seconds"]

    assert given(300, Waits()) == seconds
    assert given(60, Waits()) == (40 if seconds else 0), "of what is left when somebody takes over late"
    assert given(6000, Waits()) == (Waits().sums if seconds else 0)
    assert given(6000, Waits(sums=4000)) == (4000 if seconds else 0)


def test_log_lines_are_json_with_the_names_of_the_job() -> None:
    record = logging.LogRecord("x", logging.INFO, "f", 1, "claimed %s", ("it",), None)
    record.job = "g17.Update.h02.3"
    line = json.loads(JsonLines().format(record))
    assert (line["message"], line["job"], line["level"]) == ("claimed it", "g17.Update.h02.3", "INFO")
