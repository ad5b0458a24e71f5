"""What the lab needs from the machine, checked before anything is changed."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

from drydock_lab.errors import LabError
from drydock_lab.instance import Instance
from drydock_lab.plan import LabPlan
from drydock_lab.release import Metal

# program → Debian package that brings it
PROGRAMS = {
    "mmdebstrap": "mmdebstrap",
    "apt-ftparchive": "apt-utils",
    "dpkg-deb": "dpkg",
    "rpmbuild": "rpm",
    "createrepo_c": "createrepo-c",
    "gcc": "gcc",
    "haproxy": "haproxy",
    "ip": "iproute2",
    "nft": "nftables",
    "ssh-keygen": "openssh-client",
    "openssl": "openssl",
    "mkfs.ext4": "e2fsprogs",
    "unshare": "util-linux",
    "losetup": "mount",
}
# file → Debian package that brings it, for virtual machines
OF_QEMU = {
    "/usr/bin/qemu-system-x86_64": "qemu-system-x86",
    "/usr/bin/extlinux": "extlinux",
    "/usr/lib/ISOLINUX/isolinux.bin": "isolinux",
    "/usr/lib/syslinux/modules/bios/ldlinux.c32": "syslinux-common",
    "/usr/bin/xorriso": "xorriso",
}


def check(metal: Metal) -> None:
    """Raises one error that names everything missing."""
    problems = []
    if os.geteuid() != 0:
        problems.append("root: it creates namespaces and mounts partitions")
    if not Path("/etc/debian_version").exists():
        problems.append("a Debian machine: its hosts are Debian and come from the machine's own package sources")
    missing = {package for program, package in PROGRAMS.items() if shutil.which(program) is None}
    if metal is Metal.QEMU:
        missing |= {package for file, package in OF_QEMU.items() if not Path(file).exists()}
    packages = sorted(missing)
    if packages:
        problems.append(f"these Debian packages: {' '.join(packages)}")
    for feature, path in (
        ("loop devices", "/dev/loop-control"),
        ("time namespaces", "/proc/self/ns/time"),
        ("overlay file systems", None),
    ):
        if path is None:
            if "\toverlay" not in Path("/proc/filesystems").read_text():
                problems.append(f"{feature} in the kernel (modprobe overlay)")
        elif not Path(path).exists():
            problems.append(f"{feature} ({path} is missing)")
    if problems:
        raise LabError("the lab needs " + "; ".join(problems) + ". Nothing was changed.")


def check_ports(instance: Instance, plan: LabPlan) -> None:
    """Raises when a loopback port the lab needs is in use."""
    wanted = {name: instance.ports[name] for name in ("labControl", "balancerStats")}
    wanted.update({f"front-end of {application.name}": application.front_end for application in plan.applications})
    taken = [f"{port} ({name})" for name, port in wanted.items() if not _is_free(port)]
    if taken:
        raise LabError(f"these loopback ports are in use by another program: {', '.join(taken)}. Find it with `ss -ltnp`.")


def _is_free(port: int) -> bool:
    with socket.socket() as candidate:
        candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            candidate.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
