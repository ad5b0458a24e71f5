"""A session with a Redfish service, over the DMTF's client: where things are on it, what they say, and requests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import redfish
from redfish.rest import v1

from drydock_remediation.reimage.access import BmcAccess, BmcPlace
from drydock_remediation.reimage.decide import Do, Order
from drydock_remediation.reimage.facts import BmcState
from drydock_remediation.reimage.quirks import quirks_of

ROOT = "/redfish/v1/"
ENDED = ("Completed", "Killed", "Exception", "Cancelled")
TASKS_READ_MAX = 50
SESSIONS_MAX = 3  # for one question
READ_RETRIES = 2
RESET, INSERT, EJECT = "#ComputerSystem.Reset", "#VirtualMedia.InsertMedia", "#VirtualMedia.EjectMedia"
RESETS = {Do.SHUT_DOWN: ("GracefulShutdown", "PushPowerButton"), Do.FORCE_OFF: ("ForceOff",), Do.POWER_ON: ("On", "ForceOn")}
NO_PROXY = {"http": "", "https": ""}
OK, UNAUTHORIZED = 200, 401
# What the library raises when it got no answer, or none that it understood.
NO_ANSWER = (
    v1.RetriesExhaustedError,
    v1.ServerDownOrUnreachableError,
    v1.JsonDecodingError,
    v1.DecompressResponseError,
    v1.SessionCreationError,
    v1.BadRequestError,
)


class Silent(Exception):
    """A BMC did not answer a question, was too busy to, or gave an answer of no use."""


class SessionLost(Silent):
    """The BMC knows this session no longer: it ran out, or the BMC started anew."""


class NotUsable(Exception):
    """It answers, and only people can mend why it is of no use. Not to be tried again and again."""


class LockedOut(NotUsable):
    """User name or password is wrong. Many BMCs lock the account of who tries again."""


class Ambiguous(NotUsable):
    """It has several machines or drives, and nobody said which is meant, or it has not the one that was named."""


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    body: Mapping[str, Any]


class Session:
    """The library's own retries are off, but for reads: they would repeat effects."""

    def __init__(self, client: Any, place: BmcPlace) -> None:
        self._client = client
        self._place = place
        self._url = place.url
        self._system: dict[str, Any] = {}
        self._drive: dict[str, Any] = {}
        self._drives: list[dict[str, Any]] = []
        self._etag = ""
        self._quirks = quirks_of()
        self._task_list: str | None = None
        self._ended: set[str] = set()

    @staticmethod
    def open(access: BmcAccess, place: BmcPlace, seconds: float) -> Session:
        try:
            client = redfish.redfish_client(
                place.url,
                access.user,
                access.password(),
                cafile=str(access.ca_file),  # without one the library would not check certificates at all
                timeout=seconds,
                max_retry=0,
                proxies=NO_PROXY,
            )
        except NO_ANSWER as error:
            raise Silent(f"no answer: {error or type(error).__name__}") from error
        session = Session(client, place)
        session.log_in()
        try:
            session._discover(seconds)
        except (Silent, NotUsable):
            session.drop()
            raise
        return session

    def close(self) -> None:
        """Tries again where there was no answer: sessions left open shut everybody out at last."""
        for _ in range(READ_RETRIES):
            try:
                self._client.logout()
                return
            except v1.RetriesExhaustedError:
                continue
        self._client.logout()

    def drop(self) -> None:
        """Ends it if the service lets it."""
        try:
            self.close()
        except NO_ANSWER:
            pass  # it is gone already, or ends by its time-out

    def log_in(self) -> None:
        try:
            self._client.set_session_key(None)
            self._ended.clear()  # it may have started anew, and count its tasks from the first again
            self._client.login(auth="session")
        except v1.InvalidCredentialsError as error:
            raise LockedOut(f"{self._url} does not take its password") from error
        except NO_ANSWER as error:
            raise Silent(f"no session: {error or type(error).__name__}") from error

    def _answered(self, call: Callable[[], Any]) -> Any:
        """Of a question that is asked again in another session when this one is gone."""
        for _ in range(SESSIONS_MAX):
            answer = call()
            if answer.status != UNAUTHORIZED:
                return answer
            self.log_in()
        raise SessionLost("one session after the other is gone")

    @property
    def system(self) -> Mapping[str, Any]:
        """The document of the machine, as it was read last."""
        return self._system

    def document(self, path: str, seconds: float) -> dict[str, Any]:
        return self._get(path, seconds)[0]

    def read(self, seconds: float, *, tasks: bool) -> BmcState:
        self._system, self._etag = self._get(self._system["@odata.id"], seconds)
        self._drive, _ = self._get((self._drive or self._find_drive())["@odata.id"], seconds)
        boot = self._system.get("Boot") or {}
        return BmcState(
            power=str(self._system.get("PowerState")),
            override=str(boot.get("BootSourceOverrideEnabled")),
            target=str(boot.get("BootSourceOverrideTarget")),
            medium=_medium(self._drive),
            tasks=self._tasks(seconds) if tasks else (),
            health=str((self._system.get("Status") or {}).get("HealthRollup")),
        )

    def request(self, do: Do, order: Order) -> Request | None:
        """What brings the effect about; None when this service has no way to."""
        match do:
            case Do.INSERT:
                return _action(self._drive, INSERT, {"Image": order.medium, **dict(self._quirks.insert)})
            case Do.EJECT:
                return _action(self._drive, EJECT, {})
            case Do.BOOT_ONCE:
                return Request("PATCH", self._system["@odata.id"], self._quirks.boot_once())
            case Do.CLEAR_BOOT:
                boot = {"BootSourceOverrideEnabled": "Disabled", "BootSourceOverrideTarget": "None"}
                return Request("PATCH", self._system["@odata.id"], {"Boot": boot})
        offered = (self._system.get("Actions") or {}).get(RESET, {}).get("ResetType@Redfish.AllowableValues") or RESETS[do]
        kind = next((kind for kind in RESETS[do] if kind in offered), None)
        return None if kind is None else _action(self._system, RESET, {"ResetType": kind})

    def send(self, request: Request, seconds: float) -> tuple[int, str]:
        """Status, and what the service said to it. SessionLost: it did nothing, and whoever sends it again
        looks at the lease first: it may have been stopped for long, and be told by this alone that its time is over."""
        call = self._client.patch if request.method == "PATCH" else self._client.post
        match = {"If-Match": self._etag} if request.method == "PATCH" and self._etag else {}
        # A dictionary of its own for each call: the client writes the session's key into it.
        self._ended.clear()  # what was asked for now may get the number of a task that has ended
        answer = call(request.path, body=dict(request.body), headers=dict(match), timeout=seconds, max_retry=0)
        if answer.status == UNAUTHORIZED:
            raise SessionLost("the session is gone")
        return int(answer.status), _said(answer)

    def _discover(self, seconds: float) -> None:
        root, _ = self._get(ROOT, seconds)
        systems, _ = self._get(_link(root, "Systems"), seconds)
        paths = [str(member["@odata.id"]) for member in systems.get("Members") or []]
        if not paths:
            raise Silent(f"{self._url} shows no system")
        self._system, self._etag = self._get(_chosen(self._url, "system", paths, self._place.system), seconds)
        self._quirks = quirks_of(root.get("Vendor"), self._system.get("Manufacturer"))
        self._drives = self._find_drives(seconds)
        if "Tasks" in root:
            self._task_list = _link(self._get(_link(root, "Tasks"), seconds)[0], "Tasks")

    def _find_drives(self, seconds: float) -> list[dict[str, Any]]:
        """Those that take an image of a CD: of the system itself, or with older services of its manager."""
        holders = [self._system]
        if "VirtualMedia" not in self._system:
            managers = (self._system.get("Links") or {}).get("ManagedBy") or []
            holders = [self._get(manager["@odata.id"], seconds)[0] for manager in managers]
        found = []
        for holder in holders:
            drives, _ = self._get(_link(holder, "VirtualMedia"), seconds) if "VirtualMedia" in holder else ({}, "")
            for member in drives.get("Members") or []:
                drive, _ = self._get(member["@odata.id"], seconds)
                if {"CD", "DVD"} & set(drive.get("MediaTypes") or []) and INSERT in (drive.get("Actions") or {}):
                    found.append(drive)
        return found

    def _find_drive(self) -> dict[str, Any]:
        """Only whoever looks at the drive needs one."""
        if not self._drives:
            raise Silent(f"{self._url} has no virtual drive that takes an image")
        by_path = {str(drive["@odata.id"]): drive for drive in self._drives}
        return by_path[_chosen(self._url, "drive", list(by_path), self._place.drive)]

    def _tasks(self, seconds: float) -> tuple[str, ...]:
        """Those that have not ended; a service without a list has none to tell. What was seen ended is read once while it is listed."""
        if self._task_list is None:
            return ()
        listed, _ = self._get(self._task_list, seconds)
        going: list[str] = []
        paths = [member["@odata.id"] for member in (listed.get("Members") or [])[-TASKS_READ_MAX:]]
        self._ended.intersection_update(paths)  # a number that is free again may come back as another task
        for path in paths:
            if path in self._ended:
                continue
            task, _ = self._get(path, seconds)
            if task.get("TaskState") in ENDED:
                self._ended.add(path)
            else:
                going.append(str(task.get("Name") or task.get("Id")))
        return tuple(going)

    def _get(self, path: str, seconds: float) -> tuple[dict[str, Any], str]:
        """The document and its ETag."""
        try:
            answer = self._answered(lambda: self._client.get(path, timeout=seconds, max_retry=READ_RETRIES))
            if answer.status != OK:
                raise Silent(f"GET {path}: {answer.status} {_said(answer)}")
            return dict(answer.dict), str(answer.getheader("ETag") or "")
        except (*NO_ANSWER, ValueError, TypeError) as error:
            raise Silent(f"GET {path}: {error or type(error).__name__}") from error


def _chosen(url: str, what: str, paths: list[str], named: str) -> str:
    """By the last part of its path, as its entry names it; the only one where none is named."""
    by_name = {path.rstrip("/").rpartition("/")[2]: path for path in paths}
    if named in by_name:
        return by_name[named]
    if len(paths) == 1 and not named:
        return paths[0]
    there = f"{url} has {', '.join(sorted(by_name))}"
    wanted = f"and not {named!r}" if named else "and nobody said which is meant"
    raise Ambiguous(f"{there} for a {what}, {wanted}; name one of them as `{what}` of this machine among the operator's BMCs")


def _medium(drive: Mapping[str, Any]) -> str:
    """What is in the drive; some do not tell where it came from."""
    image = str(drive.get("Image") or "")
    return (image or "a medium of unknown origin") if drive.get("Inserted") else ""


def _action(resource: Mapping[str, Any], name: str, body: Mapping[str, Any]) -> Request | None:
    target = (resource.get("Actions") or {}).get(name, {}).get("target")
    return Request("POST", str(target), body) if target else None


def _link(resource: Mapping[str, Any], name: str) -> str:
    try:
        return str(resource[name]["@odata.id"])
    except (KeyError, TypeError) as error:
        raise Silent(f"{resource.get('@odata.id', 'a resource')} has no {name}") from error


def _said(answer: Any) -> str:
    """The service's own sentence, when there is one."""
    try:
        return str(answer.dict["error"]["message"])[:300]
    except (*NO_ANSWER, ValueError, KeyError, TypeError):
        return str(answer.text)[:300]
