"""A flat apt repository: the packages of one release as Debian packages, with their index."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from drydock_lab.commands import run
from drydock_lab.release import EPOCH

if TYPE_CHECKING:
    from drydock_lab.packages import Package


def build(channel: Path, packages: Iterable[Package], work: Path) -> None:
    for package in packages:
        _pack(channel, package, work / f"{package.name}.deb")
    date = datetime.fromtimestamp(EPOCH, UTC).strftime("%a, %d %b %Y %H:%M:%S UTC")
    for index in ("packages", "release"):
        command = ["apt-ftparchive", "-o", f"APT::FTPArchive::Release::Date={date}", index, "."]
        (channel / index.title()).write_text(run(command, directory=channel))


def _pack(channel: Path, package: Package, tree: Path) -> None:
    shutil.copytree(package.tree, tree)
    control = tree / "DEBIAN"
    control.mkdir()
    fields = {
        "Package": package.name,
        "Version": package.version,
        "Architecture": "all",
        "Depends": ", ".join(_relation(needed) for needed in package.needs),
        "Conflicts": ", ".join(package.drives_out),
        "Maintainer": "Drydock lab <lab@drydock.invalid>",
        "Description": package.description,
    }
    (control / "control").write_text("".join(f"{name}: {value}\n" for name, value in fields.items() if value))
    if package.script:
        script = control / "postinst"
        script.write_text(f'#!/bin/sh\nset -e\n[ "$1" = configure ] || exit 0\n{package.script}')
        script.chmod(0o755)
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH)}
    run(["dpkg-deb", "--root-owner-group", "-Zxz", "-z1", "--build", str(tree), str(channel)], environment=environment)


def _relation(needed: str) -> str:
    name, _, version = needed.partition(" ")
    return f"{name} ({version})"
