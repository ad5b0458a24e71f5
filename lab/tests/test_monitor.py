"""What QEMU's monitor says of the end of a boot, by a server that speaks its protocol."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from drydock_lab.vm import monitor
from drydock_lab.vm.monitor import Monitor

GREETING: dict[str, Any] = {"QMP": {"version": {}, "capabilities": []}}


async def told(socket: Path, *says: dict[str, Any], press: bool = False) -> tuple[str | None, list[str]]:
    """What a machine's end was for, when its QEMU says this and ends; and what QEMU was asked."""
    asked: list[str] = []

    async def qemu(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(json.dumps(GREETING).encode() + b"\n")
        while len(asked) < (2 if press else 1):
            asked.append(json.loads(await reader.readline())["execute"])
        for document in says:
            writer.write(json.dumps(document).encode() + b"\n")
        writer.close()

    server = await asyncio.start_unix_server(qemu, str(socket))
    async with server:
        boot = Monitor(socket)
        await boot.connect()
        if press:
            boot.press_power_button()
        await boot.heard_all()
    return boot.down_for, asked


def shutdown(reason: str) -> dict[str, Any]:
    return {"event": "SHUTDOWN", "data": {"guest": True, "reason": reason}}


@pytest.mark.parametrize("reason", ["guest-reset", "guest-shutdown"])
def test_why_a_machine_went_down(tmp_path: Path, reason: str) -> None:
    said = asyncio.run(told(tmp_path / "qmp", {"event": "RTC_CHANGE", "data": {}}, shutdown(reason)))
    assert said == (reason, ["qmp_capabilities"])


def test_a_killed_machine_says_nothing(tmp_path: Path) -> None:
    assert asyncio.run(told(tmp_path / "qmp"))[0] is None


def test_the_power_button(tmp_path: Path) -> None:
    assert asyncio.run(told(tmp_path / "qmp", press=True))[1] == ["qmp_capabilities", "system_powerdown"]


def test_a_machine_that_never_starts_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitor, "CONNECT_SECONDS_MAX", 0.1)
    with pytest.raises(TimeoutError):
        asyncio.run(Monitor(tmp_path / "qmp").connect())
