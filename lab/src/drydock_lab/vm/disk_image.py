"""The images of virtual machines, one per release: a whole disk that SeaBIOS boots, its kernel, and an initramfs that can install.

The disk is one ext4 file system without partitions, with extlinux in its boot sector, which is kept apart: a disk without it
does not boot.
"""

from __future__ import annotations

import hashlib
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from drydock_lab import cache, packages
from drydock_lab.base_image import debian_tree, machine_suite
from drydock_lab.commands import run
from drydock_lab.golden_image import RESOURCES as SERVICES
from drydock_lab.golden_image import install_services
from drydock_lab.progress import say
from drydock_lab.release import Family, Release

RESOURCES = Path(__file__).parent / "image"
PACKAGES = (
    "openssh-server",
    "python3",
    "python3-apt",
    "iproute2",
    "procps",
    "runit",
    "systemd-sysv",
    "udev",
    "dbus",
    "busybox",
    "initramfs-tools",
)
DRIVERS = ("virtio_pci", "virtio_blk", "virtio_net", "ext4")
DISK_MIB = 768
BOOT_SECTOR_BYTES = 512
GZIP_SECONDS_MAX = 300.0


@dataclass(frozen=True)
class DiskImage:
    name: str
    release: Release
    folder: Path

    @property
    def disk(self) -> Path:
        """All of it but the boot sector, which is zeros; sparse."""
        return self.folder / "disk"

    @property
    def packed(self) -> Path:
        return self.folder / "disk.gz"

    @property
    def boot_sector(self) -> Path:
        return self.folder / "disk.boot"

    @property
    def kernel(self) -> Path:
        return self.folder / "vmlinuz"

    @property
    def initramfs(self) -> Path:
        return self.folder / "initrd"


def disk_image(release: Release) -> DiskImage:
    """The image of a release; built when the cache lacks it."""
    channels = packages.channels()
    digest = hashlib.sha256(f"{channels.name} {machine_suite()} {release}".encode())
    sources = [path for folder in (RESOURCES, SERVICES) for path in sorted(folder.iterdir()) if path.is_file()]
    for source in [*sources, Path(__file__)]:
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    name = f"lab-disk-{release.channel}-{digest.hexdigest()[:12]}"
    folder = cache.entry(name, lambda target: _build(target, release, channels / Family.APT / release.channel))
    return DiskImage(name, release, folder)


def _build(folder: Path, release: Release, channel: Path) -> None:
    began = time.monotonic()
    tree, initramfs = folder / "tree", folder / "initramfs-tools"
    (initramfs / "conf.d").mkdir(parents=True)
    (initramfs / "conf.d/fleet").write_text("MODULES=list\n")
    (initramfs / "scripts").mkdir()
    shutil.copy(RESOURCES / "fleet-installer", initramfs / "scripts")
    (folder / "drivers").write_text("".join(f"{driver}\n" for driver in DRIVERS))
    # They are there before the kernel's package makes its initramfs.
    hooks = [
        'mkdir -p "$1/etc/initramfs-tools" "$1/usr/share/initramfs-tools/modules.d"',
        f'cp -r {initramfs}/. "$1/etc/initramfs-tools/"',
        f'cp {folder / "drivers"} "$1/usr/share/initramfs-tools/modules.d/fleet"',
    ]
    packages_there = (*PACKAGES, f"linux-image-{release.kernel}")
    debian_tree(tree, machine_suite(), packages_there, *(f"--setup-hook={hook}" for hook in hooks))
    _furnish(tree, release, channel)
    for file, name in ((f"vmlinuz-{release.kernel}", "vmlinuz"), (f"initrd.img-{release.kernel}", "initrd")):
        shutil.copy(tree / "boot" / file, folder / name)
    _write_disk(folder, tree)
    for leftover in (tree, initramfs):
        cache.remove_tree(leftover)
    say(f"lab: disk image of release {release.name} with kernel {release.kernel} ready after {time.monotonic() - began:.0f} s")


def _furnish(tree: Path, release: Release, channel: Path) -> None:
    """What makes a Debian system one of this fleet."""
    install_services(tree)
    for package in channel.glob("*.deb"):
        shutil.copy(package, tree / "root")
    run(["chroot", str(tree), "sh", "-c", "dpkg --force-unsafe-io -i /root/*.deb && rm /root/*.deb"])
    (tree / "etc/image-release").write_text(f"IMAGE_ID=fleet-vm\nIMAGE_VERSION={release.version}\n")
    (tree / "etc/machine-id").write_text("")  # the first boot of each installation makes one
    (tree / "etc/fstab").write_text("/dev/vda / ext4 defaults 0 0\n/dev/vdb /data ext4 defaults,nofail 0 0\n")
    shutil.copy(RESOURCES / "machine", tree / "usr/lib/fleet/machine")
    (tree / "usr/lib/fleet/machine").chmod(0o755)
    shutil.copy(RESOURCES / "fleet.service", tree / "etc/systemd/system/fleet.service")
    run(["chroot", str(tree), "systemctl", "enable", "--quiet", "fleet.service"])
    run(["chroot", str(tree), "systemctl", "mask", "--quiet", "ssh.service", "apt-daily.timer", "apt-daily-upgrade.timer", "fstrim.timer"])
    (tree / "boot/extlinux").mkdir()
    (tree / "boot/extlinux/extlinux.conf").write_text((RESOURCES / "extlinux.conf").read_text().format(kernel=release.kernel))


def _write_disk(folder: Path, tree: Path) -> None:
    disk, mounted = folder / "disk", folder / "mounted"
    with disk.open("wb") as file:
        file.truncate(DISK_MIB << 20)
    # extlinux reads neither of these two.
    run(["mkfs.ext4", "-q", "-F", "-m", "0", "-O", "^64bit,^metadata_csum", "-L", "main", "-d", str(tree), str(disk)])
    mounted.mkdir()
    run(["mount", "-o", "loop", str(disk), str(mounted)])
    try:
        run(["extlinux", "--install", str(mounted / "boot/extlinux")])
    finally:
        run(["umount", str(mounted)])
    mounted.rmdir()
    with disk.open("r+b") as file:
        (folder / "disk.boot").write_bytes(file.read(BOOT_SECTOR_BYTES))
        file.seek(0)
        file.write(bytes(BOOT_SECTOR_BYTES))
    run(["sh", "-c", 'gzip -1 -c "$1" > "$1.gz"', "sh", str(disk)], seconds_max=GZIP_SECONDS_MAX)
