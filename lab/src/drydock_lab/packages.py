"""Builds the package repositories of the lab: per release a channel for each package family, small real packages.

The same input gives the same packages byte for byte, whenever they are built."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from drydock_lab import apt_channel, cache, dnf_channel, release
from drydock_lab.release import BROKEN, EPOCH, PACKAGES, RELEASES, Family, Flaw, Release

PAYLOAD_BYTES = 200_000
KERNEL_SCRIPT = """\
echo {kernel} > /boot/default-kernel.new
mv /boot/default-kernel.new /boot/default-kernel
"""


@dataclass(frozen=True)
class Package:
    """One package of either family: its files are those of `tree`, `script` runs once they are in place."""

    name: str
    version: str
    description: str
    tree: Path
    needs: tuple[str, ...] = ()
    drives_out: tuple[str, ...] = ()
    script: str = ""


def channels() -> Path:
    """The folder the package server serves; built when the cache lacks it."""
    digest = hashlib.sha256()
    for module in (release, apt_channel, dnf_channel, sys.modules[__name__]):
        digest.update(Path(str(module.__file__)).read_bytes())
    return cache.entry(f"lab-channels-{digest.hexdigest()[:12]}", build_channels)


def build_channels(folder: Path) -> None:
    """Writes `folder/apt/v1`, `folder/dnf/v1`, …, each a repository with its index."""
    for made in (*RELEASES, *BROKEN):
        trees = folder / ".trees"
        contents = [_package(trees / name, name, made) for name in _offered(made)]
        for family, build in ((Family.APT, apt_channel.build), (Family.DNF, dnf_channel.build)):
            channel = folder / family / made.channel
            channel.mkdir(parents=True)
            build(channel, contents, trees)
        shutil.rmtree(trees)


def _offered(made: Release) -> list[str]:
    return [name for name in PACKAGES if not (made.flaw is Flaw.REMOVAL and name == "fleet-agent")]


def _package(tree: Path, name: str, made: Release) -> Package:
    files = {f"usr/share/fleet/{name}.payload": _payload(f"{name} {made.version}")}
    needs = [] if name == "fleet-os" else [f"fleet-os >= {made.version}"]
    script = ""
    if name == "fleet-os":
        number = made.version.partition(".")[0]
        files["etc/fleet-release"] = f"NAME=fleet\nRELEASE={number}\nIMAGE_VERSION={made.version}\n".encode()
        files["usr/lib/fleet/os-release"] = f'ID=fleet\nVERSION_ID={made.version}\nPRETTY_NAME="Fleet OS {number}"\n'.encode()
    if name == "fleet-kernel":
        files[f"boot/vmlinuz-{made.kernel}"] = _payload(made.kernel)
        script = KERNEL_SCRIPT.format(kernel=made.kernel)
        if made.flaw is Flaw.UNRESOLVABLE:
            needs.append("fleet-firmware >= 1.0")
    drives_out = ("fleet-agent",) if name == "fleet-kernel" and made.flaw is Flaw.REMOVAL else ()
    for name_in_tree, content in files.items():
        file = tree / name_in_tree
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    for path in (tree, *tree.rglob("*")):
        os.utime(path, (EPOCH, EPOCH))
    return Package(name, made.version, f"{name} of the lab's OS release {made.name}", tree, tuple(needs), drives_out, script)


def _payload(seed: str) -> bytes:
    """Bytes that do not compress and are the same in every build."""
    return hashlib.shake_256(seed.encode()).digest(PAYLOAD_BYTES)
