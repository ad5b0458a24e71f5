"""The installer medium of a virtual machine: a CD whose kernel installs a disk image it fetches over HTTP."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from pathlib import Path

from drydock_lab.commands import run
from drydock_lab.vm.disk_image import DiskImage

LOADER = (Path("/usr/lib/ISOLINUX/isolinux.bin"), Path("/usr/lib/syslinux/modules/bios/ldlinux.c32"))
MENU = """\
DEFAULT install
PROMPT 0
TIMEOUT 1
LABEL install
  KERNEL vmlinuz
  INITRD initrd
  APPEND boot=fleet-installer console=ttyS0 net.ifnames=0 panic=10 quiet fleet.image={image} fleet.sha256={sha256} fleet.channel={channel}
"""


def write_medium(target: Path, image: DiskImage, url: str, channel: str) -> None:
    """Makes the CD.

    url: where the image is, without its endings. channel: where the installed system finds its packages.
    """
    with image.packed.open("rb") as packed:
        digest = hashlib.file_digest(packed, "sha256").hexdigest()
    with tempfile.TemporaryDirectory(dir=target.parent) as name:
        tree = Path(name) / "tree"
        (tree / "isolinux").mkdir(parents=True)
        for file in (*LOADER, image.kernel, image.initramfs):
            shutil.copy(file, tree / "isolinux" / file.name)
        (tree / "isolinux/isolinux.cfg").write_text(MENU.format(image=url, sha256=digest, channel=channel))
        made = Path(name) / "made.iso"
        boots = ["-b", "isolinux/isolinux.bin", "-c", "isolinux/boot.cat", "-no-emul-boot", "-boot-load-size", "4", "-boot-info-table"]
        run(["xorriso", "-as", "mkisofs", "-quiet", "-o", str(made), *boots, str(tree)])
        made.replace(target)
