#!/usr/bin/python3
"""Ansible module: runs checks side by side, each within its time, and says how they ended. Judges nothing. Runs on the host: standard
library only.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import threading
import time
from typing import Any

ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"}
# `timeout` ends what outlives this module as well; a check that writes more than it may, to wherever, is ended by its system.
RUN = ["sh", "-c", 'ulimit -f 128; exec timeout -k 2 "$0" "$@"']
LATE = {124, -9}  # how `timeout` says so, the second of one that had to be killed, and it with it
NOT_STARTED = {126, 127}  # how a shell and `timeout` say so
AFTER_SECONDS = 5
TEXT_MAX = 2000


def run(check: dict[str, Any]) -> dict[str, Any]:
    """Exit code and output, or what was in the way."""
    seconds, began = int(check["seconds"]), time.monotonic()
    output = os.memfd_create("output")  # it may be the disk that is full
    try:
        process = subprocess.Popen(
            [*RUN, str(seconds), *check["command"]],
            cwd="/",
            env=ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        try:
            code = process.wait(seconds + AFTER_SECONDS)
        except subprocess.TimeoutExpired:
            code = -9
        finally:
            end(process)
        text = os.pread(output, TEXT_MAX, 0).decode(errors="replace")
    finally:
        os.close(output)
    if code in LATE and time.monotonic() - began >= seconds:
        return {"code": None, "out": text, "problem": f"no end within {seconds} s"}
    if code in NOT_STARTED:
        return {"code": None, "out": text, "problem": f"could not be started: {text.strip()}"}
    return {"code": code, "out": text, "problem": ""}


def end(process: subprocess.Popen[bytes]) -> None:
    """With whatever it left behind."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def run_all(checks: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """One that this module itself fails at is left out."""
    found: dict[str, dict[str, Any]] = {}

    def one(name: str) -> None:
        found[name] = run(checks[name])

    threads = [threading.Thread(target=one, args=(name,)) for name in sorted(checks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def main() -> None:
    from ansible.module_utils.basic import AnsibleModule  # noqa: PLC0415 - only there on the host

    # In Base64, so that nothing in a command is taken for a template.
    module = AnsibleModule(argument_spec={"checks": {"type": "str", "required": True}}, supports_check_mode=True)
    try:
        module.exit_json(changed=False, checks=run_all(json.loads(base64.b64decode(module.params["checks"]))))
    except (OSError, RuntimeError, ValueError) as error:
        module.fail_json(msg=f"the checks could not be run: {error}")


if __name__ == "__main__":
    main()
