"""The two partitions of a host: the main one carries the operating system, the data one outlives every reset."""

from __future__ import annotations

import hashlib
import os
import tempfile
import uuid
from dataclasses import dataclass
from pathlib import Path

from drydock_lab import files, services
from drydock_lab.commands import run
from drydock_lab.golden_image import Image
from drydock_lab.instance import Instance
from drydock_lab.plan import MEMORY_MIB, HostPlan
from drydock_lab.release import FIRST, Family, Release

MAIN_MIB = 1024
DATA_MIB = 64
RECORD_BYTES = 256 * 1024


@dataclass(frozen=True)
class HostFolder:
    """`.drydock/lab/hosts/NAME`: the host's disks and what the machine (not its operating system) knows."""

    path: Path

    @property
    def main(self) -> Path:
        return self.path / "system.img"

    @property
    def data(self) -> Path:
        return self.path / "data.img"

    @property
    def spec(self) -> Path:
        return self.path / "spec"

    @property
    def faults(self) -> Path:
        return self.path / "fault"

    @property
    def console(self) -> Path:
        return self.path / "console.log"

    def installed_image(self) -> str | None:
        """Name of the image on the main partition; None before the first installation."""
        try:
            return (self.path / "image").read_text().strip() if self.main.exists() else None
        except FileNotFoundError:
            return None


def folder_of(instance: Instance, host: HostPlan) -> HostFolder:
    return HostFolder(instance.lab / "hosts" / host.name)


def write_spec(folder: HostFolder, host: HostPlan) -> None:
    """Name and memory of the machine, read at every boot."""
    folder.faults.mkdir(parents=True, exist_ok=True)
    files.write(folder.spec / "name", f"{host.name}\n")
    files.write(folder.spec / "memory_kib", f"{MEMORY_MIB * 1024}\n")


# Where a host of the family finds its channel, and how that is written there.
CHANNEL_FILES = {
    Family.APT: ("etc/apt/sources.list.d/fleet.list", "deb [trusted=yes] {} ./\n"),
    Family.DNF: ("etc/yum.repos.d/fleet.repo", "[fleet]\nname=fleet\nbaseurl={}\ngpgcheck=0\n"),
}


def channel_file(instance: Instance, family: Family, release: Release) -> tuple[str, str]:
    """Where a host of the family has its channel, and how this release's is written there."""
    path, text = CHANNEL_FILES[family]
    return path, text.format(f"http://{instance.package_server}/{family}/{release.channel}")


def install(instance: Instance, folder: HostFolder, host: HostPlan, image: Image) -> None:
    """Makes the main partition anew: the image as it is, and the applications of the host. The data partition is not touched."""
    with tempfile.TemporaryDirectory(dir=folder.path) as name:
        tree = Path(name)
        (tree / "work").mkdir()
        path, text = channel_file(instance, host.family, FIRST)
        file = tree / "upper" / path
        file.parent.mkdir(parents=True)
        tree.chmod(0o755)
        file.write_text(text)
        (tree / "upper/etc/machine-id").write_text(f"{uuid.uuid4().hex}\n")
        services.deploy(tree / "upper", host)
        (tree / "IMAGE").write_text(f"{image.name}\n")
        _format(folder.main, "main", MAIN_MIB, tree)
    files.write(folder.path / "image", f"{image.name}\n")


def ensure_data(folder: HostFolder, host: HostPlan) -> None:
    """Makes the data partition once, with files whose sums stand in a manifest."""
    if folder.data.exists():
        return
    with tempfile.TemporaryDirectory(dir=folder.path) as name:
        tree = Path(name)
        tree.chmod(0o755)
        (tree / "records").mkdir()
        contents = {"owner.txt": f"data of {host.name}\n".encode(), "records.bin": os.urandom(RECORD_BYTES)}
        manifest = ""
        for file, content in contents.items():
            (tree / "records" / file).write_bytes(content)
            manifest += f"{hashlib.sha256(content).hexdigest()}  /data/records/{file}\n"
        (tree / "manifest.sha256").write_text(manifest)
        _format(folder.data, "data", DATA_MIB, tree)


def _format(target: Path, label: str, size_mib: int, tree: Path) -> None:
    temporary = target.with_suffix(".new")
    temporary.unlink(missing_ok=True)
    with temporary.open("wb") as file:
        file.truncate(size_mib * 1024 * 1024)
    options = ["-q", "-F", "-m", "0", "-J", "size=4", "-E", "lazy_itable_init=1,nodiscard", "-L", label]
    run(["mkfs.ext4", *options, "-d", str(tree), str(temporary)])
    temporary.replace(target)
