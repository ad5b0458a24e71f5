"""Waits until a host answers over SSH with a boot id other than the given one, and prints the new one.

python -m drydock_remediation.await_boot SECONDS CONTROL_PATH ADDRESS SSH_OPTION... OLD_BOOT_ID
"""

from __future__ import annotations

import subprocess
import sys
import time

from drydock_remediation.framed_output import ask

ASK = ["cat", "/proc/sys/kernel/random/boot_id"]
ANSWER_SECONDS = 10.0
PAUSE_SECONDS = 0.3


def boot_id(ssh: list[str]) -> str:
    """Empty where nobody tells."""
    answer = ask(ssh, ASK, ANSWER_SECONDS)
    return answer.out.strip() if answer.code == 0 else ""


def await_boot(seconds: float, control_path: str, address: str, options: list[str], old: str) -> str:
    """The new boot id, or an empty text when it did not come in time."""
    give_up = time.monotonic() + seconds
    own = ["ssh", *options, "-o", "ControlPath=none", address]  # a shared connection would lead to the boot that is ending
    while (found := boot_id(own)) in ("", old):
        if time.monotonic() > give_up:
            return ""
        time.sleep(PAUSE_SECONDS)
    # Ansible's shared connection belongs to the old boot: it must not wait for its time-out.
    subprocess.run(
        ["ssh", "-o", f"ControlPath={control_path}", "-O", "exit", address], capture_output=True, timeout=ANSWER_SECONDS, check=False
    )
    return found


def main(arguments: list[str]) -> int:
    seconds, control_path, address, *options, old = arguments
    found = await_boot(float(seconds), control_path, address, options, old)
    if not found:
        sys.stderr.write(f"{address} did not come back with a new boot id within {seconds} s\n")
        return 1
    sys.stdout.write(f"{found}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
