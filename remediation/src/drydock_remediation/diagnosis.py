"""What is the matter with a host, and is it well enough to go on? Decided from facts read on it and from nothing else."""

from __future__ import annotations

from drydock_remediation.facts import HostFacts
from drydock_remediation.records import Job, Outcome, Repair, Result

PREFIX = "diagnosis."  # apart from the facts other steps compare
BOOT = PREFIX + "bootId"


def examine(job: Job, facts: HostFacts | None) -> Result:
    """Of a Diagnose the state of the host, whatever it is: that it does not answer is an answer. Of a Verify whether it
    answers, was started anew since it was diagnosed, keeps its data and has nothing running that would change it."""
    found = _found(facts)
    if job.repair is Repair.DIAGNOSE:
        return Result(Outcome.DONE, f"{job.host} {_state(facts)}", found)
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


def _found(facts: HostFacts | None) -> dict[str, str]:
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
    running = _running(facts)
    return f"answers and still runs {running}" if running else "answers and nothing of Drydock runs there"


def _running(facts: HostFacts) -> str:
    return ", ".join(sorted(key for key, run in facts.runs.items() if run.state == "running"))
