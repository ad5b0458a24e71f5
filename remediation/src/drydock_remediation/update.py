"""The update of one host: what to do next, and how it ended. Decided from facts; pure."""

from __future__ import annotations

import json
from collections.abc import Mapping

from drydock_remediation.channel_on_host import KEPT_BACK, NOTHING_BEGUN
from drydock_remediation.checks import Check
from drydock_remediation.facts import Before, HostFacts, HostRun
from drydock_remediation.reasons import INTERRUPTED, LATE, STILL_RUNNING, Reason, of_channel, of_fence, of_lock, of_nothing_begun, of_plan
from drydock_remediation.records import FAMILIES, Job, Mend, Outcome, Release, Result
from drydock_remediation.task_reports import SILENT, TaskReports
from drydock_remediation.verdict import begun_under, proven, upgraded, versions

SSH_FAILED = 255
KEPT_BACK_MAX, BROKEN_MAX, SHOWN_MAX = 4000, 1000, 300


def next_upgrade(facts: HostFacts, release: Release, job_id: str) -> str:
    """`attach` to what an earlier attempt began, `start` from the beginning, or `none` when nothing is to be done.

    Once the upgrade of this round has begun, its result is asked for whatever the versions say: while it still runs
    they are neither here nor there, and a simulation beside it would see half a state. One of an earlier round that did
    not end well is run again, which changes nothing where nothing is left to be done."""
    if f"{job_id}.upgrade" in facts.runs:
        return "attach"
    return "none" if at_release(facts, release, job_id) or facts.too_long() else "start"


def as_begun(wrapped: list[str], facts: HostFacts, key: str) -> list[str]:
    """A command under the wrapper, in the words in which it was begun: an earlier version of this program may have had others, and
    the wrapper gives nobody the result of another command."""
    begun = facts.runs.get(key)
    return [*wrapped[: wrapped.index("--") + 1], *begun.command] if begun and begun.command else wrapped


def at_release(facts: HostFacts, release: Release, job_id: str) -> bool:
    """A release names some packages and its channel has more: of those nobody named only the end of the upgrade tells."""
    return facts.audit == "" and upgraded(facts, of_update(job_id)).ok and all(check.ok for check in versions(release, facts))


def needs_reboot(facts: HostFacts, release: Release, job_id: str) -> bool:
    """A host is only started anew in order, and only once per round: when a reboot of this round did not bring the
    kernel, the next will not either, and the health check says so."""
    if not at_release(facts, release, job_id) or facts.too_long():
        return False
    reboot = facts.runs.get(f"{job_id}.reboot")
    if reboot is not None:
        return reboot.boot == facts.boot_id
    upgrades = [run for key, run in of_grant(facts, job_id).items() if key.endswith(".upgrade")]
    upgraded_since_boot = any(run.boot == facts.boot_id and run.begun for run in upgrades)
    return upgraded_since_boot or facts.kernel != release.kernel


def of_grant(facts: HostFacts, job_id: str) -> dict[str, HostRun]:
    """Commands of all rounds of this update, oldest first."""
    found = {key: run for key, run in facts.runs.items() if key.startswith(f"{of_update(job_id)}.")}
    return dict(sorted(found.items(), key=lambda item: item[1].token))


def of_update(job_id: str) -> str:
    """What the ids of all rounds begin with: a job id is GRANT.Update.HOST.ROUND."""
    return job_id.rpartition(".")[0]


def conclude(job: Job, told: Mapping[str, TaskReports]) -> Result:
    """The result of an update from what its tasks reported. What was not seen is Unknown."""
    release = job.release
    before = told.get("before", SILENT).facts
    last = next((found for task in ("after", "middle", "before") if (found := told.get(task, SILENT).facts)), None)
    if release is None or before is None or last is None:
        return Result(Outcome.UNKNOWN, f"{job.host} could not be read: {_problem(told)}")
    upgrade, reboot = (told.get(task, SILENT) for task in ("upgrade", "reboot"))
    if upgrade.ran and upgrade.code == STILL_RUNNING:
        return Result(Outcome.UNKNOWN, f"{job.host}: the upgrade still runs there: {upgrade.tail()}", begun=True)
    if (upgrade.ran and told.get("middle", SILENT).facts is None) or (
        reboot.status not in ("absent", "skipped") and not refused(reboot) and told.get("after", SILENT).facts is None
    ):
        return Result(Outcome.UNKNOWN, f"{job.host} could not be read after the last effect: {_problem(told)}")
    facts, begun = facts_for_record(job, before, last), begun_there(last, job.id)
    kept = kept_back(upgrade.out)
    if kept:
        facts["keptBack"] = " ".join(kept)[:KEPT_BACK_MAX]
    shown = json.dumps({task: {"code": one.code, "text": one.tail()} for task, one in told.items() if one.code is not None})
    if reason := why_not(job, release, before, last, told):
        if begun is False and not reason.cause and not at_release(last, release, job.id):  # the play was stopped, or its connection lost
            reason = Reason(reason.says, "stopped-early", Mend.TIME)
        return Result(Outcome.FAILED, f"{job.host}: {reason.says}", facts, shown, begun, reason.mend, reason.cause)
    done = "is on" if facts["changed"] == "true" else "was already on"
    more = f"; {len(kept)} kept back: {', '.join(kept)[:SHOWN_MAX]}" if kept else ""
    return Result(Outcome.DONE, f"{job.host} {done} release {release.name}, kernel {last.kernel}{more}", facts, shown, begun)


def begun_there(facts: HostFacts, job_id: str) -> bool | None:
    """Whether an upgrade or a new start was ever begun for this grant, as the host has recorded; None where that could not be read."""
    return begun_under(facts, of_update(job_id))


def kept_back(text: str) -> list[str]:
    """Packages of the channel that nobody named and that stayed as they were, as the upgrade said at its end."""
    line = next((line for line in reversed(text.splitlines()) if line.startswith(KEPT_BACK)), "")
    return line.removeprefix(KEPT_BACK).split()


def refused(reboot: TaskReports) -> bool:
    """Whether the host answered that it would not start anew; a connection that broke is no answer."""
    return reboot.ran and reboot.code not in (0, None, SSH_FAILED, INTERRUPTED, STILL_RUNNING, LATE)


def why_not(job: Job, release: Release, before: HostFacts, last: HostFacts, told: Mapping[str, TaskReports]) -> Reason | None:
    """What kept the host from the release; None when nothing did."""
    fence, quiet, channel, plan, upgrade, calm, reboot = (
        told.get(task, SILENT) for task in ("fence", "quiet", "channel", "simulation", "upgrade", "calm", "reboot")
    )
    if fence.code != 0:
        return of_fence(fence)
    if too_long := last.too_long():
        return Reason(too_long, "too-many-packages", Mend.PEOPLE)
    return (
        of_lock(quiet if quiet.ran else told.get("others", SILENT))
        or of_channel(channel, release)
        or of_plan(plan, release, before)
        or _not_reached(job, release, last, upgrade)
        or _not_started(release, job, last, calm, reboot)
    )


def _not_reached(job: Job, release: Release, last: HostFacts, upgrade: TaskReports) -> Reason | None:
    tool = FAMILIES[release.family].tool
    if upgrade.ran and upgrade.code == NOTHING_BEGUN:
        return of_nothing_begun(upgrade, release)
    if upgrade.ran and upgrade.code == INTERRUPTED:
        return Reason(f"{tool} was interrupted: {upgrade.tail()}")
    if upgrade.ran and upgrade.code != 0:
        return Reason(f"{tool} ended with {upgrade.code}: {upgrade.tail()}")
    wrong = [check for check in (*versions(release, last), *proven(job, last), upgraded(last, of_update(job.id))) if not check.ok]
    if last.audit:
        wrong.append(Check("package database", ok=False, got=last.audit[:300], want="clean"))
    if wrong:
        return Reason(f"release {release.name} was not reached: " + "; ".join(check.sentence() for check in wrong))
    return None


def _not_started(release: Release, job: Job, last: HostFacts, calm: TaskReports, reboot: TaskReports) -> Reason | None:
    if not needs_reboot(last, release, job.id):
        return None
    if left := of_lock(calm):
        return Reason(f"it has the packages and was not started anew: {left.says}", left.cause, left.mend)
    if refused(reboot):
        return Reason(f"it has the packages and refused to start anew: {reboot.tail()}", "reboot-refused", Mend.TIME)
    return Reason("it has the packages and was not started anew")


def facts_for_record(job: Job, before: HostFacts, last: HostFacts) -> dict[str, str]:
    """The same for every attempt and round: what was before is taken from the first command of this grant."""
    runs = of_grant(last, job.id)
    first = next(iter(runs.values()), None)
    changed = any(run.begun for key, run in runs.items() if key.endswith((".upgrade", ".reboot")))
    then = last.before or Before(before.kernel, before.os_release, before.all_packages, before.audit)
    return {
        **last.for_record(job.family),
        **({} if last.too_long() else {"packagesBefore": then.all_packages}),
        "osReleaseBefore": job.facts.get("osReleaseBefore") or then.os_release,
        "bootIdBefore": job.facts.get("bootIdBefore") or (first.boot if first else before.boot_id),
        "kernelBefore": job.facts.get("kernelBefore") or then.kernel,
        "dataManifest": job.facts.get("dataManifest") or before.data_manifest,
        "changed": "true" if changed else "false",
        **({"brokenBefore": then.audit[:BROKEN_MAX]} if then.audit else {}),
    }


def _problem(told: Mapping[str, TaskReports]) -> str:
    for task, one in told.items():
        if one.status in ("unreachable", "failed") or (task == "await" and one.code):
            return f"{task}: {one.tail() or one.status}"
    return "it did not answer"
