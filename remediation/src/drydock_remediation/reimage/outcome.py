"""How a re-image ended, from what was read after its last effect. Pure."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from drydock_remediation.checks import Check
from drydock_remediation.records import Job, Outcome, Release, Result
from drydock_remediation.reimage.facts import KEPT, KEPT_UNDER, SUMS, SUMS_BEFORE, BmcState, HostState, Kept, Proof
from drydock_remediation.verdict import evidence, versions


@dataclass(frozen=True)
class Seen:
    """After the last effect; `kept` is what the data are proven against."""

    host: HostState
    bmc: BmcState
    kept: Kept
    proof: Proof


def conclude(job: Job, release: Release, seen: Seen) -> Result:
    """Done only if everything is as it was wanted: a new system from the image, and the data as they were."""
    host, bmc, kept, proof = seen.host, seen.bmc, seen.kept, seen.proof
    checks = [*_checks(release, host, bmc, kept, proof), *versions(release, host.facts)]
    wrong = [check.sentence() for check in checks if not check.ok]
    facts, shown = facts_for_record(job, host, kept, proof), evidence(checks, bmc=dataclasses.asdict(bmc))
    if wrong:
        return Result(Outcome.FAILED, f"{job.host} was not re-imaged as ordered: " + "; ".join(wrong), facts, shown)
    said = f"{job.host} was re-imaged to {release.image_version}, kernel {host.facts.kernel}; {proof.files} data files are unchanged"
    return Result(Outcome.DONE, said, facts, shown)


def _checks(release: Release, host: HostState, bmc: BmcState, kept: Kept, proof: Proof) -> list[Check]:
    facts = host.facts
    differences = ", ".join(proof.differences) or "every file as it was kept"
    return [
        Check("image version", facts.image_version == release.image_version, facts.image_version, release.image_version),
        Check("boot id", facts.boot_id not in ("", kept.boot_id), facts.boot_id, f"another than {kept.boot_id}"),
        Check("machine id", facts.machine_id not in ("", kept.machine_id), facts.machine_id, f"another than {kept.machine_id or 'none'}"),
        Check("kernel", facts.kernel == release.kernel, facts.kernel, release.kernel),
        Check("package database", facts.audit == "", facts.audit[:300] or "clean", "clean"),
        Check("/data mounted", facts.data_mounted, facts.data_mounted, True),
        Check("data files", proof.same and proof.sums == kept.sums, differences, f"{kept.files} files as they were kept"),
        Check("virtual drive", bmc.medium == "", bmc.medium or "empty", "empty"),
        Check("boot override", not bmc.override_set, bmc.override, "Disabled"),
        Check("list of packages", not facts.too_long(), facts.too_long() or "short enough", "short enough to be handed on"),
    ]


def facts_for_record(job: Job, host: HostState, kept: Kept, proof: Proof) -> dict[str, str]:
    """What was before is from what the host kept, so every attempt reports the same."""
    then = host.facts.before
    before = {} if then is None else {"kernelBefore": then.kernel, "osReleaseBefore": then.os_release, "packagesBefore": then.all_packages}
    return {
        **host.facts.for_record(job.family),
        **before,
        "bootIdBefore": job.facts.get("bootIdBefore") or kept.boot_id,
        "dataManifest": job.facts.get("dataManifest") or kept.manifest,
        "dataFiles": str(proof.files),
        KEPT: f"{job.grant}.{kept.round}",
        SUMS_BEFORE: kept.sums,
        KEPT_UNDER: kept.sums_of,
        SUMS: proof.sums,
        "imageVersion": host.facts.image_version,
        "changed": "true",
    }
