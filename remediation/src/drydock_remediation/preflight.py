"""Could a host that still serves be updated now? Decided from what its tasks reported; pure.

Nothing was changed there, whatever the answer, but what the host keeps of the channel: packages are downloaded when all else is well.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from drydock_remediation.facts import HostFacts
from drydock_remediation.family import Plan
from drydock_remediation.health.custom import HostCheck
from drydock_remediation.health.machine import OutOfBandReading
from drydock_remediation.reasons import NO_STATE, OLDER_TOKEN, YIELDS, Reason, of_channel, of_lock, of_plan, unreadable
from drydock_remediation.records import REIMAGE, Job, Mend, Outcome, Release, Result
from drydock_remediation.task_reports import SILENT, TaskReports

BESIDE = ("channel", "simulation", "stage")  # tasks that give way
TEXT_MAX = 500


def conclude(job: Job, told: Mapping[str, TaskReports], outside: OutOfBandReading | None, known: Mapping[str, HostCheck]) -> Result:
    """Unknown where the host has not answered to the end; it may be asked again (see `final`)."""
    if job.release is None:
        return _not(Reason("the job names no release", "no-release", Mend.PEOPLE))
    if unknown := [name for name in job.checks if name not in known]:
        says = f"its policies want it to pass {', '.join(unknown)} afterwards, which this host operator does not know"
        return _not(Reason(says, "checks-unknown", Mend.PEOPLE))
    if job.mode == REIMAGE:
        return _machine(job, outside)
    facts = told.get("before", SILENT).facts
    if facts is None:
        return _unanswered(job, told)
    if reason := why_not(job.release, facts, told):
        return _not(reason)
    if told.get("stage", SILENT).code != 0:
        return _unanswered(job, told)
    return _passes(job, facts, Plan.read(told["simulation"].out))


def final(result: Result) -> Result:
    """Nobody asks any more: a host that did not answer has not passed."""
    return dataclasses.replace(result, outcome=Outcome.FAILED) if result.outcome is Outcome.UNKNOWN else result


def why_not(release: Release, facts: HostFacts, told: Mapping[str, TaskReports]) -> Reason | None:
    fence, quiet, channel, plan, stage = (told.get(task, SILENT) for task in ("fence", "quiet", "channel", "simulation", "stage"))
    if too_long := facts.too_long():
        return Reason(too_long, "too-many-packages", Mend.PEOPLE)
    if fence.ran and fence.code == NO_STATE:
        return Reason(fence.tail(), "fence", Mend.PEOPLE)
    if left := of_lock(quiet):
        return left
    for task in BESIDE:
        one = told.get(task, SILENT)
        if one.ran and one.code in (YIELDS, OLDER_TOKEN):
            return Reason(one.tail().removeprefix("hostrun: "), "yields", Mend.TIME)
    if reason := of_channel(channel, release) or of_plan(plan, release, facts):
        return reason
    return unreadable(release, stage.tail()) if stage.ran and stage.code != 0 else None


def _machine(job: Job, outside: OutOfBandReading | None) -> Result:
    """An installation needs the machine, not the system on it."""
    if outside is None:
        return _not(Reason("nobody said where its BMC is", "bmc-unknown", Mend.PEOPLE))
    if outside.machine is None:
        return _not(Reason(outside.why, "bmc-silent", Mend.TIME))
    return Result(Outcome.DONE, f"{job.host} could be installed anew: its BMC answers", begun=False)


def _passes(job: Job, facts: HostFacts, plan: Plan) -> Result:
    found = {"staged": str(len(plan.installs))}
    says = [f"{job.host} could be updated: {len(plan.installs)} packages are downloaded"]
    kept = [name for name in plan.kept_back if job.release and name not in job.release.packages]
    if kept:
        found["keptBack"] = " ".join(kept)[:TEXT_MAX]
        says.append(f"{len(kept)} would be kept back: {found['keptBack']}")
    if facts.audit:
        found["brokenBefore"] = facts.audit[:TEXT_MAX]
        says.append(f"its package database complains already: {found['brokenBefore']}")
    return Result(Outcome.DONE, "; ".join(says), found, begun=False)


def _not(reason: Reason) -> Result:
    return Result(Outcome.FAILED, f"not touched: {reason.says}", begun=False, mend=reason.mend, cause=reason.cause)


def _unanswered(job: Job, told: Mapping[str, TaskReports]) -> Result:
    last = next((one for one in reversed(list(told.values())) if one.status in ("unreachable", "failed")), SILENT)
    says = f"not touched: {job.host} did not answer: {last.tail() or 'nothing was reported'}"
    return Result(Outcome.UNKNOWN, says, begun=False, mend=Mend.TIME, cause="unreachable")
