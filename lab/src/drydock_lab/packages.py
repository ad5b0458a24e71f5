"""Builds the package repositories of the lab: one channel per release, small real packages."""

from __future__ import annotations

import hashlib
import textwrap
from pathlib import Path

from drydock_lab.commands import run
from drydock_lab.release import PACKAGES, RELEASES, Release

PAYLOAD_BYTES = 200_000


def build_channels(folder: Path) -> None:
    """Writes `folder/apt/v1`, `folder/apt/v2`, …, each a flat repository with its index."""
    for release in RELEASES:
        channel = folder / "apt" / release.channel
        channel.mkdir(parents=True)
        for name in PACKAGES:
            _build_package(channel, name, release)
        (channel / "Packages").write_text(run(["apt-ftparchive", "packages", "."], directory=channel))
        (channel / "Release").write_text(run(["apt-ftparchive", "release", "."], directory=channel))


def _build_package(channel: Path, name: str, release: Release) -> None:
    tree = channel.parent / f".{name}-{release.version}"
    control = tree / "DEBIAN"
    control.mkdir(parents=True)
    depends = "" if name == "fleet-os" else f"Depends: fleet-os (>= {release.version})\n"
    (control / "control").write_text(
        f"Package: {name}\nVersion: {release.version}\nArchitecture: all\n{depends}"
        f"Maintainer: Drydock lab <lab@drydock.invalid>\nDescription: {name} of the lab's OS release {release.name}\n"
    )
    share = tree / "usr/share/fleet"
    share.mkdir(parents=True)
    (share / f"{name}.payload").write_bytes(_payload(f"{name} {release.version}"))
    if name == "fleet-os":
        etc = tree / "etc"
        etc.mkdir()
        (etc / "fleet-release").write_text(f"NAME=fleet\nRELEASE={release.name}\nIMAGE_VERSION={release.version}\n")
    if name == "fleet-kernel":
        boot = tree / "boot"
        boot.mkdir()
        (boot / f"vmlinuz-{release.kernel}").write_bytes(_payload(release.kernel))
        script = control / "postinst"
        script.write_text(
            textwrap.dedent(f"""\
                #!/bin/sh
                set -e
                if [ "$1" = configure ]; then
                  echo {release.kernel} > /boot/default-kernel.new
                  mv /boot/default-kernel.new /boot/default-kernel
                fi
                """)
        )
        script.chmod(0o755)
    run(["dpkg-deb", "--root-owner-group", "-Zxz", "-z1", "--build", str(tree), str(channel)])
    run(["rm", "-rf", str(tree)])


def _payload(seed: str) -> bytes:
    """Bytes that do not compress and are the same in every build."""
    return hashlib.shake_256(seed.encode()).digest(PAYLOAD_BYTES)
