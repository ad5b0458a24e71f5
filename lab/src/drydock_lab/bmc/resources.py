"""The Redfish resources of one machine, as documents. Pure: what is, in; what is shown, out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from drydock_lab.firmware import Firmware, Override, Target

ROOT = "/redfish/v1"
SESSIONS = f"{ROOT}/SessionService/Sessions"
TASKS = f"{ROOT}/TaskService/Tasks"
RESET_TYPES = ("On", "ForceOn", "ForceOff", "GracefulShutdown", "ForceRestart", "PowerCycle")
PROCESSORS = 2
FIRMWARE = {"BIOS": "2.1.0", "BMC": "1.14"}


@dataclass(frozen=True)
class Machine:
    """What a BMC knows of its machine at one moment."""

    name: str
    on: bool
    health: str
    firmware: Firmware
    events: Iterable[Mapping[str, Any]]
    memory_gib: int


@dataclass
class Task:
    """Something the BMC has begun and not ended when it answered."""

    number: int
    name: str
    state: str = "Running"


def service_root() -> dict[str, Any]:
    return {
        **_named(ROOT, "ServiceRoot.v1_15_0.ServiceRoot", "RootService", "Root Service"),
        "RedfishVersion": "1.15.0",
        "Vendor": "Drydock Lab",
        "Systems": _at(f"{ROOT}/Systems"),
        "SessionService": _at(f"{ROOT}/SessionService"),
        "Tasks": _at(f"{ROOT}/TaskService"),
        "UpdateService": _at(f"{ROOT}/UpdateService"),
        "Links": {"Sessions": _at(SESSIONS)},
    }


def resource(path: str, machine: Machine, sessions: Iterable[str], tasks: Iterable[Task]) -> dict[str, Any] | None:
    """The document at a path below the root; None where there is nothing."""
    system = f"{ROOT}/Systems/{machine.name}"
    documents: dict[str, Any] = {
        f"{ROOT}/Systems": lambda: _collection(path, "ComputerSystem", [system]),
        system: lambda: _system(system, machine),
        f"{system}/VirtualMedia": lambda: _collection(path, "VirtualMedia", [f"{system}/VirtualMedia/Cd"]),
        f"{system}/VirtualMedia/Cd": lambda: _drive(path, machine.firmware),
        f"{system}/LogServices": lambda: _collection(path, "LogService", [f"{system}/LogServices/SEL"]),
        f"{system}/LogServices/SEL": lambda: {
            **_named(path, "LogService.v1_4_0.LogService", "SEL", "System Event Log"),
            "LogEntryType": "SEL",
            "Entries": _at(f"{path}/Entries"),
        },
        f"{system}/LogServices/SEL/Entries": lambda: {
            **_collection(path, "LogEntry", []),
            "Members": [_entry(path, number, event) for number, event in enumerate(machine.events, 1)],
        },
        f"{ROOT}/UpdateService": lambda: {
            **_named(path, "UpdateService.v1_11_0.UpdateService", "UpdateService", "Update Service"),
            "FirmwareInventory": _at(f"{path}/FirmwareInventory"),
        },
        f"{ROOT}/UpdateService/FirmwareInventory": lambda: _collection(path, "SoftwareInventory", [f"{path}/{name}" for name in FIRMWARE]),
        **{f"{ROOT}/UpdateService/FirmwareInventory/{name}": (lambda name=name: _software(path, name)) for name in FIRMWARE},
        f"{ROOT}/SessionService": lambda: {
            **_named(path, "SessionService.v1_1_8.SessionService", "SessionService", "Sessions"),
            "ServiceEnabled": True,
            "Sessions": _at(SESSIONS),
        },
        SESSIONS: lambda: _collection(path, "Session", [f"{SESSIONS}/{one}" for one in sessions]),
        f"{ROOT}/TaskService": lambda: {
            **_named(path, "TaskService.v1_2_0.TaskService", "TaskService", "Tasks"),
            "ServiceEnabled": True,
            "Tasks": _at(TASKS),
        },
        TASKS: lambda: _collection(path, "Task", [f"{TASKS}/{task.number}" for task in tasks]),
        **{f"{TASKS}/{task.number}": (lambda task=task: _task(path, task)) for task in tasks},
    }
    return documents[path]() if path in documents else None


def error(code: str, message: str) -> dict[str, Any]:
    return {"error": {"code": f"Base.1.13.{code}", "message": message, "@Message.ExtendedInfo": [{"MessageId": code, "Message": message}]}}


def _system(path: str, machine: Machine) -> dict[str, Any]:
    firmware = machine.firmware
    return {
        **_named(path, "ComputerSystem.v1_20_0.ComputerSystem", machine.name, machine.name),
        "SystemType": "Physical",
        "PowerState": "On" if machine.on else "Off",
        "Status": {"State": "Enabled", "Health": machine.health, "HealthRollup": machine.health},
        "Boot": {
            "BootSourceOverrideEnabled": firmware.override,
            "BootSourceOverrideTarget": firmware.target,
            "BootSourceOverrideEnabled@Redfish.AllowableValues": list(Override),
            "BootSourceOverrideTarget@Redfish.AllowableValues": list(Target),
        },
        "BiosVersion": FIRMWARE["BIOS"],
        "MemorySummary": {"TotalSystemMemoryGiB": machine.memory_gib, "Status": {"HealthRollup": machine.health}},
        "ProcessorSummary": {"Count": PROCESSORS, "Status": {"HealthRollup": machine.health}},
        "VirtualMedia": _at(f"{path}/VirtualMedia"),
        "LogServices": _at(f"{path}/LogServices"),
        "Actions": {
            "#ComputerSystem.Reset": {
                "target": f"{path}/Actions/ComputerSystem.Reset",
                "ResetType@Redfish.AllowableValues": list(RESET_TYPES),
            }
        },
    }


def _software(path: str, name: str) -> dict[str, Any]:
    return {**_named(path, "SoftwareInventory.v1_10_0.SoftwareInventory", name, name), "Version": FIRMWARE[name]}


def _drive(path: str, firmware: Firmware) -> dict[str, Any]:
    medium = firmware.medium
    return {
        **_named(path, "VirtualMedia.v1_6_0.VirtualMedia", "Cd", "Virtual CD"),
        "MediaTypes": ["CD", "DVD"],
        "Image": medium.url if medium else None,
        "Inserted": medium is not None,
        "ConnectedVia": "URI" if medium else "NotConnected",
        "WriteProtected": True,
        "Actions": {
            "#VirtualMedia.InsertMedia": {"target": f"{path}/Actions/VirtualMedia.InsertMedia"},
            "#VirtualMedia.EjectMedia": {"target": f"{path}/Actions/VirtualMedia.EjectMedia"},
        },
    }


def _task(path: str, task: Task) -> dict[str, Any]:
    return {**_named(path, "Task.v1_7_0.Task", str(task.number), task.name), "TaskState": task.state}


def _entry(path: str, number: int, event: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **_named(f"{path}/{number}", "LogEntry.v1_15_0.LogEntry", str(number), "Log entry"),
        "EntryType": "SEL",
        "Severity": event["severity"],
        "Message": event["event"],
        "Created": datetime.fromtimestamp(event["at"], UTC).isoformat(timespec="milliseconds"),
    }


def _collection(path: str, kind: str, members: list[str]) -> dict[str, Any]:
    return {
        "@odata.id": path,
        "@odata.type": f"#{kind}Collection.{kind}Collection",
        "Name": f"{kind} Collection",
        "Members@odata.count": len(members),
        "Members": [_at(member) for member in members],
    }


def _named(path: str, kind: str, identity: str, name: str) -> dict[str, Any]:
    return {"@odata.id": path, "@odata.type": f"#{kind}", "Id": identity, "Name": name}


def _at(path: str) -> dict[str, str]:
    return {"@odata.id": path}
