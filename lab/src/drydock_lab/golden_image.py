"""The golden images, one per release and package family: a layer over the base image with the lab's services, the
release's packages, and nothing of the other family's tools. An installer gets the layer as one file."""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from drydock_lab import cache, packages
from drydock_lab.base_image import base_image
from drydock_lab.commands import run
from drydock_lab.progress import say
from drydock_lab.release import EPOCH, FIRST, Family, Release

RESOURCES = Path(__file__).parent / "image"
# Installs the packages that were put into /root, then removes the tools of the other family.
INSTALL = {
    Family.APT: "dpkg --force-unsafe-io -i /root/*.deb && rm -r /root/*.deb /usr/bin/dnf* /usr/bin/rpm* /etc/dnf",
    Family.DNF: "rpm --install /root/*.rpm && rm -r /root/*.rpm /usr/bin/apt* /usr/bin/dpkg* /etc/apt",
}
SETTINGS = {
    Family.APT: {},
    Family.DNF: {
        "etc/rpm/macros": "%_dbpath /var/lib/rpm\n",  # Debian's rpm looks for its database in the user's home
        "etc/dnf/vars/releasever": "1\n",
    },
}


@dataclass(frozen=True)
class Image:
    """A bootable image: its name and the layers it consists of."""

    name: str
    lower: str
    archive: Path  # the uppermost layer, to be unpacked over the base image


def golden_image(family: Family, release: Release = FIRST) -> Image:
    """The image of a release for hosts of this family; built when the cache lacks it."""
    base, channels = base_image(), packages.channels()
    digest = hashlib.sha256(f"{base.name} {channels.name}".encode())
    resources = sorted(path for path in RESOURCES.iterdir() if path.is_file() and path.name != "__init__.py")
    for source in [*resources, Path(__file__)]:
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    name = f"lab-image-{family}-{release.channel}-{digest.hexdigest()[:12]}"
    folder = cache.entry(name, lambda target: _build(target, base, family, release, channels / family / release.channel))
    return Image(name, f"{folder / 'layer'}:{base / 'root'}", folder / "layer.tar")


def _build(folder: Path, base: Path, family: Family, release: Release, channel: Path) -> None:
    began = time.monotonic()
    (folder / "layer").mkdir()
    with _mounted(folder, base) as tree:
        _install_resources(tree)
        for name, text in SETTINGS[family].items():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(text)
        for package in (*channel.glob("*.deb"), *channel.glob("*.rpm")):
            shutil.copy(package, tree / "root")
        run(["chroot", str(tree), "sh", "-c", INSTALL[family]])
        (tree / "etc/image-release").write_text(f"IMAGE_ID=fleet-{family}\nIMAGE_VERSION={release.version}\n")
    archive = ["tar", "--create", f"--file={folder / 'layer.tar'}", f"--directory={folder / 'layer'}"]
    # What the layer removes of the base image is written in attributes and device nodes.
    run([*archive, "--sort=name", "--numeric-owner", "--xattrs", "--xattrs-include=trusted.overlay.opaque", f"--mtime=@{EPOCH}", "."])
    say(f"lab: {family} image of release {release.name} ready after {time.monotonic() - began:.1f} s")


@contextmanager
def _mounted(folder: Path, base: Path) -> Iterator[Path]:
    tree, work = folder / "tree", folder / "work"
    tree.mkdir()
    work.mkdir()
    layers = f"lowerdir={base / 'root'},upperdir={folder / 'layer'},workdir={work}"
    run(["mount", "-t", "overlay", "overlay", "-o", layers, str(tree)])
    try:
        yield tree
    finally:
        run(["umount", str(tree)])
        tree.rmdir()
        shutil.rmtree(work)


def _install_resources(tree: Path) -> None:
    install_services(tree)
    shutil.copy(RESOURCES / "shutdown", tree / "usr/sbin/shutdown")
    for name in ("reboot", "poweroff", "halt"):
        (tree / "usr/sbin" / name).symlink_to("shutdown")
    (tree / "usr/sbin/init").symlink_to("/lib/runit/runit-init")
    shim = tree / "usr/lib/fleet/uname_shim.so"
    run(["gcc", "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", str(shim), str(RESOURCES / "uname_shim.c")])
    (tree / "etc/ld.so.preload").write_text("/usr/lib/fleet/uname_shim.so\n")


def install_services(tree: Path) -> None:
    """What hosts of every metal run: sshd under runit, what applications need, the system's name from its packages."""
    for source, target in (
        ("stage-1", "etc/runit/1"),
        ("stage-2", "etc/runit/2"),
        ("stage-3", "etc/runit/3"),
        ("sshd_config", "etc/ssh/sshd_config"),
        ("application.py", "usr/lib/fleet/application.py"),
        ("sshd-run", "etc/sv/sshd/run"),
    ):
        (tree / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(RESOURCES / source, tree / target)
    (tree / "etc/sv/sshd/supervise").symlink_to("/run/runit/supervise/sshd")
    (tree / "etc/service").unlink()  # Debian's leads to a choice of sets of services, of which there is one here.
    (tree / "etc/service").mkdir()
    (tree / "etc/service/sshd").symlink_to("/etc/sv/sshd")
    (tree / "data").mkdir()
    (tree / "etc/os-release").unlink()
    (tree / "etc/os-release").symlink_to("/usr/lib/fleet/os-release")  # comes with the package fleet-os
    # Host keys are certified and belong to the machine; resolver and sources of the build must not stay.
    for pattern in ("etc/ssh/ssh_host_*", "etc/apt/sources.list", "etc/apt/sources.list.d/*", "etc/resolv.conf"):
        for leftover in tree.glob(pattern):
            leftover.unlink()
