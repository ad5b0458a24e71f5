"""From what was read to the facts that signatures ask for. Pure; what was not read is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from drydock_remediation.facts import HostFacts
from drydock_remediation.health.baseline import LOG, MEMORY_GIB
from drydock_remediation.health.condition import Condition
from drydock_remediation.health.machine import Machine
from drydock_remediation.observations import Observations
from drydock_remediation.records import Job
from drydock_remediation.reimage.facts import BEGUN
from drydock_remediation.triage.facts import Fact, Facts
from drydock_remediation.verdict import versions

FAILED_STEP, FAILED_SAYS = "failure.step", "failure.says"  # facts of a Diagnose, by the server
TEXT_MAX = 4000
CHANGES = (".upgrade", ".reboot", ".keep")  # how the wrapper's keys end of what changes a system
# Where packages, their cache, their state and ours go, and what cannot do without: of a full file system elsewhere no step fails.
MATTERS = (
    *("/", "/usr", "/opt", "/boot", "/boot/efi", "/etc", "/run", "/tmp", "/var", "/var/tmp", "/var/log"),  # noqa: S108 - nothing is put there
    *("/var/lib/dpkg", "/var/lib/rpm", "/usr/lib/sysimage/rpm", "/var/lib/apt", "/var/lib/dnf"),
    *("/var/cache/apt", "/var/cache/dnf", "/var/cache/debconf", "/data/drydock"),
)
# What ssh says, the more telling first: a time-out before the banner is a time-out, too.
SSH_SAYS = (
    ("wrongKey", "host key verification failed|host identification has changed|no .* host key is known"),
    ("noBanner", "banner exchange"),
    ("denied", "permission denied"),
    ("refused", "connection refused"),
    ("noRoute", "no route to host|network is unreachable"),
    ("silent", "connection timed out|operation timed out|timeout, server .* not responding"),
    ("cut", "connection (reset|closed|aborted)|closed by remote host|broken pipe|kex_exchange_identification"),
)


def gather(job: Job, facts: HostFacts | None, around: Observations) -> Facts:
    found: dict[str, Fact] = {name: job.facts[name][:TEXT_MAX] for name in (FAILED_STEP, FAILED_SAYS) if job.facts.get(name)}
    found.update(_connection(facts, around))
    found.update(_begun(job, facts))
    if facts is not None:
        found.update(_system(job, facts))
    if around.condition is not None:
        found.update(_condition(job, around.condition))
    if around.outside is not None:
        asked = around.outside.asked
        if asked is not None:
            found |= {"bmc.asked": asked.asked, "bmc.answered": asked.answered, "bmc.lost": asked.asked - asked.answered}
            found |= {} if asked.seconds is None else {"bmc.seconds": round(asked.seconds, 3)}
        if around.outside.machine is not None:
            found.update(_machine(job, around.outside.machine))
    memory = _memory(job, around)
    return found | ({} if memory is None else {"memory.percent": memory})


def ssh(says: str) -> str | None:
    """What became of a connection, by ssh's own words; None when they are others."""
    return next((name for name, words in SSH_SAYS if re.search(words, says, re.IGNORECASE)), None)


def _connection(facts: HostFacts | None, around: Observations) -> Iterator[tuple[str, Fact]]:
    before = around.before
    if facts is not None or before.status == "failed":
        yield "ssh", "answers"
        if facts is None:
            yield "reading.says", before.tail()
    elif before.status == "unreachable" and (state := ssh(before.tail())):
        yield "ssh", state


def _system(job: Job, facts: HostFacts) -> Iterator[tuple[str, Fact]]:
    yield "kernel.running", facts.kernel
    yield "packages.audit", facts.audit
    yield "others", facts.others
    if job.release is not None:
        yield "kernel.wanted", job.release.kernel
        yield "packages.wrong", "; ".join(check.sentence() for check in versions(job.release, facts) if not check.ok)
    if before := job.facts.get("bootIdBefore"):
        yield "boot.since", facts.boot_id != before


def _begun(job: Job, facts: HostFacts | None) -> Iterator[tuple[str, Fact]]:
    """That nothing was begun only the host itself can tell: of a report that was lost nobody else knows."""
    noted = job.facts.get(BEGUN, "").startswith(f"{job.grant}.") or job.facts.get("changed") == "true"
    if noted or (facts is not None and facts.recorded):
        runs = facts.runs if facts is not None else {}
        of_grant = (run for key, run in runs.items() if key.startswith(f"{job.grant}.") and key.endswith(CHANGES))
        yield "update.begun", noted or any(run.begun for run in of_grant)


def _condition(job: Job, condition: Condition) -> Iterator[tuple[str, Fact]]:
    if fullest := condition.fullest(MATTERS):
        yield "disk.fullest", fullest[0]
        yield "disk.freePercent", fullest[1].free_percent
    states = {name: condition.services.get(name, "absent") for name in job.applications}
    down = [f"{name} {state}" for name, state in states.items() if state in ("down", "restarting")]
    if down or "absent" not in states.values():
        yield "services.down", ", ".join(down)


def _machine(job: Job, machine: Machine) -> Iterator[tuple[str, Fact]]:
    yield "power", machine.power
    before = job.facts.get(LOG, "")
    later = machine.since(int(before)) if before.isdecimal() else None
    if later is not None:
        yield "sel.since", "; ".join(entry.message for entry in later)[-TEXT_MAX:]


def _memory(job: Job, around: Observations) -> int | None:
    """The least of what those who count it say, each against what it should be for them."""
    machine = around.outside.machine if around.outside else None
    condition = around.condition
    counted = [
        (machine.memory_gib if machine else None, _float(job.facts.get(MEMORY_GIB))),
        (machine.memory_gib if machine else None, job.spec.outer.memory_gib),
        (condition.memory_mib if condition else None, job.spec.memory_mib),
    ]
    return min((int(got * 100 // want) for got, want in counted if got is not None and want), default=None)


def _float(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None
