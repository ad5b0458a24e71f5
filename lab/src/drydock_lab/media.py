"""What the lab's server offers over HTTP: package channels, images, and the installer media that write an image."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from pathlib import Path

from drydock_lab import packages
from drydock_lab.golden_image import RESOURCES, Image, golden_image
from drydock_lab.instance import Instance
from drydock_lab.partitions import channel_file
from drydock_lab.release import EPOCH, RELEASES, Family, Release

INSTALLER_BASE = "installer"  # the name under which hosts know the base image


def url(instance: Instance, release: Release, family: Family) -> str:
    """Of the medium that installs the release on hosts of the family."""
    return f"http://{instance.package_server}/media/{release.name}-{family}.tar"


def offer(instance: Instance) -> Path:
    """Makes the folder that is served and returns it. It has the media of all families: releases name them all."""
    folder = instance.lab / "www"
    for family in Family:
        _link(folder / family, packages.channels() / family)
    for release in RELEASES:
        for family in Family:
            image = golden_image(family, release)
            _link(folder / "images" / f"{image.name}.tar", image.archive)
            target = folder / "media" / f"{release.name}-{family}.tar"
            target.parent.mkdir(parents=True, exist_ok=True)
            temporary = target.with_suffix(".new")
            temporary.write_bytes(medium(instance, release, family, image))
            temporary.replace(target)
    return folder


def medium(instance: Instance, release: Release, family: Family, image: Image) -> bytes:
    """The installer, and what it is to write."""
    with image.archive.open("rb") as archive:
        digest = hashlib.file_digest(archive, "sha256").hexdigest()
    path, text = channel_file(instance, family, release)
    manifest = {
        "version": release.version,
        "base": INSTALLER_BASE,
        "url": f"http://{instance.package_server}/images/{image.name}.tar",
        "sha256": digest,
        "files": {path: text},
    }
    contents = {"installer.py": (RESOURCES / "installer.py").read_bytes(), "image.json": json.dumps(manifest).encode()}
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for name, content in contents.items():
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(content), EPOCH
            tar.addfile(member, io.BytesIO(content))
    return made.getvalue()


def _link(path: Path, target: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.new")
    temporary.unlink(missing_ok=True)
    temporary.symlink_to(target)
    temporary.replace(path)
