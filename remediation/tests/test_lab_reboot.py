"""A real host that has its packages and refuses to start anew, through the real play."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from .hostrun.program import wait_until
from .http_board import HttpBoardServer, job, token_file
from .lab_hosts import Bug, Lab, broken, operator

pytestmark = pytest.mark.lab

GRANT = int(time.time()) + 400  # after those of the lab tests before: data partitions remember tokens
HOST = "h01"
BOOT = "cat /proc/sys/kernel/random/boot_id"
DEADLINE_SECONDS = 240  # also for how long a host is waited for that starts anew
SOON_SECONDS = 60  # the command asks for some 12 s itself; the rest is for a busy machine

# As systemd refuses while somebody inhibits it. What is asked of it is noted.
INHIBITED = """#!/bin/sh
echo "$@" >> /root/asked
[ -e /root/inhibited ] || exec /root/real/shutdown "$@"
echo "Call to Reboot failed: Operation inhibited by backup (pid 7)" >&2
exit 1
"""


def inhibit(lab: Lab) -> None:
    lab.ask(HOST, "mkdir /root/real && mv /usr/sbin/shutdown /root/real/ && touch /root/inhibited")
    lab.ask(HOST, "cat > /usr/sbin/shutdown && chmod 755 /usr/sbin/shutdown", INHIBITED.encode())


def asked(lab: Lab) -> int:
    """How often it was to start anew."""
    return len(lab.ask(HOST, "cat /root/asked 2>/dev/null").splitlines())


def update(lab: Lab, grant: int, number: int) -> dict[str, Any]:
    return job(grant, "Update", HOST, lab.address(HOST), lab.release("2"), round=number, deadlineSeconds=DEADLINE_SECONDS)


def test_a_refused_reboot_is_seen_at_once_and_named_and_done_once_nobody_refuses_it(lab: Lab, tmp_path: Path) -> None:
    inhibit(lab)
    boot = lab.ask(HOST, BOOT)
    first, second = update(lab, GRANT, 3), update(lab, GRANT, 4)
    with HttpBoardServer(lease_seconds=20) as board:
        process = operator(lab, board.url, token_file(tmp_path), tmp_path / "log")
        board.publish(first)
        wait_until(lambda: asked(lab) > 0, "it is to start anew", seconds=120)
        refused = board.result(first["id"], SOON_SECONDS)
        assert lab.ask(HOST, BOOT) == boot
        assert asked(lab) == 5, "whoever inhibits it has just begun, and is given a moment"
        lab.ask(HOST, "rm /root/inhibited")
        board.publish(second)
        done = board.result(second["id"], DEADLINE_SECONDS)
        process.terminate()
        assert process.wait(timeout=20) == 0
    assert (refused["outcome"], refused["begun"], refused["mend"], refused["cause"]) == ("Failed", True, "Time", "reboot-refused")
    assert "it has the packages and refused to start anew: " in refused["message"]
    assert "Operation inhibited by backup (pid 7)" in refused["message"]
    assert done["outcome"] == "Done", done
    assert done["facts"]["bootId"] == lab.ask(HOST, BOOT) != boot
    assert asked(lab) == 6, "once more, and not again"


# Whatever the command said, the host is waited for.
NO_LOOK: tuple[Bug, ...] = (
    (
        "playbooks/update.yml",
        "when: reboot is not skipped and (reboot.rc | default(0)) in [0, 76, 77, 124, 255]",
        "when: reboot is not skipped",
    ),
)


@pytest.mark.full
def test_control_one_that_does_not_look_waits_for_a_host_that_does_not_start_anew(lab: Lab, tmp_path: Path) -> None:
    inhibit(lab)
    first = update(lab, GRANT + 1, 3)
    with HttpBoardServer(lease_seconds=20) as board:
        process = operator(lab, board.url, token_file(tmp_path), tmp_path / "log", source=broken(tmp_path, *NO_LOOK))
        board.publish(first)
        wait_until(lambda: asked(lab) == 5, "it is to start anew", seconds=120)
        with pytest.raises(AssertionError, match="no result for"):
            board.result(first["id"], SOON_SECONDS)
        process.kill()
        process.wait()
