"""What is the matter with a host, and is it well enough to go on? Decided from what was read of it and from nothing else."""

from __future__ import annotations

import dataclasses
import json

from drydock_remediation.facts import HostFacts
from drydock_remediation.observations import NOTHING, Observations
from drydock_remediation.records import Job, Outcome, Repair, Result
from drydock_remediation.reimage.facts import Earlier
from drydock_remediation.triage.gather import gather
from drydock_remediation.triage.triage import triage

PREFIX = "diagnosis."  # apart from the facts other steps compare
BOOT = PREFIX + "bootId"
EVIDENCE_MAX = 1000


def examine(job: Job, facts: HostFacts | None, around: Observations = NOTHING) -> Result:
    """Of a Diagnose the state of the host, whatever it is (that it does not answer is an answer), and the signature it fits. Of
    a Verify whether it answers, was started anew since it was diagnosed, keeps its data and has nothing running that would change it."""
    found = _found(facts)
    if job.repair is Repair.DIAGNOSE:
        return _diagnosed(job, facts, around)
    if facts is None:
        return Result(Outcome.FAILED, f"{job.host} {_state(facts)} after it was switched off and on", found)
    wrong = [] if facts.data_mounted else ["its data partition is not mounted"]
    if facts.boot_id == job.facts.get(BOOT):
        wrong.append("it was not started anew")
    if running := _running(facts):
        wrong.append(f"it still runs {running}")
    if wrong:
        return Result(Outcome.FAILED, f"{job.host} is not fit to go on: {'; '.join(wrong)}", found)
    return Result(Outcome.DONE, f"{job.host} was started anew and answers", found)


def _diagnosed(job: Job, facts: HostFacts | None, around: Observations) -> Result:
    asked = gather(job, facts, around)
    finding = triage(asked)
    told = {
        "signature": finding.name,
        "evidence": "; ".join(one.sentence() for one in finding.evidence)[:EVIDENCE_MAX],
        "recoverable": finding.recoverable,
        "rungs": ",".join(finding.rungs),
    }
    found = _found(facts) | {PREFIX + name: value for name, value in told.items()}
    found[PREFIX + "others"] = facts.others[:EVIDENCE_MAX] if facts is not None else ""
    found[PREFIX + "dataOwed"] = str(Earlier.of(job).owed).lower()
    shown = {**told, "evidence": [dataclasses.asdict(one) for one in finding.evidence], "rungs": list(finding.rungs), "facts": dict(asked)}
    shown["undecided"] = [{"signature": name, "unknown": list(missing)} for name, missing in finding.undecided]
    return Result(Outcome.DONE, f"{job.host} {_state(facts)}; {finding.sentence()}", found, json.dumps(shown, sort_keys=True))


def _found(facts: HostFacts | None) -> dict[str, str]:
    """A host that answers and cannot be read is none on which a step could be done again."""
    if facts is None:
        return {PREFIX + "reachable": "false"}
    return {
        PREFIX + "reachable": "true",
        BOOT: facts.boot_id,
        PREFIX + "kernel": facts.kernel,
        PREFIX + "running": _running(facts),
        PREFIX + "packageDatabase": facts.audit[:300] or "clean",
        PREFIX + "dataMounted": "true" if facts.data_mounted else "false",
    }


def _state(facts: HostFacts | None) -> str:
    if facts is None:
        return "does not answer"
    running, others = _running(facts), facts.others
    said = f"answers and still runs {running}" if running else "answers and nothing of Drydock runs there"
    return f"{said}; others are at work: {others}" if others else said


def _running(facts: HostFacts) -> str:
    return ", ".join(sorted(key for key, run in facts.runs.items() if run.state == "running"))
