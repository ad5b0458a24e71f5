"""A host is healthy by its facts alone."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from drydock_remediation import verdict
from drydock_remediation.facts import HostFacts, HostRun
from drydock_remediation.records import REIMAGE, Outcome, Result, Step
from drydock_remediation.reimage.facts import BmcState, HostState, Kept, Proof
from drydock_remediation.reimage.outcome import Seen, conclude

from .fakes import RELEASE, facts, job, recorded

EARLIER = {"bootIdBefore": "b23be088", "changed": "true", "dataManifest": recorded(2)["data_manifest"]}


def judged(found: HostFacts | None = None, **changes: Any) -> Result:
    return verdict.judge(job(step=Step.HEALTH, **{"facts": EARLIER, **changes}), found or facts(2))


def failed_checks(result: Result) -> list[str]:
    return [check["name"] for check in json.loads(result.evidence)["checks"] if not check["ok"]]


def test_a_host_that_is_as_the_release_says_is_healthy() -> None:
    result = judged()
    assert result.outcome is Outcome.DONE
    assert failed_checks(result) == []
    assert result.facts["healthy"] == "true"
    assert result.facts["packagesAfter"] == facts(2).all_packages
    assert (result.facts["osFamily"], result.facts["osRelease"]) == ("apt", "Fleet OS 2")


@pytest.mark.parametrize(
    ("change", "check"),
    [
        ({"boot_id": "b23be088"}, "boot id"),
        ({"packages": {"fleet-os": "2.0", "fleet-kernel": "2.0", "fleet-agent": "1.0"}}, "package fleet-agent"),
        ({"packages": {"fleet-os": "2.0", "fleet-kernel": "2.0"}}, "package fleet-agent"),
        ({"kernel": "6.1.0.0-fleet"}, "kernel"),
        ({"audit": "The following packages are only half configured"}, "package database"),
        ({"data_mounted": False}, "/data mounted"),
        ({"data_sums_ok": False, "data_sums": "records.bin: FAILED"}, "/data intact"),
        ({"data_manifest": "another"}, "/data manifest"),
        ({"data_manifest": "", "data_sums": "no manifest"}, "/data manifest"),
        ({"all_packages": "x" * (1 << 19)}, "list of packages"),
    ],
)
def test_each_wrong_fact_alone_makes_it_unhealthy(change: dict[str, Any], check: str) -> None:
    """Every play that read these was green."""
    result = judged(facts(2, **change))
    assert result.outcome is Outcome.FAILED
    assert failed_checks(result) == [check]
    assert check in result.message
    assert result.facts["healthy"] == "false"


def test_each_check_counts() -> None:
    """Control: a verdict without one of its checks would call one of the hosts above healthy."""
    names = {check["name"] for check in json.loads(judged().evidence)["checks"]}
    assert names == {
        *("boot id", "kernel", "package database", "/data mounted", "/data intact", "/data manifest", "list of packages"),
        *("package fleet-os", "package fleet-kernel", "package fleet-agent"),
    }


@pytest.mark.parametrize(
    ("change", "check"),
    [
        ({"packages": {"fleet-os": "2.0", "fleet-kernel": "2.0", "fleet-agent": "1.0"}}, "package fleet-agent"),
        ({"kernel": "6.1.0.0-fleet"}, "kernel"),
        ({"audit": "The following packages are only half configured"}, "package database"),
        ({"data_mounted": False}, "/data mounted"),
        ({"services": {"web": False}}, "service web"),
        ({"services": {}}, "service web"),
    ],
)
def test_a_host_is_on_the_release_already_only_by_what_was_read_there(change: dict[str, Any], check: str) -> None:
    """Each wrong fact alone is one for the update; without it nothing is to be done."""
    verify = job(step=Step.VERIFY)
    already = verdict.judge(verify, facts(2))
    assert already.outcome is Outcome.DONE
    assert already.message.startswith("h02 is on release 2: ")
    result = verdict.judge(verify, facts(2, **change))
    assert result.outcome is Outcome.FAILED
    assert failed_checks(result) == [check]
    assert result.message.startswith("h02 is not on release 2: ")


UPGRADE = "g17.Update.h02.3.upgrade"


@pytest.mark.parametrize(("state", "code"), [("finished", 100), ("interrupted", None), ("running", None)])
def test_a_host_whose_upgrade_did_not_end_well_is_not_on_the_release_though_every_named_package_is_there(
    state: str, code: int | None
) -> None:
    half = facts(2, runs={UPGRADE: HostRun(state, code, "b", (1, 17, 3, 1))})
    assert failed_checks(verdict.judge(job(step=Step.VERIFY), half)) == ["upgrade"]
    well = facts(2, runs={UPGRADE: HostRun("finished", 0, "b", (1, 17, 3, 1))})
    assert verdict.judge(job(step=Step.VERIFY), well).outcome is Outcome.DONE
    of_another = job(step=Step.VERIFY, grant="g18")
    assert verdict.judge(of_another, half).outcome is Outcome.DONE


def test_packages_without_the_restart_are_half_an_update() -> None:
    """Its operator stopped between the two: the kernel of many a release tells nothing of that."""
    under = facts(2).boot_id
    result = verdict.judge(job(step=Step.VERIFY), facts(2, runs={UPGRADE: HostRun("finished", 0, under, (1, 17, 3, 1))}))
    assert (result.outcome, result.begun, failed_checks(result)) == (Outcome.FAILED, True, ["boot id"])


def test_an_installation_after_it_leaves_nothing_of_an_upgrade_that_did_not_end_well() -> None:
    half = facts(2, runs={UPGRADE: HostRun("finished", 100, "b", (1, 17, 3, 1))}, image_version="2.0")
    assert verdict.judge(job(step=Step.VERIFY, facts={**EARLIER, "imageVersion": "2.0"}), half).outcome is Outcome.DONE


def test_a_host_that_was_installed_anew_is_on_the_release_before_its_applications_are_deployed() -> None:
    """Whoever reclaims its batch recovers it, and that deploys them."""
    wiped = facts(2, services={"web": False})
    assert verdict.judge(job(step=Step.VERIFY, facts=EARLIER), wiped).outcome is Outcome.DONE
    assert judged(wiped).outcome is Outcome.DONE


@pytest.mark.parametrize("step", [Step.VERIFY, Step.HEALTH])
def test_of_a_data_partition_that_never_had_a_manifest_nothing_is_said(step: Step) -> None:
    bare = facts(2, data_sums_ok=True, data_sums="no manifest", data_manifest="")
    earlier = {**EARLIER, "dataManifest": ""} if step is Step.HEALTH else {}
    result = verdict.judge(job(step=step, facts=earlier), bare)
    assert result.outcome is Outcome.DONE
    assert "/data intact" not in {check["name"] for check in json.loads(result.evidence)["checks"]}


@pytest.mark.parametrize(
    ("proof", "outcome"), [(Proof(True, 3, "sums"), Outcome.DONE), (Proof(False, 3, "others", ("/data/x",)), Outcome.FAILED)]
)
def test_the_proof_of_a_re_image_stands_without_a_manifest(proof: Proof, outcome: Outcome) -> None:
    bare = facts(2, machine_id="new", image_version="2.0", data_sums_ok=False, data_sums="not checked", data_manifest="")
    image, kept = dataclasses.replace(RELEASE, image_version="2.0"), Kept("boot-1", "old", "sums", 3, "", 1, "old")
    seen = Seen(HostState(bare, kept), BmcState("On", "Disabled", "None", ""), kept, proof)
    found = conclude(job(mode=REIMAGE, release=image), image, seen)
    assert found.outcome is outcome, found.message


OWED = {"dataKept": "g17.3", "dataSumsBefore": "a", "dataKeptUnder": "old"}


@pytest.mark.parametrize("told", [{}, {"dataSums": ""}, {"dataSums": "b"}])
def test_data_that_an_installation_has_not_proven_are_not_healthy_whoever_looks_next(told: dict[str, str]) -> None:
    """The run of its batch was lost, or people had its packages updated: none of these compares data."""
    new, earlier = facts(2, machine_id="new"), {**EARLIER, **OWED, **told}
    for step in (Step.HEALTH, Step.VERIFY):
        assert failed_checks(verdict.judge(job(step=step, facts=earlier), new)) == ["data files"]
    proven = {**earlier, "dataSums": "a"}
    assert judged(new, facts=proven).outcome is Outcome.DONE


def test_data_under_the_system_that_kept_them_were_not_installed_over() -> None:
    assert judged(facts(2, machine_id="old"), facts={**EARLIER, **OWED}).outcome is Outcome.DONE
    assert judged(facts(2, machine_id=""), facts={**EARLIER, **OWED, "dataKeptUnder": ""}).outcome is Outcome.FAILED


def test_what_could_not_be_read_is_unknown_and_never_healthy() -> None:
    assert verdict.judge(job(step=Step.HEALTH), None).outcome is Outcome.UNKNOWN
    assert verdict.judge(job(step=Step.VERIFY), None).outcome is Outcome.UNKNOWN


def begun_under_boot(boot: str) -> dict[str, HostRun]:
    one = job(step=Step.HEALTH)
    return {f"{one.grant}.Update.{one.host}.3.upgrade": HostRun("finished", 0, boot, (1, 1, 3, 1))}


def test_where_what_was_reported_is_lost_the_host_tells_whether_it_was_started_anew() -> None:
    """Rows that were put back know of no boot before; what the wrapper recorded on the host stays."""
    assert judged(facts(2, runs=begun_under_boot("b23be088")), facts={}).outcome is Outcome.DONE
    assert failed_checks(judged(facts(2, runs=begun_under_boot(facts(2).boot_id)), facts={})) == ["boot id"]
    assert judged(facts(2, runs={}), facts={}).outcome is Outcome.DONE, "nothing was begun there"


def test_a_boot_id_before_that_nobody_recorded_does_not_pass() -> None:
    for earlier in (dict(EARLIER, bootIdBefore=""), {}):
        assert failed_checks(judged(facts(2, runs={}, recorded=False), facts=earlier)) == ["boot id"], "nor could the record be read"
        assert failed_checks(judged(facts(2, runs=begun_under_boot("")), facts=earlier)) == ["boot id"]


def test_a_host_that_is_read_says_whether_anything_was_begun_there() -> None:
    def read(**changes: Any) -> bool | None:
        return verdict.judge(job(step=Step.VERIFY, facts={}), facts(1, **changes)).begun

    assert read(runs={}) is False
    assert read(runs=begun_under_boot("b23be088")) is True
    assert read(runs={"g9.Update.h9.3.upgrade": HostRun("finished", 0, "b", (1, 1, 3, 1))}) is False, "of another grant"
    assert read(runs={}, recorded=False) is None
    assert verdict.judge(job(step=Step.VERIFY, mode=REIMAGE, facts={}), facts(1, runs={})).begun is None


def test_no_new_boot_is_asked_for_when_the_update_found_nothing_to_do() -> None:
    same = {"bootIdBefore": facts(2).boot_id}
    assert judged(facts={**same, "changed": "false"}).outcome is Outcome.DONE
    assert judged(facts={**same, "changed": "true"}).outcome is Outcome.FAILED


def test_half_a_reading_is_none() -> None:
    for name in [field.name for field in dataclasses.fields(HostFacts) if field.name not in ("runs", "recorded", "others")]:
        record = recorded(2)
        del record[name]
        with pytest.raises(KeyError):
            HostFacts.read(record)


def test_a_host_that_was_to_be_re_imaged_is_healthy_only_on_the_image_of_the_release() -> None:
    image = dataclasses.replace(RELEASE, image="http://10.0.0.1:8080/media/2.tar", image_version="2.0")
    assert judged(facts(2, image_version="2.0"), mode=REIMAGE, release=image).outcome is Outcome.DONE
    result = judged(facts(2, image_version="1.0"), mode=REIMAGE, release=image)
    assert failed_checks(result) == ["image version"]
    assert judged(facts(2, image_version="1.0"), release=image).outcome is Outcome.DONE, "packages do not change the image"
    on_it = verdict.judge(job(step=Step.VERIFY, mode=REIMAGE, release=image, facts={}), facts(2, image_version="1.0"))
    assert failed_checks(on_it) == ["image version"], "packages of the release do not make up for another image"


def test_a_healthy_host_tells_by_what_a_later_change_of_its_packages_is_seen() -> None:
    assert judged().facts["packageDatabase"] == facts(2).database != facts(1).database
