"""Is this host healthy, or on the release already? Decided from facts read on it and from nothing else; a green play is
not a fact."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from drydock_remediation.checks import Check
from drydock_remediation.facts import HostFacts
from drydock_remediation.health import custom
from drydock_remediation.health import judge as hardware
from drydock_remediation.health.custom import HostCheck
from drydock_remediation.observations import NOTHING, Observations
from drydock_remediation.records import REIMAGE, Job, Outcome, Release, Result, Step
from drydock_remediation.reimage.facts import KEPT_UNDER, Earlier

NO_CHECKS: Mapping[str, HostCheck] = {}


def judge(job: Job, facts: HostFacts | None, around: Observations = NOTHING, known: Mapping[str, HostCheck] = NO_CHECKS) -> Result:
    """Done only if every check passes. Facts that could not be read make the host Unknown, never healthy. What the release wants
    of the host's hardware class is judged from `around`, and so is what policies want by the name of a check that is `known`.

    Verify asks the same as Health; for a start after the update only where one was begun: half an update is not on the release."""
    if facts is None:
        said = around.before.tail()
        return Result(Outcome.UNKNOWN, f"{job.host}: its facts could not be read{said and f': {said}'}")
    if job.release is None:
        return Result(Outcome.FAILED, f"{job.host}: the job names no release to judge it by", facts.for_record(job.family))
    checks = [*checks_of(job.release, job.facts, facts), *proven(job, facts)]
    if job.mode == REIMAGE:
        want = job.release.image_version
        checks.append(Check("image version", facts.image_version == want != "", facts.image_version or "none", want))
    if job.step is Step.VERIFY:
        was_begun = begun(job, facts)
        checks += [*deployed(job, facts), *through(job, facts)]
        if was_begun:
            checks.append(booted_since(job, facts))
        read = _result(job, f"on release {job.release.name}", checks, facts.for_record(job.family))
        return replace(read, begun=was_begun)
    kind = hardware.judge(job.spec, around.condition, around.outside, job.facts)
    named = custom.judge(job.checks, known, around.checks)
    checks = [booted_since(job, facts), *checks, *kind.checks, *named.checks]
    found = facts.for_record(job.family) | ({} if facts.too_long() else {"packagesAfter": facts.all_packages})
    found["packageDatabase"] = facts.database
    well = all(check.ok for check in checks)
    if well and (unread := [*kind.unread, *named.unread]):
        return Result(Outcome.UNKNOWN, f"{job.host}: nobody could read {'; '.join(unread)}", found, evidence(checks))
    found["healthy"] = "true" if well else "false"
    return _result(job, f"healthy on release {job.release.name}", checks, found)


def _result(job: Job, state: str, checks: list[Check], found: Mapping[str, str]) -> Result:
    wrong = [check.sentence() for check in checks if not check.ok]
    if wrong:
        return Result(Outcome.FAILED, f"{job.host} is not {state}: " + "; ".join(wrong), found, evidence(checks))
    return Result(Outcome.DONE, f"{job.host} is {state}: {len(checks)} checks passed", found, evidence(checks))


def checks_of(release: Release, earlier: Mapping[str, str], facts: HostFacts) -> list[Check]:
    """Of applications nothing: whoever recovers the host deploys and starts them, and judges them then."""
    return [
        *versions(release, facts),
        Check("kernel", facts.kernel == release.kernel, facts.kernel, release.kernel),
        Check("package database", facts.audit == "", facts.audit[:300] or "clean", "clean"),
        Check("/data mounted", facts.data_mounted, facts.data_mounted, True),
        *intact(facts),
        same_manifest(earlier, facts),
        Check("list of packages", not facts.too_long(), facts.too_long() or "short enough", "short enough to be handed on"),
    ]


def deployed(job: Job, facts: HostFacts) -> list[Check]:
    """A host on the release that lacks an application needs the way through its recovery, which deploys it. One that was
    updated already is on that way."""
    if "bootIdBefore" in job.facts:
        return []
    return [Check(f"service {name}", facts.services.get(name, False), facts.services.get(name, False), True) for name in job.applications]


def through(job: Job, facts: HostFacts) -> list[Check]:
    """Of the update that was begun for this grant, if one was; nothing of it is left where the system was installed anew since."""
    return [] if "imageVersion" in job.facts else [upgraded(facts, of_update(job))]


def upgraded(facts: HostFacts, update: str) -> Check:
    """One package that fails and goes back to its old version leaves a package database in order, and so does a power cut
    between two of them. `update` is what the ids of all rounds of the update begin with."""
    runs = [run for key, run in facts.runs.items() if key.startswith(f"{update}.") and key.endswith(".upgrade") and run.begun]
    last = max(runs, key=lambda run: run.token, default=None)
    got = "none was begun" if last is None else f"{last.state}, code {last.code}"
    return Check("upgrade", last is None or last.code == 0, got, "the last one has ended with 0")


def of_update(job: Job) -> str:
    """What the ids of all rounds of the update of this grant begin with."""
    return f"{job.grant}.{Step.UPDATE}.{job.host}"


def begun(job: Job, facts: HostFacts) -> bool | None:
    """Whether an update of this grant was begun on the host, whatever became of what its consumers reported. Of a re-image, and after
    one, the host cannot tell."""
    return None if job.mode == REIMAGE or "imageVersion" in job.facts else begun_under(facts, of_update(job))


def begun_under(facts: HostFacts, update: str) -> bool | None:
    """Whether an upgrade or a new start was ever begun under ids that begin so, as the host has recorded; None where that could not be
    read."""
    if not facts.recorded:
        return None
    return any(run.begun for key, run in facts.runs.items() if key.startswith(f"{update}.") and key.endswith((".upgrade", ".reboot")))


def booted_since(job: Job, facts: HostFacts) -> Check:
    """The host must have started again after the update, unless the update found nothing to do. Where what was reported of the boot
    before it is lost, what the wrapper recorded on the host tells; nothing was to be started anew where nothing was begun."""
    before = job.facts.get("bootIdBefore", "")
    if job.facts.get("changed") == "false":
        same = bool(before) and facts.boot_id != ""
        return Check("boot id", same, facts.boot_id, "any: the update found nothing to do")
    if not before and job.grant and begun(job, facts) is False:
        return Check("boot id", facts.boot_id != "", facts.boot_id, "any: no update was begun on the host")
    before = before or boot_of(facts, of_update(job))
    return Check("boot id", before not in ("", facts.boot_id), facts.boot_id, f"another than {before or 'an unknown one'}")


def boot_of(facts: HostFacts, update: str) -> str:
    """Under which boot the last upgrade was begun that has ids that begin so; empty if none was. A start after it is one after all of
    them."""
    runs = [run for key, run in facts.runs.items() if key.startswith(f"{update}.") and key.endswith(".upgrade") and run.begun]
    return max(runs, key=lambda run: run.token).boot if runs else ""


def intact(facts: HostFacts) -> list[Check]:
    """Of a data partition without a manifest nobody said what belongs there."""
    if not facts.data_manifest:
        return []
    return [Check("/data intact", facts.data_sums_ok, facts.data_sums, "every sum of /data/manifest.sha256 right")]


def same_manifest(earlier: Mapping[str, str], facts: HostFacts) -> Check:
    """Sums that agree with a list prove nothing if the list itself was replaced."""
    before = earlier.get("dataManifest", "")
    return Check(
        "/data manifest", before in ("", facts.data_manifest), facts.data_manifest or "none", before or "any: none was recorded before"
    )


def proven(job: Job, facts: HostFacts) -> list[Check]:
    """Only a re-image compares its data with what it kept. Where none got so far, what runs now may be a system it installed."""
    if not Earlier.of(job).owed:
        return []
    same = facts.machine_id != "" and facts.machine_id == job.facts.get(KEPT_UNDER)
    got = "not installed since they were kept" if same else "installed since they were kept, and not as they were, or never compared"
    return [Check("data files", same, got, "as they were kept before the installation")]


def versions(release: Release, facts: HostFacts) -> list[Check]:
    return [
        Check(f"package {name}", want in facts.packages.get(name, "").split(), facts.packages.get(name) or "not installed", want)
        for name, want in sorted(release.packages.items())
    ]


def evidence(checks: list[Check], **more: Any) -> str:
    rows = [{"name": check.name, "ok": check.ok, "got": check.got, "want": check.want} for check in checks]
    return json.dumps({"checks": rows, **more}, sort_keys=True)
