"""Is the host what its release wants of its hardware class? Pure. What is wanted and was not read is a question without an answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from drydock_remediation.checks import Check
from drydock_remediation.health.baseline import LOG
from drydock_remediation.health.condition import Condition
from drydock_remediation.health.machine import SEVERITIES, Machine, OutOfBandReading
from drydock_remediation.health.spec import Outer, Spec

SHOWN_MAX = 300


@dataclass(frozen=True)
class Verdict:
    """Every check with got and want; `unread` says what is wanted and nobody could read: with any of it nothing is known to be well."""

    checks: tuple[Check, ...] = ()
    unread: tuple[str, ...] = ()


def judge(spec: Spec, condition: Condition | None, outside: OutOfBandReading | None, earlier: Mapping[str, str]) -> Verdict:
    """`earlier` are facts of the steps before. A spec without wants has no checks, whatever was read."""
    checks: list[Check] = []
    unread: list[str] = []
    if spec.inner:
        if condition is None:
            unread.append("its condition")
        else:
            checks += _inner(spec, condition)
            unread += [f"its file system {place}, which does not answer" for place in sorted(spec.mounts) if place in condition.silent]
    if not spec.outer.empty:
        if outside is None or outside.machine is None:
            unread.append("its machine: nobody said where its BMC is" if outside is None else f"its machine: {outside.why}")
        else:
            checks += _outer(spec.outer, outside.machine)
            found = _log(spec.outer, outside.machine, earlier)
            unread += [found] if isinstance(found, str) else []
            checks += [found] if isinstance(found, Check) else []
    return Verdict(tuple(checks), tuple(unread))


def _inner(spec: Spec, found: Condition) -> Iterator[Check]:
    if spec.memory_mib:
        yield _least("memory in MiB", found.memory_mib, spec.memory_mib)
    if spec.processors:
        yield _least("processors", found.processors, spec.processors)
    if spec.disks:
        yield _least("disks", len(found.disks), spec.disks)
    for place, percent in sorted(spec.mounts.items()):
        if place in found.silent:
            continue
        mount = found.mounts.get(place)
        got = "not mounted" if mount is None else f"{mount.free_percent} % free" + ("" if mount.writable else ", not to be written to")
        well = mount is not None and mount.writable and mount.free_percent >= percent
        yield Check(f"mount {place}", well, got, f"mounted, {percent} % free")
    for name, mbps in sorted(spec.cards.items()):
        card = found.cards.get(name)
        got = "not there" if card is None else f"{'up' if card.up else 'down'}, {card.mbps} Mbit/s"
        well = card is not None and card.up and card.mbps >= mbps
        yield Check(f"network card {name}", well, got, f"up, {mbps} Mbit/s" if mbps else "up")
    for name in sorted(spec.services):
        yield Check(f"service {name} runs", found.services.get(name) == "running", found.services.get(name, "not asked for"), "running")


def _outer(spec: Outer, found: Machine) -> Iterator[Check]:
    if spec.health:
        rolled_up = {"machine": found.health, "memory": found.memory_health, "processors": found.processor_health}
        for name, health in rolled_up.items():
            if health or name == "machine":  # a service may tell the parts' only in the machine's
                yield Check(f"BMC: health of {name}", _good(health, spec.health), health or "not told", spec.health)
    if spec.memory_gib:
        yield _least("BMC: memory in GiB", found.memory_gib, spec.memory_gib)
    if spec.processors:
        yield _least("BMC: processors", found.processors, spec.processors)
    for name, version in sorted(spec.firmware.items()):
        got = found.firmware.get(name, "not there")
        yield Check(f"BMC: firmware {name}", got == version, got, version)


def _log(spec: Outer, found: Machine, earlier: Mapping[str, str]) -> Check | str | None:
    """Of what the log took in since the update began; where it stood then nobody may know."""
    if not spec.log:
        return None
    before = earlier.get(LOG, "")
    later = found.since(int(before)) if before.isdecimal() else None
    if later is None and (whole := found.since(0)) is not None and all(_good(entry.severity, spec.log) for entry in whole):
        later = whole  # whenever it began
    if later is None:
        return "what the event log of its machine took in since the update began"
    bad = [entry for entry in later if not _good(entry.severity, spec.log)]
    got = "; ".join(f"{entry.severity}: {entry.message}" for entry in bad)[:SHOWN_MAX] or "nothing worse"
    return Check("BMC: events", not bad, got, f"none worse than {spec.log} since the update began")


def _least(name: str, got: float | None, want: float) -> Check:
    return Check(name, got is not None and got >= want, "not told" if got is None else got, f"at least {want}")


def _good(health: str, worst: str) -> bool:
    """What a service calls otherwise than Redfish does is not good."""
    return health in SEVERITIES and SEVERITIES.index(health) <= SEVERITIES.index(worst)
