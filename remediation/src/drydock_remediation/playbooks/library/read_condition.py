#!/usr/bin/python3
"""Ansible module: what a host is like beside its packages: memory, processors, file systems, network cards, disks, services.
Changes nothing. Apart from read_host because only some jobs need it. Runs on the host: standard library only.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

SECONDS_MAX = 20
MOUNTS_SECONDS = 10.0  # for all file systems together
MOUNTS_AT_ONCE = 64
BETWEEN_LOOKS = 1.5  # what starts again and again has another process by then
SYS = Path("/sys")
# File systems without a place of their own, and those that are full by nature.
NO_DISK = {"proc", "sysfs", "devtmpfs", "devpts", "cgroup", "cgroup2", "mqueue", "debugfs", "tracefs", "securityfs", "bpf", "pstore"}
NO_DISK |= {"autofs", "hugetlbfs", "configfs", "fusectl", "nsfs", "ramfs", "iso9660", "squashfs", "binfmt_misc", "efivarfs", "rpc_pipefs"}
NO_CARD = {"lo", "bonding_masters"}
NO_DRIVE = ("loop", "ram", "zram", "dm-", "md", "sr", "fd", "nbd")


def mem_total_mib(text: str) -> int:
    line = next(line for line in text.splitlines() if line.startswith("MemTotal:"))
    return int(line.split()[1]) // 1024


def mounts(table: str, seconds: float = MOUNTS_SECONDS) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Of each place that holds files: what is free for root in percent, the less of bytes and inodes, and whether it can be written to;
    and the places that did not answer in time. One whose server is gone keeps whoever looks at it for ever: each is looked at by a
    process of its own, and nobody waits for its end."""
    listed = [line.split()[:4] for line in table.splitlines() if len(line.split()) >= len(("device", "place", "kind", "options"))]
    wanted = {unescaped(place): "rw" in options.split(",") for _, place, kind, options in listed if kind not in NO_DISK}
    found: dict[str, dict[str, Any]] = {}
    waiting, looks, end = list(wanted), dict[int, tuple[str, int]](), time.monotonic() + seconds
    while (waiting or looks) and (left := end - time.monotonic()) > 0:
        while waiting and len(looks) < MOUNTS_AT_ONCE:
            place = waiting.pop(0)
            process, answer = look_at(place)
            looks[answer] = (place, process)
        for answer in select.select(list(looks), [], [], left)[0]:
            place, process = looks.pop(answer)
            text = os.read(answer, 256)
            os.close(answer)
            os.waitpid(process, 0)
            if text:
                found[place] = {"free_percent": int(text), "writable": wanted[place]}
    for answer, (_, process) in looks.items():
        os.close(answer)
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    return found, sorted([*waiting, *(place for place, _ in looks.values())])


def unescaped(place: str) -> str:
    """As mount tables write blanks; what is no such octal number stays as it is, in whatever script."""
    return re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), place)


def look_at(place: str) -> tuple[int, int]:
    """A process that looks, and where it says what is free there: nothing where no files are, or none that we may see."""
    answer, tell = os.pipe()
    process = os.fork()
    if process:
        os.close(tell)
        return process, answer
    try:
        for number in (0, 1, 2):  # who waits for the output of this module does not wait for one that hangs
            os.close(number)
        if Path(place).is_dir() and (state := os.statvfs(place)).f_blocks:
            os.write(tell, str(free_percent(state)).encode())
    finally:
        os._exit(0)


def free_percent(state: os.statvfs_result) -> int:
    """ext4 keeps blocks back that not even root gets, and counts them as free (`reserved_clusters`); of other file systems they
    are too few to matter."""
    kept_back = min(state.f_blocks // 50, 4096)
    shares = [(max(0, state.f_bfree - kept_back), state.f_blocks), (state.f_ffree, state.f_files)]
    return min(free * 100 // all_ for free, all_ in shares if all_)


def text_of(file: Path) -> str:
    try:
        return file.read_bytes().decode(errors="replace").strip()
    except OSError:
        return ""


def cards(folder: Path) -> dict[str, dict[str, Any]]:
    """Megabits a second are 0 where the card does not tell, as when its link is down."""
    found = {}
    for card in sorted(folder.iterdir()) if folder.is_dir() else []:
        if card.name not in NO_CARD:
            speed = text_of(card / "speed")
            found[card.name] = {"up": text_of(card / "operstate") == "up", "mbps": int(speed) if speed.isdecimal() else 0}
    return found


def drives(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir() if not one.name.startswith(NO_DRIVE)) if folder.is_dir() else []


def call(*command: str) -> str:
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"}
    answer = subprocess.run(command, env=environment, capture_output=True, timeout=SECONDS_MAX, check=False)
    return answer.stdout.decode(errors="replace")


def process_of(name: str) -> str | None:
    """The process of a service of runit or systemd: empty when it does not run, None when neither knows it."""
    folder = next((place for place in ("/etc/service", "/data/service") if (Path(place) / name / "run").is_file()), None)
    if folder:
        said = call("sv", "status", f"{folder}/{name}")
        return said.partition("(pid ")[2].partition(")")[0] if said.startswith("run:") else ""
    if Path("/run/systemd/system").is_dir():
        said = call("systemctl", "show", "--property=LoadState,ActiveState,MainPID", f"{name}.service")
        told = dict(line.split("=", 1) for line in said.splitlines() if "=" in line)
        if told.get("LoadState") == "loaded":
            return told.get("MainPID", "") if told.get("ActiveState") == "active" else ""
    return None


def services(names: list[str]) -> dict[str, str]:
    """running, restarting, down, or absent."""
    if not names:
        return {}
    before = {name: process_of(name) for name in names}
    time.sleep(BETWEEN_LOOKS)
    return {name: state(before[name], process_of(name)) for name in names}


def state(before: str | None, after: str | None) -> str:
    if before is None or after is None:
        return "absent"
    if not before and not after:
        return "down"
    return "running" if before == after else "restarting"


def read(services_asked: list[str]) -> dict[str, Any]:
    places, silent = mounts(os.fsdecode(Path("/proc/self/mounts").read_bytes()))
    return {
        "memory_mib": mem_total_mib(Path("/proc/meminfo").read_text()),
        "processors": os.cpu_count() or 0,
        "mounts": places,
        "silent": silent,
        "cards": cards(SYS / "class" / "net"),
        "disks": drives(SYS / "block"),
        "services": services(services_asked),
    }


def main() -> None:
    from ansible.module_utils.basic import AnsibleModule  # noqa: PLC0415 - only there on the host

    module = AnsibleModule(argument_spec={"services": {"type": "list", "elements": "str", "default": []}}, supports_check_mode=True)
    try:
        module.exit_json(changed=False, condition=read(module.params["services"]))
    except (OSError, RuntimeError, ValueError, StopIteration, subprocess.SubprocessError) as error:
        module.fail_json(msg=f"the condition of the host could not be read: {error}")


if __name__ == "__main__":
    main()
