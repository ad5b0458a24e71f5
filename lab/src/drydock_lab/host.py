"""One host's machine: power, boots, reboots. The operating system on it is real; the metal is played by a subclass."""

from __future__ import annotations

import asyncio
import hashlib
import time
from abc import ABC, abstractmethod
from enum import Enum, StrEnum
from pathlib import Path
from typing import Any

from drydock_lab.errors import LabError
from drydock_lab.firmware import Firmware, Medium
from drydock_lab.instance import Instance
from drydock_lab.partitions import HostFolder, folder_of
from drydock_lab.plan import HostPlan

RELEASE_SECONDS_MAX = 15.0
EVENTS_MAX = 200
OK, CRITICAL = "OK", "Critical"
DATA_UNCHANGED, DATA_CHANGED = (f"data partition {how} by the installation" for how in ("unchanged", "CHANGED"))
INSTALLER_FAILED, SAID_MAX = "installer: FAILED", 300


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


class End(Enum):
    """Why a machine is not on any more."""

    RESTART = "restart from inside"
    HALT = "halt from inside"
    BROKEN = "something else"


class Host(ABC):
    """Runs on the event loop's thread. `wanted` is what power was last asked for, `process` what there is."""

    # A system that is asked to go down may take so long before its power is cut.
    SHUTDOWN_SECONDS_MAX: float
    # From power on to answers of its applications, while others boot.
    READY_SECONDS_MAX: float
    MEMORY_GIB: int
    KERNEL_IS_REAL: bool

    def __init__(self, instance: Instance, plan: HostPlan) -> None:
        self.instance = instance
        self.plan = plan
        self.folder: HostFolder = folder_of(instance, plan)
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
        return self.MEMORY_GIB // 2 if Switch.LOST_MEMORY in self.switched else self.MEMORY_GIB

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

    @abstractmethod
    def ensure_installed(self) -> None:
        """Installs release 1 where nothing is, or an image of before."""

    @abstractmethod
    def install(self) -> None:
        """Makes the main partition anew with release 1; the data partition is not touched. The machine is off."""

    @abstractmethod
    async def inside(self, command: list[str]) -> str:
        """Runs a command in the host: what a technician at the console would do."""

    @abstractmethod
    async def tells(self) -> dict[str, str | None]:
        """What its operating system says of itself: image, bootId, kernel, release; None where it does not."""

    @abstractmethod
    async def _boot(self, medium: Medium | None) -> asyncio.subprocess.Process:
        """Powers the machine on; it is on as long as the process lives."""

    @abstractmethod
    async def _ended(self, code: int) -> End:
        """Why the machine went down by itself."""

    @property
    @abstractmethod
    def heeds_button(self) -> bool:
        """Whether a system is up that could go down in order."""

    @abstractmethod
    async def _shut_down(self) -> None:
        """Asks its system to go down in order. A `LabError` says why that cannot be."""

    @abstractmethod
    def _cut(self, process: asyncio.subprocess.Process) -> None:
        """Takes its power away."""

    @abstractmethod
    async def _disks_released(self) -> None:
        """Waits until its last boot is gone from its disks."""

    def clear_faults(self) -> None:
        self.switched.clear()
        self.befallen.clear()
        self.health = "OK"
        for fault in self.folder.faults.iterdir():
            fault.unlink()

    async def _start(self) -> None:
        self.wanted = True
        if self.running:
            return
        if Switch.NO_POWER_ON in self.switched:
            self.wanted = False
            self._record("does not power on", CRITICAL)
            return
        await self._disks_released()
        self.boots += 1
        medium = self.firmware.boot()
        await self._watch_data(medium)
        self._record("power on" if medium is None else f"power on, boots {medium.url}")
        console = self.folder.console
        self._console_at_boot = None if medium is None else (console.stat().st_size if console.exists() else 0)
        self.process = await self._boot(medium)
        watcher = asyncio.create_task(self._watch(self.process))
        self._watchers.add(watcher)
        watcher.add_done_callback(self._watchers.discard)

    async def _watch(self, process: asyncio.subprocess.Process) -> None:
        """Waits for the machine to go down."""
        code = await process.wait()
        async with self._lock:
            if process is not self.process or not self.wanted:
                return
            end = await self._ended(code)
            if end is End.RESTART and Switch.REBOOT_HANG not in self.switched:
                self._record("restart from inside")
                await self._start()
                return
            self.wanted = False
            self._record_installer()
            self._record(f"went down by itself ({code})", OK if end is End.HALT else CRITICAL)

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
        if Switch.SHUTDOWN_HANG in self.switched or not self.heeds_button:
            self._record("the system does not heed the power button", "Warning")
            return
        await self._shut_down()

    async def _watch_data(self, medium: Medium | None) -> None:
        """From the shutdown before an installation to the first boot after it nothing may touch the data partition."""
        if medium is not None and self._data_at_installation is None:
            self._data_at_installation = await asyncio.to_thread(_sum, self.folder.data)
        elif medium is None and self._data_at_installation is not None:
            same = await asyncio.to_thread(_sum, self.folder.data) == self._data_at_installation
            self._data_at_installation = None
            self._record(*((DATA_UNCHANGED, OK) if same else (DATA_CHANGED, CRITICAL)))

    async def _stop(self, *, graceful: bool) -> None:
        self.wanted = False
        process = self.process
        if process is None or not self.running:
            return
        if graceful:
            try:
                await self._shut_down()
                await asyncio.wait_for(process.wait(), self.SHUTDOWN_SECONDS_MAX)
                self._record("power off")
                return
            except (TimeoutError, LabError) as problem:
                self._record(f"did not shut down within {self.SHUTDOWN_SECONDS_MAX:.0f} s: {problem}")
        self._cut(process)
        await asyncio.wait_for(process.wait(), RELEASE_SECONDS_MAX)
        self._record("power cut")

    def _record(self, event: str, severity: str = OK) -> None:
        self.events = [*self.events[-(EVENTS_MAX - 1) :], {"at": time.time(), "event": event, "severity": severity}]


def _sum(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
