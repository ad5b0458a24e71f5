"""A machine that QEMU emulates: SeaBIOS, three disks, a CD drive, a network card; its own kernel and systemd."""

from __future__ import annotations

import asyncio
import contextlib
import re
import shlex
import tarfile
from pathlib import Path

from drydock_lab import files, network, services
from drydock_lab.commands import run, run_async
from drydock_lab.errors import LabError
from drydock_lab.files import field
from drydock_lab.firmware import Medium
from drydock_lab.host import End, Host, Switch
from drydock_lab.instance import Instance
from drydock_lab.keys import Keys
from drydock_lab.partitions import channel_file
from drydock_lab.plan import HostPlan
from drydock_lab.release import FIRST
from drydock_lab.vm.disk_image import BOOT_SECTOR_BYTES, DiskImage
from drydock_lab.vm.monitor import Monitor

MEMORY_MIB = 1024
TELL = "cat /etc/image-release /etc/fleet-release; echo BOOT=$(cat /proc/sys/kernel/random/boot_id); echo KERNEL=$(uname -r)"
SUM_ON_MEDIUM = re.compile(rb"fleet\.sha256=[0-9a-f]{5}")
COPY_SECONDS_MAX = 120.0


class VirtualMachine(Host):
    """Its process is QEMU, which ends with each boot of the machine; without hardware help a boot takes a minute or two."""

    SHUTDOWN_SECONDS_MAX = 120.0
    READY_SECONDS_MAX = 600.0
    MEMORY_GIB = MEMORY_MIB // 1024
    KERNEL_IS_REAL = True

    def __init__(self, instance: Instance, plan: HostPlan, image: DiskImage) -> None:
        super().__init__(instance, plan)
        self.image = image
        self.monitor = Monitor(self.folder.path / "qmp")

    def ensure_installed(self) -> None:
        if self.folder.installed_image() != self.image.name:
            self.install()

    def install(self) -> None:
        """As an installer leaves it."""
        disk, mounted = self.folder.main.with_suffix(".new"), self.folder.path / "mounted"
        run(["cp", "--sparse=always", str(self.image.disk), str(disk)], seconds_max=COPY_SECONDS_MAX)
        mounted.mkdir(exist_ok=True)
        run(["mount", "-o", "loop", str(disk), str(mounted)])
        try:
            path, text = channel_file(self.instance, self.plan.family, FIRST)
            (mounted / path).write_text(text)
            services.deploy(mounted, self.plan)
        finally:
            run(["umount", str(mounted)])
        with disk.open("r+b") as file:
            file.write(self.image.boot_sector.read_bytes()[:BOOT_SECTOR_BYTES])
        disk.replace(self.folder.main)
        files.write(self.folder.path / "image", f"{self.image.name}\n")

    async def inside(self, command: list[str]) -> str:
        """Over SSH: it has no console that takes commands."""
        return await self._ssh(shlex.join(command))

    async def tells(self) -> dict[str, str | None]:
        said = await self._ssh(TELL, check=False) if self.running else ""
        names = {"image": "IMAGE_VERSION", "bootId": "BOOT", "kernel": "KERNEL", "release": "RELEASE"}
        return {name: field(word, said) for name, word in names.items()}

    async def _ssh(self, command: str, *, check: bool = True) -> str:
        keys = Keys(self.instance)
        options = ["-i", str(keys.client), "-o", f"UserKnownHostsFile={keys.known_hosts}", "-o", "StrictHostKeyChecking=yes"]
        options += ["-o", "BatchMode=yes", "-o", "ConnectTimeout=3"]
        return await run_async(["ssh", *options, f"root@{self.plan.address}", command], check=check)

    async def _boot(self, medium: Medium | None) -> asyncio.subprocess.Process:
        await asyncio.to_thread(self._write_identity)
        self.monitor.socket.unlink(missing_ok=True)
        process = await asyncio.create_subprocess_exec(
            *self._qemu(medium), stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, start_new_session=True
        )
        self.monitor = Monitor(self.monitor.socket)
        try:
            await self.monitor.connect()
        except TimeoutError:
            process.kill()
            raise LabError(f"QEMU of {self.plan.name} does not start") from None
        return process

    def _qemu(self, medium: Medium | None) -> list[str]:
        command = ["setpriv", "--pdeathsig", "KILL", "ip", "netns", "exec", network.host_namespace(self.instance, self.plan)]
        command += ["qemu-system-x86_64", "-name", self.plan.name, "-machine", "pc,accel=tcg", "-cpu", "max", "-m", str(MEMORY_MIB)]
        command += ["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]
        for disk, options in ((self.folder.main, ""), (self.folder.data, ""), (self._identity, ",readonly=on")):
            command += ["-drive", f"file={disk},if=virtio,format=raw{options}"]
        command += ["-netdev", f"tap,id=net,ifname={network.TAP},script=no,downscript=no"]
        command += ["-device", f"virtio-net-pci,netdev=net,mac={self.plan.mac},romfile="]
        command += ["-device", "virtio-rng-pci"]
        command += ["-chardev", f"file,id=console,path={self.folder.console},append=on", "-serial", "chardev:console"]
        command += ["-qmp", f"unix:{self.monitor.socket},server=on,wait=off"]
        if medium is None:
            return [*command, "-boot", "order=c"]
        return [*command, "-drive", f"file={self._in_drive(medium)},if=ide,media=cdrom,format=raw,readonly=on", "-boot", "order=d"]

    def _in_drive(self, medium: Medium) -> Path:
        """The medium, or one that says another sum."""
        if not self.switched & {Switch.DAMAGED_IMAGE, Switch.DAMAGED_ONCE}:
            return medium.file
        self.switched.discard(Switch.DAMAGED_ONCE)
        damaged = self.folder.path / "damaged.iso"
        damaged.write_bytes(SUM_ON_MEDIUM.sub(b"fleet.sha256=00000", medium.file.read_bytes()))
        return damaged

    @property
    def _identity(self) -> Path:
        return self.folder.path / "identity.tar"

    def _write_identity(self) -> None:
        """What the machine, and not its operating system, knows: its third disk."""
        files.write(self.folder.spec / "address", f"{self.plan.address}/25\n")
        files.write(self.folder.spec / "gateway", f"{self.instance.subnet}.1\n")
        with tarfile.open(self._identity, "w") as tar:
            for file in sorted(self.folder.spec.iterdir()):
                tar.add(file, file.name)

    async def _ended(self, code: int) -> End:
        await self.monitor.heard_all()
        match code, self.monitor.down_for:
            case 0, "guest-reset":
                return End.RESTART
            case 0, "guest-shutdown":
                return End.HALT
        return End.BROKEN

    @property
    def heeds_button(self) -> bool:
        return True

    async def _shut_down(self) -> None:
        self.monitor.press_power_button()

    async def _disks_released(self) -> None:
        """Nobody but QEMU has them."""

    def _cut(self, process: asyncio.subprocess.Process) -> None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
