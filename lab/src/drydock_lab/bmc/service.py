"""The Redfish service of one machine: sessions, power, boot override, virtual media, tasks."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
import urllib.request
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drydock_lab.bmc import resources
from drydock_lab.bmc.faults import Fate, Fault, Faults
from drydock_lab.bmc.resources import RESET_TYPES, ROOT, SESSIONS, Machine, Task
from drydock_lab.errors import LabError
from drydock_lab.firmware import Firmware, Medium, Override, Target
from drydock_lab.host import Host, PowerAction
from drydock_lab.json_server import Answer, Hangup, Request

SESSIONS_MAX = 8
SESSION_SECONDS = 30.0  # without a request; then it is closed
TASKS_KEPT = 20
MEDIUM_BYTES_MAX = 64 << 20
MEDIUM_SECONDS_MAX = 20.0
SILENCE_SECONDS_MAX = 600.0
SLOW_SECONDS = 2.0
RESETS = {
    "On": PowerAction.ON,
    "ForceOn": PowerAction.ON,
    "ForceOff": PowerAction.CUT,
    "GracefulShutdown": PowerAction.PRESS,
    "ForceRestart": PowerAction.RESET,
    "PowerCycle": PowerAction.RESET,
}


@dataclass
class Session:
    name: str
    used_at: float


class Bmc:
    """Runs on the event loop's thread. It lives as long as the lab; its machine may be off."""

    def __init__(self, host: Host, user: str, password: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.host = host
        self.faults = Faults()
        self.sessions: dict[str, Session] = {}  # by token
        self.tasks: list[Task] = []
        self._login = (user, password)
        self._clock = clock
        self._begun = 0
        self._working: set[asyncio.Task[None]] = set()

    async def answer(self, request: Request) -> Answer:
        token = request.headers.get("x-auth-token", "")
        self._close_idle(token)
        fate = self.faults.meet(changes=request.method != "GET", in_session=token in self.sessions)
        match fate:
            case Fate.BUSY:
                return Answer(503, resources.error("ServiceTemporarilyUnavailable", "busy"), {"Retry-After": "1"})
            case Fate.CUT_OFF:
                raise Hangup
            case Fate.LATE:
                await asyncio.sleep(SLOW_SECONDS)
            case Fate.NOTHING_DONE:
                await self._keep_silent()
            case Fate.SESSION_LOST:
                self.sessions.pop(token, None)
        answer = await self._serve(request, token)
        if fate is Fate.DONE_UNSAID:
            await self._keep_silent()
        return answer

    def _close_idle(self, used: str) -> None:
        now = self._clock()
        if used in self.sessions:
            self.sessions[used].used_at = now
        self.sessions = {token: session for token, session in self.sessions.items() if now - session.used_at < SESSION_SECONDS}

    def forget(self) -> None:
        """As it came from the factory: no faults, nothing in the drive."""
        self.faults.set(Fault.NONE)
        self.host.firmware = Firmware()
        self.sessions.clear()

    def tells(self) -> dict[str, Any]:
        """What the lab knows of it, whatever it answers: how often its fault was met since that was set, and what its machine has
        to boot from."""
        firmware = self.host.firmware
        medium = firmware.medium.url if firmware.medium else None
        return {"medium": medium, "override": firmware.override.value, "bmcFaultHits": self.faults.hits}

    async def _keep_silent(self) -> None:
        """No byte for as long as any client waits."""
        await asyncio.sleep(SILENCE_SECONDS_MAX)
        raise Hangup

    async def _serve(self, request: Request, token: str) -> Answer:
        path = request.path.rstrip("/")
        if path in ("", "/redfish", ROOT) and request.method == "GET":
            return Answer(200, resources.service_root())
        if path == SESSIONS and request.method == "POST":
            return self._log_in(request)
        if token not in self.sessions:
            return Answer(401, resources.error("NoValidSession", "there is no valid session established"))
        if request.method == "GET":
            document = resources.resource(path, self._machine(), [session.name for session in self.sessions.values()], self.tasks)
            return Answer(200, document) if document is not None else _missing(path)
        return await self._change(request, path)

    def _log_in(self, request: Request) -> Answer:
        given = (request.body.get("UserName"), request.body.get("Password"))
        if given != self._login:
            return Answer(401, resources.error("NoValidSession", "user name or password is wrong"))
        if len(self.sessions) >= SESSIONS_MAX:
            return Answer(503, resources.error("SessionLimitExceeded", f"{SESSIONS_MAX} sessions are open"), {"Retry-After": "30"})
        token, name = secrets.token_hex(16), secrets.token_hex(4)
        self.sessions[token] = Session(name, self._clock())
        location = f"{SESSIONS}/{name}"
        return Answer(201, {"@odata.id": location, "Id": name, "UserName": given[0]}, {"X-Auth-Token": token, "Location": location})

    async def _change(self, request: Request, path: str) -> Answer:
        system = f"{ROOT}/Systems/{self.host.plan.name}"
        match request.method, path:
            case "DELETE", _ if path.startswith(f"{SESSIONS}/"):
                self.sessions = {token: session for token, session in self.sessions.items() if path != f"{SESSIONS}/{session.name}"}
                return Answer(204)
            case "PATCH", _ if path == system:
                return self._override(request)
            case "POST", _ if path == f"{system}/Actions/ComputerSystem.Reset":
                return self._reset(request)
            case "POST", _ if path == f"{system}/VirtualMedia/Cd/Actions/VirtualMedia.InsertMedia":
                return await self._insert(request)
            case "POST", _ if path == f"{system}/VirtualMedia/Cd/Actions/VirtualMedia.EjectMedia":
                self.host.firmware.medium = None
                return Answer(204)
        return _missing(path)

    def _override(self, request: Request) -> Answer:
        boot = request.body.get("Boot")
        try:
            firmware = self.host.firmware
            override = Override(boot.get("BootSourceOverrideEnabled", firmware.override))  # type: ignore[union-attr]
            target = Target(boot.get("BootSourceOverrideTarget", firmware.target))  # type: ignore[union-attr]
        except (ValueError, AttributeError):
            return Answer(400, resources.error("PropertyValueNotInList", f"no boot override that this machine knows: {boot}"))
        firmware.override, firmware.target = override, target
        return Answer(204)

    def _reset(self, request: Request) -> Answer:
        kind = request.body.get("ResetType")
        if kind not in RESET_TYPES:
            return Answer(400, resources.error("ActionParameterNotSupported", f"ResetType must be one of {', '.join(RESET_TYPES)}"))
        self._begin(f"Reset {kind}", self.host.power(RESETS[kind]))
        return Answer(204)

    async def _insert(self, request: Request) -> Answer:
        url = request.body.get("Image")
        if not isinstance(url, str) or not url.startswith("http://"):
            return Answer(400, resources.error("ActionParameterMissing", "Image must be a URL with http"))
        if self.host.firmware.medium is not None:
            return Answer(409, resources.error("ResourceInUse", "there is a medium in the drive already"))
        file = self.host.folder.path / "medium.tar"
        try:
            await asyncio.to_thread(_fetch, url, file)
        except OSError as problem:
            return Answer(500, resources.error("InternalError", f"{url} cannot be read: {problem}"))
        self.host.firmware.medium = Medium(url, file)
        return Answer(204)

    def _begin(self, name: str, work: Awaitable[None]) -> None:
        """The answer does not wait for it; the task list tells when it has ended."""
        self._begun += 1
        task = Task(self._begun, name)
        self.tasks = [*self.tasks[-(TASKS_KEPT - 1) :], task]

        async def run() -> None:
            try:
                await work
                task.state = "Completed"
            except (LabError, OSError):
                task.state = "Exception"

        working = asyncio.create_task(run())
        self._working.add(working)
        working.add_done_callback(self._working.discard)

    def _machine(self) -> Machine:
        host = self.host
        return Machine(host.plan.name, host.running, host.health, host.firmware, host.events, host.memory_gib)


def _missing(path: str) -> Answer:
    return Answer(404, resources.error("ResourceMissingAtURI", f"there is nothing at {path}"))


def _fetch(url: str, file: Path) -> None:
    temporary = file.with_suffix(".new")
    with contextlib.closing(urllib.request.urlopen(url, timeout=MEDIUM_SECONDS_MAX)) as source:  # noqa: S310 (http, seen by the caller)
        temporary.write_bytes(source.read(MEDIUM_BYTES_MAX))
    temporary.replace(file)
