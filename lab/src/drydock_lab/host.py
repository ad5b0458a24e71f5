"""One host's machine: power, boots, reboots. The operating system on it is real; only the metal is played here."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import signal
import time
from enum import Enum, StrEnum
from pathlib import Path
from typing import Any

from drydock_lab import network
from drydock_lab.commands import run_async
from drydock_lab.errors import LabError
from drydock_lab.firmware import Firmware, Medium
from drydock_lab.golden_image import RESOURCES
from drydock_lab.instance import Instance
from drydock_lab.partitions import HostFolder, folder_of
from drydock_lab.plan import HostPlan
from drydock_lab.sweep import loop_devices

SHUTDOWN_SECONDS_MAX = 20.0
RELEASE_SECONDS_MAX = 15.0
BOOT_SECONDS_MAX = 15.0
EVENTS_MAX = 200
OK, CRITICAL = "OK", "Critical"
MEMORY_GIB = 4
INSTALLER_FAILED, SAID_MAX = "installer: FAILED", 300
HALTED = (-signal.SIGINT, 128 + signal.SIGINT)


class Switch(StrEnum):
    """Faults of a machine that are on or off."""

    REBOOT_HANG = "rebootHang"  # a restart from inside ends with the machine off
    SHUTDOWN_HANG = "shutdownHang"  # the system does not heed the power button
    NO_POWER_ON = "noPowerOn"
    LOST_MEMORY = "lostMemory"  # the machine counts half of its memory; what its system counts is the real machine's
    DAMAGED_IMAGE = "damagedImage"  # what an installer fetches has another sum than its medium says
    DAMAGED_ONCE = "damagedOnce"  # the same for the next installer alone


class PowerAction(Enum):
    """What a power button or a BMC can ask for."""

    ON = "on"
    OFF = "off"  # an orderly shutdown, and the cable if that does not come
    PRESS = "press"  # asks for an orderly shutdown and leaves it at that
    CUT = "cut"
    RESET = "reset"


class Host:
    """Runs on the event loop's thread. `wanted` is what power was last asked for, `process` what there is."""

    def __init__(self, instance: Instance, plan: HostPlan, images: Path) -> None:
        self.instance = instance
        self.plan = plan
        self.folder: HostFolder = folder_of(instance, plan)
        self.images = images
        self.process: asyncio.subprocess.Process | None = None
        self.wanted = False
        self.boots = 0
        self.events: list[dict[str, Any]] = []
        self.firmware = Firmware()
        self.switched: set[Switch] = set()
        self.befallen: set[str] = set()  # names of mishaps
        self.health = "OK"
        self._data_at_installation: str | None = None
        self._console_at_boot: int | None = None  # of a medium
        self._lock = asyncio.Lock()
        self._watchers: set[asyncio.Task[None]] = set()

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.returncode is None

    @property
    def memory_gib(self) -> int:
        return MEMORY_GIB // 2 if Switch.LOST_MEMORY in self.switched else MEMORY_GIB

    async def power(self, action: PowerAction) -> None:
        """Does what was asked; asking for what already is changes nothing."""
        async with self._lock:
            self._record(f"power {action.value} requested")
            match action:
                case PowerAction.ON:
                    await self._start()
                case PowerAction.OFF:
                    await self._stop(graceful=True)
                case PowerAction.PRESS:
                    await self._press()
                case PowerAction.CUT:
                    await self._stop(graceful=False)
                case PowerAction.RESET:
                    await self._stop(graceful=False)
                    await self._start()

    def first_process(self) -> int | None:
        """Pid 1 of the host, as the root namespace numbers it."""
        if self.process is None or not self.running:
            return None
        pid = self.process.pid
        try:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        except FileNotFoundError:
            return None
        return int(children[0]) if children else None

    def clear_faults(self) -> None:
        self.switched.clear()
        self.befallen.clear()
        self.health = "OK"
        for fault in self.folder.faults.iterdir():
            fault.unlink()

    @property
    def booted(self) -> bool:
        """Whether runit is pid 1 and supervises. Before that the host's root may still be the root of the machine."""
        pid = self.first_process()
        try:
            is_runit = pid is not None and Path(f"/proc/{pid}/comm").read_text().strip() == "runit"
            return is_runit and Path(f"/proc/{pid}/root/run/lab/booted").exists()
        except (FileNotFoundError, ProcessLookupError):
            return False

    async def inside(self, command: list[str]) -> str:
        """Runs a command in the host without its network: what a technician at the console would do."""
        deadline = time.monotonic() + BOOT_SECONDS_MAX
        while self.running and not self.booted and time.monotonic() < deadline:
            await asyncio.sleep(0.02)
        pid = self.first_process()
        if pid is None or not self.booted:
            raise LabError(f"host {self.plan.name} is off or does not boot")
        return await run_async(["nsenter", "-t", str(pid), "-m", "-u", "-i", "-n", "-p", "-T", "--", *command])

    async def _start(self) -> None:
        self.wanted = True
        if self.running:
            return
        if Switch.NO_POWER_ON in self.switched:
            self.wanted = False
            self._record("does not power on", CRITICAL)
            return
        await self._partitions_released()
        self.boots += 1
        medium = self.firmware.boot()
        await self._watch_data(medium)
        self._record("power on" if medium is None else f"power on, boots {medium.url}")
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
            self._console_at_boot = None if medium is None else console.tell()
            self.process = await asyncio.create_subprocess_exec(
                *command, stdin=asyncio.subprocess.DEVNULL, stdout=console, stderr=console, start_new_session=True
            )
        watcher = asyncio.create_task(self._watch(self.process))
        self._watchers.add(watcher)
        watcher.add_done_callback(self._watchers.discard)

    async def _watch(self, process: asyncio.subprocess.Process) -> None:
        """Waits for the machine to go down. A reboot inside the host ends its pid namespace with SIGHUP, a halt with SIGINT."""
        code = await process.wait()
        async with self._lock:
            if process is not self.process or not self.wanted:
                return
            if code in (-signal.SIGHUP, 128 + signal.SIGHUP) and Switch.REBOOT_HANG not in self.switched:
                self._record("restart from inside")
                await self._start()
                return
            self.wanted = False
            self._record_installer()
            self._record(f"went down by itself ({code})", OK if code in HALTED else CRITICAL)

    def _record_installer(self) -> None:
        """What an installer complains about goes to the machine's events, as installers send it to their BMC."""
        if self._console_at_boot is None:
            return
        said = self.folder.console.read_bytes()[self._console_at_boot :].decode(errors="replace")
        for line in said.splitlines():
            if line.startswith(INSTALLER_FAILED):
                self._record(line[:SAID_MAX], CRITICAL)

    async def _press(self) -> None:
        if not self.running:
            return
        if Switch.SHUTDOWN_HANG in self.switched or not self.booted:
            self._record("the system does not heed the power button", "Warning")
            return
        await self.inside(["/lib/runit/runit-init", "0"])

    async def _watch_data(self, medium: Medium | None) -> None:
        """From the shutdown before an installation to the first boot after it nothing may touch the data partition."""
        if medium is not None and self._data_at_installation is None:
            self._data_at_installation = await asyncio.to_thread(_sum, self.folder.data)
        elif medium is None and self._data_at_installation is not None:
            same = await asyncio.to_thread(_sum, self.folder.data) == self._data_at_installation
            self._data_at_installation = None
            self._record(f"data partition {'unchanged' if same else 'CHANGED'} by the installation", OK if same else CRITICAL)

    async def _stop(self, *, graceful: bool) -> None:
        self.wanted = False
        process = self.process
        if process is None or not self.running:
            return
        if graceful:
            try:
                await self.inside(["/lib/runit/runit-init", "0"])
                await asyncio.wait_for(process.wait(), SHUTDOWN_SECONDS_MAX)
                self._record("power off")
                return
            except (TimeoutError, LabError) as problem:
                self._record(f"did not shut down within {SHUTDOWN_SECONDS_MAX:.0f} s: {problem}")
        first = self.first_process()
        # Killing the host's pid 1 ends every process of the host before its parent sees the end.
        with contextlib.suppress(ProcessLookupError):
            os.kill(first or process.pid, signal.SIGKILL)
        await asyncio.wait_for(process.wait(), RELEASE_SECONDS_MAX)
        self._record("power cut")

    async def _partitions_released(self) -> None:
        """The last boot's file systems must be gone: two mounts of one partition would destroy it."""
        deadline = time.monotonic() + RELEASE_SECONDS_MAX
        while any(loop_devices(partition) for partition in (self.folder.main, self.folder.data)):
            if time.monotonic() > deadline:
                raise LabError(f"the partitions of {self.plan.name} are still in use, it cannot be started")
            await asyncio.sleep(0.02)

    def _record(self, event: str, severity: str = OK) -> None:
        self.events = [*self.events[-(EVENTS_MAX - 1) :], {"at": time.time(), "event": event, "severity": severity}]


def _sum(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
