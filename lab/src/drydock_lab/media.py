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
from drydock_lab.release import EPOCH, RELEASES, Family, Metal, Release
from drydock_lab.vm.disk_image import disk_image
from drydock_lab.vm.medium import write_medium
from drydock_lab.vm.releases import releases as virtual_releases

INSTALLER_BASE = "installer"  # the name under which hosts know the base image


ENDINGS = {Metal.NAMESPACES: "tar", Metal.QEMU: "iso"}


def url(instance: Instance, release: Release, family: Family, metal: Metal) -> str:
    """Of the medium that installs the release on hosts of the family."""
    return f"http://{instance.package_server}/media/{release.name}-{family}.{ENDINGS[metal]}"


def offer(instance: Instance, metal: Metal) -> Path:
    """Makes the folder that is served and returns it. It has the media of all families: releases name them all."""
    folder = instance.lab / "www"
    for family in Family:
        link(folder / family, packages.channels() / family)
    (folder / "media").mkdir(parents=True, exist_ok=True)
    if metal is Metal.QEMU:
        _offer_disks(instance, folder)
    else:
        _offer_layers(instance, folder)
    return folder


def _offer_disks(instance: Instance, folder: Path) -> None:
    for release in virtual_releases():
        image = disk_image(release)
        link(folder / "images" / f"{image.name}.gz", image.packed)
        link(folder / "images" / f"{image.name}.boot", image.boot_sector)
        where = f"http://{instance.package_server}/images/{image.name}"
        channel = f"http://{instance.package_server}/{Family.APT}/{release.channel}"
        write_medium(folder / "media" / f"{release.name}-{Family.APT}.{ENDINGS[Metal.QEMU]}", image, where, channel)


def _offer_layers(instance: Instance, folder: Path) -> None:
    for release in RELEASES:
        for family in Family:
            image = golden_image(family, release)
            link(folder / "images" / f"{image.name}.tar", image.archive)
            target = folder / "media" / f"{release.name}-{family}.{ENDINGS[Metal.NAMESPACES]}"
            temporary = target.with_suffix(".new")
            temporary.write_bytes(medium(instance, release, family, image))
            temporary.replace(target)


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


def link(path: Path, target: Path) -> None:
    """What is read under this path is the target from now on."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.new")
    temporary.unlink(missing_ok=True)
    temporary.symlink_to(target)
    temporary.replace(path)
