"""One check per promise of hostrun. Each is run against hostrun and against a copy with that promise broken."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time

from .program import Hostrun, ended, wait_until

KEY = "g17.Update.h01.1"


def older_token_is_refused(host: Hostrun) -> None:
    assert host.run("1.7.1.2", KEY + ".a", host.effect("a")).code == 0
    for older in ("1.7.1.1", "1.6.9.9", "0.9.9.9"):
        answer = host.run(older, KEY + ".b", host.effect("b"))
        assert answer.code == 75
        assert "older than 1.7.1.2" in answer.err
    assert host.token("1.7.1.1").code == 75
    assert host.effects() == ["a"]


def tokens_compare_as_numbers(host: Hostrun) -> None:
    assert host.token("1.9.1.1").code == 0
    assert host.token("1.10.1.1").code == 0
    assert host.token("1.9.1.1").code == 75


def epoch_comes_first(host: Hostrun) -> None:
    assert host.token("1.900.9.9").code == 0
    assert host.token("2.3.1.1").code == 0
    assert host.token("1.900.9.9").code == 75


def token_is_kept_before_the_command_starts(host: Hostrun) -> None:
    assert host.run("3.1.1.1", KEY, f"cat {host.root}/token").out == "3.1.1.1\n"


def old_caller_that_waited_in_line_is_refused(host: Hostrun) -> None:
    first = host.begin_run("1.7.1.1", KEY + ".a", f"{host.effect('a')}; {host.gate()}")
    wait_until(lambda: host.effects() == ["a"], "first command runs")
    waiting = host.begin_run("1.7.1.1", KEY + ".b", host.effect("b"))
    time.sleep(0.5)  # nothing shows from outside that it has taken its place in the line
    assert host.token("1.7.1.2").code == 0
    host.open_gate()
    assert ended(first).code == 0
    assert ended(waiting).code == 75
    assert host.effects() == ["a"]


def same_key_at_the_same_time_runs_once(host: Hostrun) -> None:
    script = f"{host.effect('a')}; sleep 0.3; echo said; exit 5"
    answers = [ended(caller) for caller in [host.begin_run("1.7.1.1", KEY, script) for _ in range(4)]]
    assert {(answer.code, answer.out) for answer in answers} == {(5, "said\n")}
    assert host.effects() == ["a"]


def finished_key_answers_again_without_running(host: Hostrun) -> None:
    script = f"{host.effect('a')}; echo said; echo noise >&2; exit 5"
    first = host.run("1.7.1.1", KEY, script)
    second = host.run("1.7.1.2", KEY, script)
    assert first == second
    assert (first.code, first.out, first.err) == (5, "said\n", "noise\n")
    assert host.effects() == ["a"]


def other_key_waits(host: Hostrun) -> None:
    first = host.begin_run("1.7.1.1", KEY + ".a", f"{host.effect('a')}; {host.gate()}; {host.effect('A')}")
    wait_until(lambda: host.effects() == ["a"], "first command runs")
    late = host.run("1.7.1.2", KEY + ".b", host.effect("b"), deadline=0.3)
    assert late.code == 76
    assert KEY + ".a still runs" in late.err
    second = host.begin_run("1.7.1.2", KEY + ".c", host.effect("c"))
    host.open_gate()
    assert ended(first).code == 0
    assert ended(second).code == 0
    assert host.effects() == ["a", "A", "c"]


def command_outlives_its_caller(host: Hostrun) -> None:
    script = f"{host.effect('a')}; {host.gate()}; echo said; {host.effect('A')}"
    caller = host.begin_run("1.7.1.1", KEY, script)
    wait_until(lambda: host.effects() == ["a"], "command runs")
    os.killpg(caller.pid, signal.SIGKILL)  # what is left of an ssh session that was cut
    caller.communicate()
    second = host.begin_run("1.7.1.2", KEY, script)
    host.open_gate()
    answer = ended(second)
    assert (answer.code, answer.out) == (0, "said\n")
    assert host.effects() == ["a", "A"]


def killed_supervisor_is_told_after_the_command_ended(host: Hostrun) -> None:
    script = f"{host.effect('a')}; {host.gate()}; sleep 2; {host.effect('A')}"
    caller = host.begin_run("1.7.1.1", KEY, script)
    wait_until(lambda: host.effects() == ["a"], "command runs")
    os.kill(host.processes(KEY)[0], signal.SIGKILL)
    other = host.begin_run("1.7.1.1", KEY + ".other", host.effect("b"))
    host.open_gate()
    answer = ended(caller)
    assert answer.code == 77
    assert "read the host" in answer.err
    assert ended(other).code == 0
    assert host.effects() == ["a", "A", "b"]


def interrupted_key_never_runs_again(host: Hostrun) -> None:
    script = f"{host.effect('a')}; {host.gate()}"
    caller = host.begin_run("1.7.1.1", KEY, script)
    wait_until(lambda: host.effects() == ["a"], "command runs")
    for process in host.processes(KEY):
        os.kill(process, signal.SIGKILL)
    assert ended(caller).code == 77
    host.boot_id.write_text("second-boot\n")
    host.open_gate()
    assert host.run("1.7.1.2", KEY, script).code == 77
    assert host.effects() == ["a"]
    assert host.state("--key", KEY)["runs"][KEY]["state"] == "interrupted"
    assert host.run("1.7.1.2", KEY + ".next", "true").code == 0


def reboot_ends_every_command(host: Hostrun) -> None:
    """After a reboot a pid in a file names some other process; here the old one itself plays that part."""
    script = f"{host.effect('a')}; {host.gate()}"
    caller = host.begin_run("1.7.1.1", KEY, script)
    wait_until(lambda: host.effects() == ["a"], "command runs")
    os.kill(host.processes(KEY)[0], signal.SIGKILL)
    host.boot_id.write_text("second-boot\n")
    try:
        assert host.state()["runs"][KEY]["state"] == "interrupted"
    finally:
        host.open_gate()
        ended(caller)


def key_that_never_started_may_start(host: Hostrun) -> None:
    assert host.run("1.7.1.1", KEY, "true").code == 0
    for name in ("pid", "rc", "out", "err"):
        (host.root / "runs" / KEY / name).unlink()
    assert host.run("1.7.1.1", KEY, host.effect("a")).code == 0
    assert host.effects() == ["a"]


def late_command_is_ended(host: Hostrun) -> None:
    answer = host.run("1.7.1.1", KEY, f"trap '{host.effect('term')}; exit 1' TERM; {host.gate(1)}", deadline=0.3)
    assert answer.code == 124
    assert host.effects() == ["term"]
    host.open_gate()


def _hold(path: object) -> subprocess.Popen[str]:
    """A process with a lock of dpkg, of the kind dpkg takes; it goes when its stdin is closed."""
    script = "import fcntl,sys; f=open(sys.argv[1],'w'); fcntl.lockf(f,fcntl.LOCK_EX); print('held',flush=True); sys.stdin.read()"
    process = subprocess.Popen([sys.executable, "-c", script, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "held\n"
    return process


def _late_beside(host: Hostrun, *locks: str) -> None:
    holders = [_hold(host.dpkg / lock) for lock in locks]
    script = f"trap '{host.effect('term')}; exit 1' TERM; {host.effect('a')}; {host.gate()}"
    caller = host.begin_run("1.7.1.1", KEY, script, deadline=0.2)
    try:
        wait_until(lambda: "a" in host.effects(), "command runs")
        time.sleep(0.9)  # several times the deadline
        assert host.effects() == ["a"]
    finally:
        for holder in holders:
            holder.communicate()
        answer = ended(caller)
        host.open_gate()
    assert answer.code == 124
    assert host.effects() == ["a", "term"]


def late_command_is_left_alone_while_dpkg_works(host: Hostrun) -> None:
    _late_beside(host, "lock-frontend", "lock")


def late_command_is_left_alone_between_two_calls_of_dpkg(host: Hostrun) -> None:
    _late_beside(host, "lock-frontend")


def late_command_is_left_alone_while_rpm_works(host: Hostrun) -> None:
    _late_beside(host, ".rpm.lock")


def late_download_is_ended(host: Hostrun) -> None:
    """apt holds both locks itself while it plans and downloads: a hung mirror must not hold the host for ever."""
    with (host.dpkg / "lock-frontend").open("w") as outer, (host.dpkg / "lock").open("w") as inner:
        fcntl.lockf(outer, fcntl.LOCK_EX)
        fcntl.lockf(inner, fcntl.LOCK_EX)
        late_command_is_ended(host)


def key_belongs_to_one_command(host: Hostrun) -> None:
    assert host.run("1.7.1.1", KEY, host.effect("a")).code == 0
    assert host.run("1.7.1.1", KEY, host.effect("b")).code == 64
    assert host.effects() == ["a"]


def unreadable_fence_refuses_everything(host: Hostrun) -> None:
    assert host.token("1.7.1.1").code == 0
    (host.root / "token").write_text("\0\0\0")
    assert host.run("9.9.9.9", KEY, host.effect("a")).code == 74
    assert host.effects() == []
