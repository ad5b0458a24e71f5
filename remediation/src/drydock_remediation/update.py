"""The update of one host: what to do next, and how it ended. Decided from facts; pure."""

from __future__ import annotations

import json
from collections.abc import Mapping

from drydock_remediation.checks import Check
from drydock_remediation.facts import Before, HostFacts, HostRun
from drydock_remediation.records import FAMILIES, Job, Outcome, Release, Result
from drydock_remediation.simulation import refusals
from drydock_remediation.told import SILENT, Told
from drydock_remediation.verdict import proven, upgraded, versions

STILL_RUNNING, INTERRUPTED = 76, 77  # exit codes of hostrun


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
    upgraded_since_boot = any(run.boot == facts.boot_id for key, run in of_grant(facts, job_id).items() if key.endswith(".upgrade"))
    return upgraded_since_boot or facts.kernel != release.kernel


def of_grant(facts: HostFacts, job_id: str) -> dict[str, HostRun]:
    """Commands of all rounds of this update, oldest first."""
    found = {key: run for key, run in facts.runs.items() if key.startswith(f"{of_update(job_id)}.")}
    return dict(sorted(found.items(), key=lambda item: item[1].token))


def of_update(job_id: str) -> str:
    """What the ids of all rounds begin with: a job id is GRANT.Update.HOST.ROUND."""
    return job_id.rpartition(".")[0]


def conclude(job: Job, told: Mapping[str, Told]) -> Result:
    """The result of an update from what its tasks reported. What was not seen is Unknown."""
    release = job.release
    before = told.get("before", SILENT).facts
    last = next((found for task in ("after", "middle", "before") if (found := told.get(task, SILENT).facts)), None)
    if release is None or before is None or last is None:
        return Result(Outcome.UNKNOWN, f"{job.host} could not be read: {_problem(told)}")
    fence, upgrade, reboot = (told.get(task, SILENT) for task in ("fence", "upgrade", "reboot"))
    if upgrade.ran and upgrade.code == STILL_RUNNING:
        return Result(Outcome.UNKNOWN, f"{job.host}: the upgrade still runs there: {upgrade.tail()}")
    if (upgrade.ran and told.get("middle", SILENT).facts is None) or (
        reboot.status != "absent" and reboot.status != "skipped" and told.get("after", SILENT).facts is None
    ):
        return Result(Outcome.UNKNOWN, f"{job.host} could not be read after the last effect: {_problem(told)}")
    facts = facts_for_record(job, before, last)
    if fence.code != 0:
        return Result(Outcome.FAILED, f"{job.host} refused the token of this attempt: {fence.tail()}", facts)
    problem = _not_reached(job, release, before, last, told)
    shown = json.dumps({task: {"code": one.code, "text": one.tail()} for task, one in told.items() if one.code is not None})
    if problem:
        return Result(Outcome.FAILED, f"{job.host}: {problem}", facts, shown)
    done = "is on" if facts["changed"] == "true" else "was already on"
    return Result(Outcome.DONE, f"{job.host} {done} release {release.name}, kernel {last.kernel}", facts, shown)


def _not_reached(job: Job, release: Release, before: HostFacts, last: HostFacts, told: Mapping[str, Told]) -> str:
    tool = FAMILIES[release.family].tool
    channel, simulation, upgrade = (told.get(task, SILENT) for task in ("channel", "simulation", "upgrade"))
    if reason := last.too_long():
        return reason
    if channel.ran and channel.code != 0:
        return f"channel {release.channel} could not be read: {channel.tail()}"
    if simulation.ran and simulation.code != 0:
        return f"{tool} cannot plan the upgrade: {simulation.tail()}"
    if simulation.ran and (reasons := refusals(simulation.out, release, before.packages)):
        return "upgrade refused before anything was installed: " + "; ".join(reasons)
    if upgrade.ran and upgrade.code == INTERRUPTED:
        return f"{tool} was interrupted: {upgrade.tail()}"
    if upgrade.ran and upgrade.code != 0:
        return f"{tool} ended with {upgrade.code}: {upgrade.tail()}"
    wrong = [check for check in (*versions(release, last), *proven(job, last), upgraded(last, of_update(job.id))) if not check.ok]
    if last.audit:
        wrong.append(Check("package database", ok=False, got=last.audit[:300], want="clean"))
    if wrong:
        return f"release {release.name} was not reached: " + "; ".join(check.sentence() for check in wrong)
    if needs_reboot(last, release, job.id):
        return "it has the packages and was not started anew"
    return ""


def facts_for_record(job: Job, before: HostFacts, last: HostFacts) -> dict[str, str]:
    """The same for every attempt and round: what was before is taken from the first command of this grant."""
    runs = of_grant(last, job.id)
    first = next(iter(runs.values()), None)
    changed = any(key.endswith((".upgrade", ".reboot")) for key in runs)
    then = last.before or Before(before.kernel, before.os_release, before.all_packages)
    return {
        **last.for_record(job.family),
        **({} if last.too_long() else {"packagesBefore": then.all_packages}),
        "osReleaseBefore": job.facts.get("osReleaseBefore") or then.os_release,
        "bootIdBefore": job.facts.get("bootIdBefore") or (first.boot if first else before.boot_id),
        "kernelBefore": job.facts.get("kernelBefore") or then.kernel,
        "dataManifest": job.facts.get("dataManifest") or before.data_manifest,
        "changed": "true" if changed else "false",
    }


def _problem(told: Mapping[str, Told]) -> str:
    for task, one in told.items():
        if one.status in ("unreachable", "failed") or (task == "await" and one.code):
            return f"{task}: {one.tail() or one.status}"
    return "it did not answer"
