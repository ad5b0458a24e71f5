"""A real host whose root shell says something by itself is updated, started anew and read as if it did not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from drydock_remediation.commands import Wrapper
from drydock_remediation.records import Claim, Job
from drydock_remediation.reimage.host import SshHost
from drydock_remediation.settings import Ssh

from .hostrun.program import SOURCE as WRAPPER
from .http_board import HttpBoardServer, job, token_file
from .lab_hosts import Lab, broken, operator

pytestmark = [pytest.mark.lab, pytest.mark.full]

WELCOME = b"echo welcome; printf 'so busy \\374\\n' >&2; trap 'echo bye' EXIT\n"


def test_what_a_start_up_file_says_is_no_answer(lab: Lab, tmp_path: Path) -> None:
    grant = lab.grant()
    lab.ask("h01", "cat > /root/.bashrc", WELCOME)
    before = lab.ask("h01", "cat /proc/sys/kernel/random/boot_id").splitlines()
    assert (before[0], before[-1]) == ("welcome", "bye"), "the control: whoever asks is welcomed"
    record = job(grant, "Update", "h01", lab.address("h01"), lab.release("2"))
    with HttpBoardServer() as board:
        board.publish(record)
        process = operator(lab, board.url, token_file(tmp_path), tmp_path / "log", "--once")
        result = board.result(f"g{grant}.Update.h01.3")
        assert process.wait(timeout=30) == 0
    assert result["outcome"] == "Done", result
    assert result["facts"]["bootIdBefore"] == before[1] != result["facts"]["bootId"]

    known = json.loads(lab.ssh_file.read_text())
    ssh = Ssh(known["user"], Path(known["keyFile"]), Path(known["knownHostsFile"]))
    host = SshHost(ssh, Wrapper(WRAPPER), Claim(Job.read(record), "c", 1, f"1.{grant}.9.1", 15, 0.0))
    host.fence()
    read = host.read().facts
    assert (read.boot_id, read.others) == (result["facts"]["bootId"], "")
    assert host.run("sees", 20, ["echo", "itself"]) == "itself\n"


def test_a_host_that_hangs_is_told_by_name_and_keeps_no_other_waiting(lab: Lab, tmp_path: Path) -> None:
    """As one does of which a disk or a server it has mounted is gone; with one fork, so that the others wait for it if anybody does."""
    grant = lab.grant()
    hangs = 'import signal; os.uname().nodename == "h01" and signal.pause(); found = all_installed(query)'
    source = broken(
        tmp_path,
        ("playbooks/library/read_host.py", "found = all_installed(query)", hangs),
        ("player.py", "READ_SECONDS = 120", "READ_SECONDS = 5"),
        ("settings.py", "forks: int = 10", "forks: int = 1"),
    )
    release = lab.release("1")
    with HttpBoardServer() as board:
        for host in ("h01", "h02"):
            board.publish(job(grant, "Verify", host, lab.address(host), release, round=1))
        process = operator(lab, board.url, token_file(tmp_path), tmp_path / "log", "--once", source=source)
        assert board.result(f"g{grant}.Verify.h02.1")["outcome"] == "Done"
        hung = board.result(f"g{grant}.Verify.h01.1", 200)
        assert process.wait(timeout=60) == 0
    assert hung["outcome"] == "Unknown"
    assert hung["message"].startswith("h01: its facts could not be read: ") and "5 second" in hung["message"], hung
