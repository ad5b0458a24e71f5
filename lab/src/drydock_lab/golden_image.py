"""The golden image of release 1: a layer over the base image with the lab's services and the first packages."""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from drydock_lab import cache, packages, release
from drydock_lab.base_image import base_image
from drydock_lab.commands import run
from drydock_lab.progress import say

RESOURCES = Path(__file__).parent / "image"
APPLICATIONS = ("web", "search", "ads")


@dataclass(frozen=True)
class Image:
    """A bootable image: its name, the layers it consists of, and the package channels made beside it."""

    name: str
    lower: str
    web_root: Path


def golden_image() -> Image:
    """The image hosts start from; built when the cache lacks it."""
    base = base_image()
    digest = hashlib.sha256(base.name.encode())
    resources = sorted(path for path in RESOURCES.iterdir() if path.is_file() and path.name != "__init__.py")
    sources = [*resources, *(Path(str(module.__file__)) for module in (packages, release)), Path(__file__)]
    for source in sources:
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    name = f"lab-image-{release.FIRST.channel}-{digest.hexdigest()[:12]}"
    folder = cache.entry(name, lambda target: _build(target, base))
    return Image(name, f"{folder / 'layer'}:{base / 'root'}", folder / "www")


def _build(folder: Path, base: Path) -> None:
    began = time.monotonic()
    packages.build_channels(folder / "www")
    (folder / "layer").mkdir()
    with _mounted(folder, base) as tree:
        _install_resources(tree)
        channel = folder / "www" / "apt" / release.FIRST.channel
        for package in channel.glob("*.deb"):
            shutil.copy(package, tree / "root")
        run(["chroot", str(tree), "sh", "-c", "dpkg --force-unsafe-io -i /root/*.deb && rm /root/*.deb"])
    say(f"lab: image of release {release.FIRST.name} ready after {time.monotonic() - began:.1f} s")


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
    for source, target in (
        ("stage-1", "etc/runit/1"),
        ("stage-2", "etc/runit/2"),
        ("stage-3", "etc/runit/3"),
        ("shutdown", "usr/sbin/shutdown"),
        ("sshd_config", "etc/ssh/sshd_config"),
        ("application.py", "usr/lib/fleet/application.py"),
        ("sshd-run", "etc/sv/sshd/run"),
        *(("application-run", f"etc/sv/{name}/run") for name in APPLICATIONS),
    ):
        (tree / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(RESOURCES / source, tree / target)
    for name in ("sshd", *APPLICATIONS):
        (tree / "etc/sv" / name / "supervise").symlink_to(f"/run/runit/supervise/{name}")
    for name in ("reboot", "poweroff", "halt"):
        (tree / "usr/sbin" / name).symlink_to("shutdown")
    (tree / "usr/sbin/init").symlink_to("/lib/runit/runit-init")
    (tree / "data").mkdir()
    # Host keys are certified and belong to the machine; resolver and sources of the build must not stay.
    for pattern in ("etc/ssh/ssh_host_*", "etc/apt/sources.list", "etc/apt/sources.list.d/*", "etc/resolv.conf"):
        for leftover in tree.glob(pattern):
            leftover.unlink()
    shim = tree / "usr/lib/fleet/uname_shim.so"
    run(["gcc", "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", str(shim), str(RESOURCES / "uname_shim.c")])
    (tree / "etc/ld.so.preload").write_text("/usr/lib/fleet/uname_shim.so\n")
