"""What a Redfish service tells of its machine, from its documents. Pure but for whoever gets them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from drydock_remediation.health.machine import Entry, Machine

ROOT = "/redfish/v1/"
ENTRIES_READ_MAX, FIRMWARE_READ_MAX = 50, 50
SEVERITY_UNKNOWN = "Critical"  # an event whose weight nobody tells is taken for the worst

Get = Callable[[str], Mapping[str, Any]]


def machine(system: Mapping[str, Any], get: Get) -> Machine:
    """What the service tells of its machine; what it has no resource for is left out. Silent where it has one and does not show it."""
    memory, processors = system.get("MemorySummary") or {}, system.get("ProcessorSummary") or {}
    log = _log(system, get)
    return Machine(
        power=str(system.get("PowerState")),
        health=_health(system),
        memory_gib=_number(memory.get("TotalSystemMemoryGiB")) or None,  # BMCs count none while a machine is off or starts
        memory_health=_health(memory),
        processors=None if (count := _number(processors.get("Count"))) is None else int(count),
        processor_health=_health(processors),
        firmware=_firmware(system, get),
        log=() if log is None else log,
        log_last=None if log is None else max((entry.number for entry in log), default=0),
    )


def _health(resource: Mapping[str, Any]) -> str:
    """The roll-up, or where there is none its own."""
    status = resource.get("Status") or {}
    return str(status.get("HealthRollup") or status.get("Health") or "")


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _firmware(system: Mapping[str, Any], get: Get) -> Mapping[str, str]:
    """Versions by the names the service gives them; the BIOS's is the system's own word."""
    found = {"BIOS": str(system["BiosVersion"])} if system.get("BiosVersion") else {}
    inventory = _followed(get(ROOT), ("UpdateService", "FirmwareInventory"), get)
    for item in [] if inventory is None else _members(inventory, get, FIRMWARE_READ_MAX):
        if item.get("Version"):
            found[str(item.get("Name") or item.get("Id"))] = str(item["Version"])
    return found


def _log(system: Mapping[str, Any], get: Get) -> tuple[Entry, ...] | None:
    """The newest entries of the system's event log, oldest first."""
    services = _followed(system, ("LogServices",), get)
    if services is None:
        return None
    logs = _members(services, get, ENTRIES_READ_MAX)
    named = [log for log in logs if str(log.get("Id")).upper() in ("SEL", "IML")] or [
        log for log in logs if log.get("LogEntryType") == "SEL"
    ]
    entries = _followed(named[0] if named else {}, ("Entries",), get)
    if entries is None:
        return None
    read = [_entry(member, place) for place, member in enumerate(_members(entries, get, ENTRIES_READ_MAX), 1)]
    return tuple(sorted(read, key=lambda entry: entry.number))


def _entry(member: Mapping[str, Any], place: int) -> Entry:
    name = str(member.get("Id"))
    return Entry(
        int(name) if name.isdecimal() else place, str(member.get("Severity") or SEVERITY_UNKNOWN), str(member.get("Message") or "")
    )


def _followed(resource: Mapping[str, Any], names: tuple[str, ...], get: Get) -> Mapping[str, Any] | None:
    """Along links; None where one is missing."""
    for name in names:
        link = resource.get(name)
        if not isinstance(link, Mapping) or "@odata.id" not in link:
            return None
        resource = get(str(link["@odata.id"]))
    return resource


def _members(collection: Mapping[str, Any], get: Get, most: int) -> list[Mapping[str, Any]]:
    """The last of them; those that the collection does not show are read one by one."""
    listed = (collection.get("Members") or [])[-most:]
    return [one if len(one) > 1 else get(str(one["@odata.id"])) for one in listed]
