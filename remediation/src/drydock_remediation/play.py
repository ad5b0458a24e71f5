"""One Ansible play in a process of its own: python -m drydock_remediation.play PRIVATE_DATA_DIR PLAYBOOK SECONDS UNTIL

Prints one JSON line per task and host, and one when a task is sent to a host. Its stdin is a life line: when it closes,
the operator is gone; and each line on it moves UNTIL (seconds on CLOCK_BOOTTIME), the end of the leases it plays under.
An operator that was stopped moves it no more. Either way the play ends with everything it started.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import sys
import threading
from pathlib import Path
from typing import Any

import ansible_runner

from drydock_remediation.boot_clock import boot_clock
from drydock_remediation.player import STARTED
from drydock_remediation.processes import COOKIE, kill_play

TEXT_MAX = 200_000
LOOK_SECONDS = 1.0  # select counts no time in which the machine slept; the clock is asked again
STATUS = {
    "runner_on_start": STARTED,
    "runner_on_ok": "ok",
    "runner_on_failed": "failed",
    "runner_on_unreachable": "unreachable",
    "runner_on_skipped": "skipped",
}


def told(event: dict[str, Any]) -> dict[str, Any] | None:
    """What the operator wants of an event of ansible-runner; None when it is about something else."""
    status = STATUS.get(event.get("event", ""))
    data = event.get("event_data", {})
    if status is None or "host" not in data:
        return None
    result = data.get("res") or {}
    texts = {name: str(result.get(name, ""))[:TEXT_MAX] for name in ("stdout", "stderr", "msg")}
    return {
        "host": data["host"],
        "task": data.get("task", ""),
        "status": status,
        "rc": result.get("rc"),
        "facts": result.get("host"),
        "condition": result.get("condition"),
        "checks": result.get("checks"),
        **texts,
    }


def say(record: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


def on_event(event: dict[str, Any]) -> bool:
    record = told(event)
    if record is not None:
        say(record)
    return False  # nothing of it needs to be written to the disk


def await_the_end(life_line: int, until: float) -> None:
    """Returns when the life line is closed or the moment that was named last is over."""
    rest = b""
    while (left := until - boot_clock()) > 0:
        if not select.select([life_line], [], [], min(left, LOOK_SECONDS))[0]:
            continue
        read = os.read(life_line, 1024)
        if not read:
            return
        *lines, rest = (rest + read).split(b"\n")
        until = float(lines[-1]) if lines else until


def end_with_the_operator(until: float, cookie: str, directory: str) -> None:
    await_the_end(sys.stdin.fileno(), until)
    kill_play(cookie)
    shutil.rmtree(directory, ignore_errors=True)
    os._exit(1)


def main(arguments: list[str]) -> int:
    directory, playbook, seconds, until = arguments
    threading.Thread(target=end_with_the_operator, args=(float(until), os.environ[COOKIE], directory), daemon=True).start()
    runner = ansible_runner.run(
        private_data_dir=directory,
        project_dir=str(Path(__file__).parent / "playbooks"),
        playbook=playbook,
        inventory=f"{directory}/inventory/hosts.json",
        event_handler=on_event,
        quiet=True,
        settings={"suppress_ansible_output": True, "job_timeout": int(seconds)},
    )
    if runner.rc != 0:
        sys.stderr.write(f"{playbook} ended {runner.status}, code {runner.rc}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
