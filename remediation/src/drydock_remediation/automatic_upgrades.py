"""Keeps what upgrades a host by itself from beginning, and gives that back. Runs on hosts; standard library only.

What was on before is written down before anything is changed, so that whoever comes after a power cut gives back the same. Ends
nothing that runs already. Timers are masked until the next boot at most; where apt's own scripts decide (cron, too), one file of
settings says no.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

TIMERS = (
    "apt-daily.timer",
    "apt-daily-upgrade.timer",
    "dnf-automatic.timer",
    "dnf-automatic-install.timer",
    "dnf-automatic-download.timer",
)
SERVICES = ("apt-daily.service", "apt-daily-upgrade.service")
PERIODIC = "etc/apt/apt.conf.d"
OFF = "zz-drydock-holds-off"  # the last name wins
OFF_TEXT = 'APT::Periodic::Enable "0";\n'
SYSTEMD = "run/systemd/system"  # there where systemd is what runs the host
SECONDS_MAX = 30


def hold_off(record: Path, root: Path = Path("/")) -> None:
    """A second time changes nothing of what is written down."""
    if not record.exists():
        active = [timer for timer in TIMERS if _systemctl(root, "is-active", "--quiet", timer)]
        _write(record, json.dumps({"boot": _boot(root), "timers": active}))
    before = json.loads(record.read_text())
    if (root / PERIODIC).is_dir():
        _write(root / PERIODIC / OFF, OFF_TEXT)
    # The other way round systemd calls the timers failed, and the host degraded.
    if before["timers"]:
        _systemctl(root, "stop", *before["timers"])
        _systemctl(root, "mask", "--runtime", *before["timers"], *_known(root, SERVICES))


def give_back(record: Path, root: Path = Path("/")) -> None:
    """Nothing where nothing is held off."""
    try:
        before = json.loads(record.read_text())
    except FileNotFoundError:
        return
    (root / PERIODIC / OFF).unlink(missing_ok=True)
    if before["timers"] and before["boot"] == _boot(root):  # another boot has forgotten the masks and started the timers
        _systemctl(root, "unmask", "--runtime", *before["timers"], *_known(root, SERVICES))
        _systemctl(root, "start", *before["timers"])
    record.unlink()


def _known(root: Path, units: tuple[str, ...]) -> list[str]:
    return [unit for unit in units if any((root / folder / unit).exists() for folder in ("lib/systemd/system", "usr/lib/systemd/system"))]


def _systemctl(root: Path, *words: str) -> bool:
    if not (root / SYSTEMD).is_dir():
        return False
    try:
        done = subprocess.run(["systemctl", *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS_MAX, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _boot(root: Path) -> str:
    return (root / "proc/sys/kernel/random/boot_id").read_text().strip()


def _write(path: Path, text: str) -> None:
    """After a power cut it is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.new")
    with new.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.rename(new, path)
