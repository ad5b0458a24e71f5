"""The package database of a host with apt, without the host."""

from __future__ import annotations

import dataclasses
import json
import subprocess
from pathlib import Path

from drydock_remediation.apt import Apt
from drydock_remediation.bundle import ALONE
from drydock_remediation.channel_on_host import Order
from drydock_remediation.records import Release
from drydock_remediation.simulation import refusals

from . import on_host
from .lab_hosts import package

FOLDERS = {"dpkg": "/var/lib/dpkg", "etc": "/etc/apt", "lib": "/var/lib/apt", "cache": "/var/cache/apt", "log": "/var/log"}
WANTED = {"fleet-agent": "2.0", "fleet-os": "2.0"}


class Host:
    """The package database of a host and its channel, in folders that stand where the real ones do while a command runs."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in (
            "dpkg/updates",
            "dpkg/info",
            "etc/sources.list.d",
            "etc/preferences.d",
            "lib",
            "cache",
            "log",
            "before",
            "channel",
            "mended",
        ):
            (root / name).mkdir(parents=True)
        for name in ("status", "available"):
            (root / "dpkg" / name).write_text("")
        self.order = Order("", downgrade=False, packages=WANTED, before=str(root / "kept"), state=str(root / "state"))
        (root / "program").write_text(Apt.program)

    def does(self, verb: str, *words: str, before: str = "true") -> subprocess.CompletedProcess[str]:
        """`words` come before the command, as those of env do."""
        order = json.dumps(dataclasses.asdict(self.order))
        return self.run(*words, *ALONE, str(self.root / "program"), verb, order, before=before)

    def run(self, *command: str, before: str = "true") -> subprocess.CompletedProcess[str]:
        """`before` is run first, where nobody else sees what it mounts."""
        mounts = "; ".join([*(f"mount --bind {self.root / name} {folder}" for name, folder in FOLDERS.items()), before])
        apart = ["unshare", "--mount", "sh", "-c", f'set -e; {mounts}; exec "$@"', "host", *command]
        return subprocess.run(apart, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)

    def has(self, name: str, version: str, control: str = "") -> None:
        package(self.root / "before", name, version, control)
        done = self.run("dpkg", "-i", str(self.root / "before" / f"{name}_{version}_all.deb"))
        assert done.returncode == 0, done.stderr

    def publish(self, channel: Path) -> None:
        index = subprocess.run(["apt-ftparchive", "packages", "."], cwd=channel, capture_output=True, timeout=30, check=True).stdout
        (channel / "Packages").write_bytes(index)
        self.order = dataclasses.replace(self.order, channel=f"file:{channel}")
        done = self.does("refresh")
        assert done.returncode == 0, done.stderr

    def alone(self, *words: str) -> subprocess.CompletedProcess[str]:
        """apt-get without what is done for hosts whose dpkg was cut off."""
        parts = ["-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={self.order.folder / 'sources.list.d'}"]
        return self.run("apt-get", "-q", "-y", *parts, "-o", f"Dir::State::lists={self.order.folder / 'lists'}", *words)

    def source(self) -> str:
        """What the host itself has its packages from."""
        file = self.root / "etc" / "sources.list.d" / "fleet.list"
        return file.read_text() if file.exists() else ""

    def packages(self) -> list[str]:
        return self.run("dpkg-query", "-W", "-f", "${db:Status-Abbrev}${Package} ${Version}\n").stdout.splitlines()

    def refusals(self, plan: str) -> list[str]:
        """Why an upgrade to version 2.0 of all packages would not be begun."""
        release = Release("2", "http://x", WANTED, "6.2")
        return refusals(plan, release, on_host.load("read_host").installed(self.run(*Apt.query).stdout))

    def journal(self) -> dict[str, str]:
        return {file.name: file.read_text() for file in (self.root / "dpkg" / "updates").iterdir()}
