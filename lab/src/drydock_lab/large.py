"""Release 2 with larger packages, for those who measure what it takes to fetch them: `2-large`.

It is built and offered only when somebody asks for it: nobody else has to wait for its channels. It has no images, and its packages
have the versions of release 2.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import shutil
from pathlib import Path

from drydock_lab import apt_channel, artifacts, cache, dnf_channel, files, media
from drydock_lab.commands import run
from drydock_lab.instance import Instance
from drydock_lab.packages import KERNEL_SCRIPT, Package, channels
from drydock_lab.release import EPOCH, PACKAGES, RELEASES, Family

SECOND = RELEASES[1]
LARGE = dataclasses.replace(SECOND, name="2-large")
FOLDER = "large"  # of the package server
BYTES = 20_000_000  # a host fetches so many, and what release 2 has


def offer(instance: Instance) -> Path:
    """The package server of a lab that is up offers it afterwards. Answers with the file that Drydock is told of it by."""
    media.link(instance.lab / "www" / FOLDER, large_channels())
    file = instance.lab / "releases" / f"{LARGE.name}.json"
    files.write_json(file, artifacts.release_document(instance, LARGE, FOLDER))
    return file


def large_channels() -> Path:
    """A channel for each package family; built when the cache lacks them."""
    digest = hashlib.sha256(channels().name.encode() + Path(__file__).read_bytes())
    return cache.entry(f"lab-large-{digest.hexdigest()[:12]}", build)


def build(folder: Path) -> None:
    trees = folder / ".trees"
    contents = [_enlarged(trees / name, name) for name in PACKAGES]
    for family, build_channel in ((Family.APT, apt_channel.build), (Family.DNF, dnf_channel.build)):
        channel = folder / family / LARGE.channel
        channel.mkdir(parents=True)
        build_channel(channel, contents, trees)
    shutil.rmtree(trees)


def _enlarged(tree: Path, name: str) -> Package:
    """The package as release 2 has it, and bytes that do not compress."""
    (deb,) = (channels() / Family.APT / SECOND.channel).glob(f"{name}_*.deb")
    tree.mkdir(parents=True)
    run(["dpkg-deb", "--extract", str(deb), str(tree)])
    file = tree / "usr/share/fleet" / f"{name}.large"
    file.write_bytes(hashlib.shake_256(file.name.encode()).digest(BYTES // len(PACKAGES)))
    for path in (tree, *tree.rglob("*")):
        os.utime(path, (EPOCH, EPOCH))
    script = KERNEL_SCRIPT.format(kernel=LARGE.kernel) if name == "fleet-kernel" else ""
    return Package(name, LARGE.version, f"{name} of the lab's OS release {LARGE.name}", tree, script=script)
