"""The monitor of a running QEMU, by its protocol QMP: presses the power button, and hears why the machine went down."""

from __future__ import annotations

import asyncio
import contextlib
import json
from pathlib import Path
from typing import Any

CONNECT_SECONDS_MAX = 10.0
GREETING = {"execute": "qmp_capabilities"}


class Monitor:
    """One boot of one machine. `down_for` is the reason QEMU gave for the end, such as `guest-reset`; None before."""

    def __init__(self, socket: Path) -> None:
        self.socket = socket
        self.down_for: str | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._listening: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        """Begins to listen. Raises `TimeoutError` when nobody answers."""
        async with asyncio.timeout(CONNECT_SECONDS_MAX):
            while True:
                with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
                    reader, self._writer = await asyncio.open_unix_connection(str(self.socket))
                    break
                await asyncio.sleep(0.05)
        self._say(GREETING)
        self._listening = asyncio.create_task(self._listen(reader))

    def press_power_button(self) -> None:
        self._say({"execute": "system_powerdown"})

    async def heard_all(self) -> None:
        """Once the machine is gone: `down_for` is what it will be."""
        if self._listening is not None:
            await self._listening

    def _say(self, command: dict[str, Any]) -> None:
        if self._writer is not None:
            self._writer.write(json.dumps(command).encode() + b"\n")

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(ConnectionError):
            async for line in reader:
                said = json.loads(line)
                if said.get("event") == "SHUTDOWN":
                    self.down_for = said["data"]["reason"]
        if self._writer is not None:
            self._writer.close()
