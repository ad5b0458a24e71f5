"""The control interface of the lab, on loopback: what is, power, reset and faults."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import TYPE_CHECKING, Any

from drydock_lab import files, network, services
from drydock_lab.bmc.faults import Fault
from drydock_lab.errors import LabError
from drydock_lab.host import Host, PowerAction, Switch
from drydock_lab.host_faults import MISHAPS, HostFault
from drydock_lab.json_server import Refused

if TYPE_CHECKING:
    from drydock_lab.supervisor import Supervisor

PROBE_SECONDS_MAX = 2.0
LINK_DOWN_SECONDS_MAX = 600


class Control:
    """Routes of the control interface:

    `GET /hosts`, `GET /hosts/NAME`, `POST /hosts/NAME/power {"action": "on|off|cut|reset"}`,
    `POST /hosts/NAME/fault {"kind": "link|power|wrongKernel|health|service|bmc" or a switch of a machine, …}` or `{"kind": MISHAP}`,
    `POST /reset`, `POST /ready`.
    """

    def __init__(self, supervisor: Supervisor) -> None:
        self.supervisor = supervisor
        self.changing = asyncio.Lock()
        self.mending: dict[str, asyncio.Task[None]] = {}  # cables that come back by themselves

    async def handle(self, method: str, path: str, body: dict[str, Any]) -> Any:
        match method, path.strip("/").split("/"):
            case "GET", ["hosts"]:
                hosts = self.supervisor.hosts.values()
                return {"hosts": await asyncio.gather(*map(describe, hosts))}
            case "GET", ["hosts", name]:
                host = self._host(name)
                return {**await describe(host), **self.supervisor.bmcs[name].tells(), "events": host.events}
            case "POST", ["hosts", name, "power"]:
                await self._host(name).power(_action(body.get("action")))
                return await describe(self._host(name))
            case "POST", ["hosts", name, "fault"]:
                return {"output": await self._fault(self._host(name), body)}
            case "POST", ["reset"]:
                async with self.changing:
                    for name in list(self.mending):
                        self.mending.pop(name).cancel()
                    await self.supervisor.reset()
                    return await self._all_ready()
            case "POST", ["ready"]:
                return await self._all_ready()
        raise Refused(404, f"no such path: {method} {path}")

    def _host(self, name: str) -> Host:
        if name not in self.supervisor.hosts:
            raise Refused(404, f"no host {name} in this lab")
        return self.supervisor.hosts[name]

    async def _fault(self, host: Host, body: dict[str, Any]) -> str:
        match body:
            case {"kind": str(kind), **others} if kind in MISHAPS and not others:
                return await self._befall(host, kind)
            case {"kind": "link"}:
                await self._link(host, body)
            case {"kind": "power", "value": str()}:
                await host.power(_action(body["value"]))
            case {"kind": str(kind), "value": bool(value)} if kind in list(Switch):
                (host.switched.add if value else host.switched.discard)(Switch(kind))
            case {"kind": "wrongKernel", "value": str() | None as value}:
                _wrong_kernel(host, value)
            case {"kind": "health", "value": "OK" | "Warning" | "Critical" as value}:
                host.health = value
            case {"kind": "bmc", "value": str(value)} if value in list(Fault):
                self.supervisor.bmcs[host.plan.name].faults.set(Fault(value), _times(body))
            case {"kind": "service", "service": str(name), "value": "up" | "down" as value} if name in _services(host):
                return await host.inside(["sv", "-w", "15", value, name])
            case _:
                raise _unknown(body)
        return ""

    async def _link(self, host: Host, body: dict[str, Any]) -> None:
        """What is asked for last holds: a cable that would have come back does not any more."""
        match body:
            case {"value": "down", "seconds": int(seconds)} if 0 < seconds <= LINK_DOWN_SECONDS_MAX:
                up, slow, back_after = False, False, seconds
            case {"value": "up" | "down" | "slow" as value} if "seconds" not in body:
                up, slow, back_after = value != "down", value == "slow", 0
            case _:
                raise _unknown(body)
        if host.plan.name in self.mending:
            self.mending.pop(host.plan.name).cancel()
        await asyncio.to_thread(network.set_link, host.instance, host.plan, up=up, slow=slow)
        if back_after:
            self.mending[host.plan.name] = asyncio.create_task(_plugged_in(host, back_after))

    async def _befall(self, host: Host, name: str) -> str:
        mishap: HostFault = MISHAPS[name]
        if mishap.family not in (None, host.plan.family):
            raise Refused(400, f"{name} befalls hosts with {mishap.family} alone, not {host.plan.name}")
        host.befallen.add(name)
        for fault in mishap.faults:
            await self._fault(host, dict(fault))
        return await host.inside(["sh", "-c", mishap.script]) if mishap.script else ""

    async def _deploy(self, host: Host) -> None:
        for application in host.plan.applications:
            await host.inside(["sh", "-c", services.GIVE, application.name, services.program(application)])

    async def _all_ready(self) -> Any:
        """Waits until every host answers on SSH and every instance says it is ready. A lab may have been left in the middle of a
        re-image: what a host has not is deployed."""
        patience = max(host.READY_SECONDS_MAX for host in self.supervisor.hosts.values())
        deadline = asyncio.get_running_loop().time() + patience
        deployed: set[str] = set()
        while True:
            found = {name: await not_ready(host) for name, host in self.supervisor.hosts.items()}
            missing = [what for of_host in found.values() for what in of_host]
            for name in [name for name, of_host in found.items() if of_host and f"ssh@{name}" not in of_host and name not in deployed]:
                with contextlib.suppress(LabError):  # it is going down, say; at the next look
                    await self._deploy(self.supervisor.hosts[name])
                    deployed.add(name)
            if not missing:
                return {"ready": True, "hosts": len(self.supervisor.hosts)}
            if asyncio.get_running_loop().time() > deadline:
                raise Refused(504, f"not ready after {patience:.0f} s (`reset` ends every fault): {', '.join(missing)}")
            await asyncio.sleep(0.2)


async def describe(host: Host) -> dict[str, Any]:
    """A host as it is now."""
    return {
        "name": host.plan.name,
        "address": host.plan.address,
        "family": host.plan.family,
        "power": "on" if host.running else "off",
        "boots": host.boots,
        "bmc": host.instance.bmc_address(host.plan.index),
        **await host.tells(),
        "notReady": await not_ready(host),
    }


async def not_ready(host: Host) -> list[str]:
    """What of a host does not answer yet: `ssh` or names of its applications."""
    checks = {f"ssh@{host.plan.name}": _greets(host.plan.address, 22, b"", b"SSH-")}
    for application in host.plan.applications:
        question = b"GET /health HTTP/1.1\r\nConnection: close\r\n\r\n"
        name = f"{application.name}@{host.plan.name}"
        checks[name] = _greets(host.plan.address, application.port, question, b"HTTP/1.1 200")
    answers = await asyncio.gather(*checks.values())
    return [name for name, answered in zip(checks, answers, strict=True) if not answered]


async def _greets(address: str, port: int, question: bytes, expected: bytes) -> bool:
    async def ask() -> bool:
        reader, writer = await asyncio.open_connection(address, port)
        try:
            writer.write(question)
            return await reader.readexactly(len(expected)) == expected
        finally:
            writer.close()

    try:
        return await asyncio.wait_for(ask(), PROBE_SECONDS_MAX)
    except (TimeoutError, OSError, asyncio.IncompleteReadError):
        return False


def _wrong_kernel(host: Host, release: str | None) -> None:
    if host.KERNEL_IS_REAL:
        raise Refused(400, f"{host.plan.name} boots a kernel of its own: nobody can say that it is another")
    fault = host.folder.faults / "wrong-kernel"
    if release is None:
        fault.unlink(missing_ok=True)
    else:
        files.write(fault, f"{release}\n")


async def _plugged_in(host: Host, seconds: float) -> None:
    await asyncio.sleep(seconds)
    await asyncio.to_thread(network.set_link, host.instance, host.plan)


def _unknown(body: dict[str, Any]) -> Refused:
    return Refused(400, f"not a fault this lab knows: {json.dumps(body)}")


def _services(host: Host) -> list[str]:
    return ["sshd", *(application.name for application in host.plan.applications)]


def _times(body: dict[str, Any]) -> int | None:
    times = body.get("times")
    if times is None or (isinstance(times, int) and times > 0):
        return times
    raise Refused(400, f"times must be a whole number above 0, not {times!r}")


def _action(asked: object) -> PowerAction:
    try:
        return PowerAction(asked)
    except ValueError:
        names = ", ".join(action.value for action in PowerAction)
        raise Refused(400, f"action must be one of {names}, not {asked!r}") from None
