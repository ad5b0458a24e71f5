"""A machine of namespaces: quick to start and cheap, with the kernel of the machine it lives on."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from pathlib import Path

from drydock_lab import network, partitions
from drydock_lab.commands import run_async
from drydock_lab.errors import LabError
from drydock_lab.files import field, read
from drydock_lab.firmware import Medium
from drydock_lab.golden_image import RESOURCES, Image
from drydock_lab.host import RELEASE_SECONDS_MAX, End, Host, Switch
from drydock_lab.instance import Instance
from drydock_lab.plan import MEMORY_MIB, HostPlan
from drydock_lab.progress import say
from drydock_lab.sweep import loop_devices

BOOT_SECONDS_MAX = 15.0
HALTED = (-signal.SIGINT, 128 + signal.SIGINT)
RESTARTED = (-signal.SIGHUP, 128 + signal.SIGHUP)


class NamespaceHost(Host):
    """Its root is an overlay on a golden image, its first process runit."""

    SHUTDOWN_SECONDS_MAX = 20.0
    READY_SECONDS_MAX = 60.0
    MEMORY_GIB = MEMORY_MIB // 1024
    KERNEL_IS_REAL = False

    def __init__(self, instance: Instance, plan: HostPlan, image: Image, images: Path) -> None:
        super().__init__(instance, plan)
        self.image = image
        self.images = images  # where a boot finds the layers of each

    def ensure_installed(self) -> None:
        installed = self.folder.installed_image()
        if installed == self.image.name:
            return
        if installed is not None:
            say(f"lab: {self.plan.name} had image {installed}, installing {self.image.name}")
        self.install()

    def install(self) -> None:
        partitions.install(self.instance, self.folder, self.plan, self.image)

    @property
    def booted(self) -> bool:
        """Whether runit is pid 1 and supervises. Before that the host's root may still be the root of the machine."""
        pid = self._first_process()
        try:
            is_runit = pid is not None and Path(f"/proc/{pid}/comm").read_text().strip() == "runit"
            return is_runit and Path(f"/proc/{pid}/root/run/lab/booted").exists()
        except (FileNotFoundError, ProcessLookupError):
            return False

    async def inside(self, command: list[str]) -> str:
        deadline = time.monotonic() + BOOT_SECONDS_MAX
        while self.running and not self.booted and time.monotonic() < deadline:
            await asyncio.sleep(0.02)
        pid = self._first_process()
        if pid is None or not self.booted:
            raise LabError(f"host {self.plan.name} is off or does not boot")
        return await run_async(["nsenter", "-t", str(pid), "-m", "-u", "-i", "-n", "-p", "-T", "--", *command])

    async def tells(self) -> dict[str, str | None]:
        """Read from its own files."""
        pid = self._first_process()
        inside = Path(f"/proc/{pid}/root")
        return {
            "image": field("IMAGE_VERSION", read(inside / "etc/image-release")) if pid else None,
            "bootId": read(inside / "run/lab/boot_id") if pid else None,
            "kernel": read(inside / "run/lab/kernel") if pid else None,
            "release": field("RELEASE", read(inside / "etc/fleet-release")) if pid else None,
        }

    async def _boot(self, medium: Medium | None) -> asyncio.subprocess.Process:
        uptime = int(float(Path("/proc/uptime").read_text().split()[0]))
        command = ["setpriv", "--pdeathsig", "KILL", "ip", "netns", "exec"]
        command += [network.host_namespace(self.instance, self.plan)]
        command += ["unshare", "--mount", "--pid", "--fork", "--uts", "--ipc", "--time", f"--boottime=-{uptime}"]
        command += ["--kill-child=KILL", "--propagation", "private"]
        command += [str(RESOURCES / "init"), str(self.folder.path), str(self.images)]
        if medium is not None:
            command += [str(medium.file), *(["damaged"] if self.switched & {Switch.DAMAGED_IMAGE, Switch.DAMAGED_ONCE} else [])]
            self.switched.discard(Switch.DAMAGED_ONCE)
        with self.folder.console.open("ab") as console:
            return await asyncio.create_subprocess_exec(
                *command, stdin=asyncio.subprocess.DEVNULL, stdout=console, stderr=console, start_new_session=True
            )

    async def _ended(self, code: int) -> End:
        """A reboot inside the host ends its pid namespace with SIGHUP, a halt with SIGINT."""
        if code in RESTARTED:
            return End.RESTART
        return End.HALT if code in HALTED else End.BROKEN

    @property
    def heeds_button(self) -> bool:
        return self.booted

    async def _shut_down(self) -> None:
        await self.inside(["/lib/runit/runit-init", "0"])

    def _cut(self, process: asyncio.subprocess.Process) -> None:
        # Killing the host's pid 1 ends every process of the host before its parent sees the end.
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._first_process() or process.pid, signal.SIGKILL)

    async def _disks_released(self) -> None:
        """The last boot's file systems must be gone: two mounts of one partition would destroy it."""
        deadline = time.monotonic() + RELEASE_SECONDS_MAX
        while any(loop_devices(partition) for partition in (self.folder.main, self.folder.data)):
            if time.monotonic() > deadline:
                raise LabError(f"the partitions of {self.plan.name} are still in use, it cannot be started")
            await asyncio.sleep(0.02)

    def _first_process(self) -> int | None:
        """Pid 1 of the host, as the root namespace numbers it."""
        if self.process is None or not self.running:
            return None
        pid = self.process.pid
        try:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        except FileNotFoundError:
            return None
        return int(children[0]) if children else None
