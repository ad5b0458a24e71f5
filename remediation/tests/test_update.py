"""What an update does next and how it ended, from recorded facts."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from drydock_remediation.apt_on_host import read_plan
from drydock_remediation.facts import ALL_PACKAGES_BYTES_MAX, HostRun
from drydock_remediation.records import Outcome, Result
from drydock_remediation.simulation import refusals
from drydock_remediation.task_reports import TaskReports
from drydock_remediation.update import as_begun, conclude, needs_reboot, next_upgrade

from .fakes import RELEASE, facts, good_update, job, simulation

JOB = "g17.Update.h02.3"
SKIPPED = TaskReports("skipped")


def run(key: str, boot: str, code: int | None = 0, state: str = "finished", token: tuple[int, ...] = (1, 17, 3, 1)) -> dict[str, HostRun]:
    return {key: HostRun(state, code, boot, token)}


# The connection broke, and nothing more was reported.
LOST_BEFORE_THE_CHANNEL = dict.fromkeys(("channel", "simulation", "upgrade", "middle", "reboot", "await", "after"))
FAILED_ROUND = run("g17.Update.h02.2.upgrade", "b", 100, token=(1, 17, 2, 1))


def ended(**changes: TaskReports | None) -> Result:
    told = {report.task: report.told for report in good_update("h02")}
    for task, one in changes.items():
        told.pop(task) if one is None else told.update({task: one})
    return conclude(job(), told)


def test_packages_make_no_release_of_data_that_an_installation_has_not_proven() -> None:
    """A rung installed it anew, could not prove its data, and people had its packages updated after that."""
    owed = {"dataKept": "g17.1", "dataSumsBefore": "a", "dataSums": "b", "dataKeptUnder": "another"}
    told = {report.task: report.told for report in good_update("h02")}
    result = conclude(job(facts=owed), told)
    assert (result.outcome, "data files" in result.message) == (Outcome.FAILED, True)
    assert conclude(job(facts={**owed, "dataSums": "a"}), told).outcome is Outcome.DONE


def test_a_host_on_an_older_release_is_started_on() -> None:
    assert next_upgrade(facts(1), RELEASE, JOB) == "start"


def test_a_host_that_is_there_is_left_alone() -> None:
    host = facts(2, runs={})
    assert next_upgrade(host, RELEASE, JOB) == "none"
    assert not needs_reboot(host, RELEASE, JOB)


def test_what_an_earlier_version_began_is_asked_for_in_its_own_words() -> None:
    wrapped = ["python3", "hostrun", "run", "--token", "1.17.3.2", "--key", f"{JOB}.upgrade", "--", "sh", "-c", "new"]
    other = run(f"{JOB}.reboot", "b")
    assert as_begun(wrapped, facts(1, runs=other), f"{JOB}.upgrade") == wrapped
    begun = {f"{JOB}.upgrade": HostRun("running", None, "b", (1, 17, 3, 1), ("apt-get", "old"))}
    assert as_begun(wrapped, facts(1, runs=begun), f"{JOB}.upgrade") == [*wrapped[:8], "apt-get", "old"]


@pytest.mark.parametrize("state", ["running", "finished", "interrupted"])
def test_what_an_earlier_attempt_began_is_attached_to_and_never_started_again(state: str) -> None:
    begun = run(f"{JOB}.upgrade", facts(1).boot_id, None, state)
    assert next_upgrade(facts(1, runs=begun), RELEASE, JOB) == "attach"


@pytest.mark.parametrize(("code", "state"), [(100, "finished"), (124, "finished"), (None, "interrupted")])
def test_an_upgrade_that_did_not_end_well_is_run_again_though_every_named_package_is_there(code: int | None, state: str) -> None:
    """What nobody named may have stayed as it was, and the package database is in order then."""
    boot, twelfth = facts(2).boot_id, "g17.Update.h02.12"
    failed = run("g17.Update.h02.9.upgrade", boot, code, state, (1, 17, 9, 1))
    assert next_upgrade(facts(2, runs=failed), RELEASE, twelfth) == "start"
    well_since = run("g17.Update.h02.10.upgrade", boot, token=(1, 17, 10, 1)) | failed
    assert next_upgrade(facts(2, runs=well_since), RELEASE, twelfth) == "none"
    failed_since = run("g17.Update.h02.11.upgrade", boot, code, state, (1, 17, 11, 1)) | well_since
    assert next_upgrade(facts(2, runs=failed_since), RELEASE, twelfth) == "start"


def test_what_became_of_an_upgrade_of_another_grant_or_of_other_commands_is_nothing_to_this_one() -> None:
    boot = facts(2).boot_id
    for key in ("g16.Update.h02.3.upgrade", "g17.Update.h02.2.channel", "g17.Drain.h02.1.upgrade", "g17.Update.h021.3.upgrade"):
        assert next_upgrade(facts(2, runs=run(key, boot, 100)), RELEASE, JOB) == "none"


def test_half_configured_packages_are_not_the_release() -> None:
    assert next_upgrade(facts(2, runs={}, audit="half configured"), RELEASE, JOB) == "start"


def test_a_host_is_started_anew_after_an_upgrade_of_this_or_an_earlier_round() -> None:
    host = facts(2)
    for key in (f"{JOB}.upgrade", "g17.Update.h02.2.upgrade"):
        assert needs_reboot(dataclasses.replace(host, runs=run(key, host.boot_id)), RELEASE, JOB)
        assert not needs_reboot(dataclasses.replace(host, runs=run(key, "an-earlier-boot")), RELEASE, JOB)
    assert not needs_reboot(dataclasses.replace(host, runs=run("g16.Update.h02.3.upgrade", host.boot_id)), RELEASE, JOB)


def test_a_host_with_the_packages_and_an_old_kernel_is_started_anew_once() -> None:
    old = facts(2, kernel="6.1.0.0-fleet", runs={})
    assert needs_reboot(old, RELEASE, JOB)
    assert not needs_reboot(dataclasses.replace(old, runs=run(f"{JOB}.reboot", "an-earlier-boot")), RELEASE, JOB)


def test_a_reboot_that_was_asked_for_and_is_still_to_come_is_waited_for() -> None:
    host = facts(2)
    asked = run(f"{JOB}.upgrade", host.boot_id) | run(f"{JOB}.reboot", host.boot_id)
    assert needs_reboot(dataclasses.replace(host, runs=asked), RELEASE, JOB)


def test_a_broken_host_is_not_started_anew() -> None:
    upgraded = run(f"{JOB}.upgrade", facts(2).boot_id, 100)
    assert not needs_reboot(facts(2, runs=upgraded, audit="half configured"), RELEASE, JOB)
    assert not needs_reboot(facts(1, runs=run(f"{JOB}.upgrade", facts(1).boot_id, 100)), RELEASE, JOB)


@pytest.mark.parametrize(("code", "state"), [(100, "finished"), (None, "interrupted"), (None, "running")])
def test_a_host_whose_upgrade_did_not_end_well_is_not_started_anew(code: int | None, state: str) -> None:
    upgraded = run(f"{JOB}.upgrade", facts(2).boot_id, code, state)
    assert not needs_reboot(facts(2, kernel="6.1.0.0-fleet", runs=upgraded), RELEASE, JOB)


def test_done_when_the_facts_say_so() -> None:
    result = ended()
    assert result.outcome is Outcome.DONE
    assert result.facts["changed"] == "true"
    assert result.facts["bootIdBefore"] != result.facts["bootId"] == facts(2).boot_id
    assert (result.facts["kernelBefore"], result.facts["kernel"]) == ("6.1.0.0-fleet", "6.2.0.0-fleet")


def test_all_packages_before_are_those_from_before_the_first_effect_whoever_reports_them() -> None:
    assert "fleet-os 1.0\n" in facts(1).all_packages
    assert ended().facts["packagesBefore"] == facts(1).all_packages
    attached = ended(before=TaskReports("ok", facts=facts(2)), channel=SKIPPED, simulation=SKIPPED)
    assert attached.facts["packagesBefore"] == facts(1).all_packages
    assert (attached.facts["kernelBefore"], attached.facts["osReleaseBefore"]) == ("6.1.0.0-fleet", "Fleet OS 1")


def test_control_without_the_host_s_own_record_an_attached_update_would_report_what_it_brought() -> None:
    forgetful = TaskReports("ok", facts=facts(2, before=None))
    late = ended(before=forgetful, middle=forgetful, after=forgetful, channel=SKIPPED, simulation=SKIPPED)
    assert late.facts["packagesBefore"] == facts(2).all_packages != facts(1).all_packages


def test_a_host_whose_packages_no_report_can_take_is_refused_untouched() -> None:
    fits = facts(1, all_packages="x" * ALL_PACKAGES_BYTES_MAX)
    assert next_upgrade(fits, RELEASE, JOB) == "start"
    host = facts(1, all_packages=fits.all_packages + "x")
    assert next_upgrade(host, RELEASE, JOB) == "none"
    rest = dict.fromkeys(("channel", "simulation", "upgrade", "middle", "reboot", "await", "after"), SKIPPED)
    result = ended(before=TaskReports("ok", facts=host), **rest)
    assert (result.outcome, "262145 bytes" in result.message) == (Outcome.FAILED, True)
    assert "packagesBefore" not in result.facts


def test_nothing_to_do_is_done_and_says_so() -> None:
    there = TaskReports("ok", facts=facts(2, runs={}))
    rest = dict.fromkeys(("channel", "simulation", "upgrade", "middle", "reboot", "await", "after"), SKIPPED)
    result = ended(before=there, **rest)
    assert (result.outcome, result.facts["changed"]) == (Outcome.DONE, "false")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"fence": TaskReports("ok", 75, err="token 1.17.3.1 is older"), "after": None, "reboot": SKIPPED}, "refused the token"),
        ({"channel": TaskReports("ok", 100, err="404 Not Found"), "upgrade": SKIPPED, "reboot": SKIPPED}, "404 Not Found"),
        ({"simulation": TaskReports("ok", 100, err="unmet dependencies"), "upgrade": SKIPPED, "reboot": SKIPPED}, "unmet"),
        ({"simulation": TaskReports("ok", 0, simulation("removal")), "upgrade": SKIPPED, "reboot": SKIPPED}, "refused before anything"),
        ({"upgrade": TaskReports("ok", 100, err="postinst failed")}, "postinst failed"),
        ({"upgrade": TaskReports("ok", 124, err="too late")}, "ended with 124"),
        ({**LOST_BEFORE_THE_CHANNEL, "before": TaskReports("ok", facts=facts(2, runs=FAILED_ROUND))}, "upgrade: got finished, code 100"),
        ({"after": TaskReports("ok", facts=facts(1))}, "release 2 was not reached"),
        ({"after": TaskReports("ok", facts=facts(2, audit="half configured"))}, "package database"),
        ({"upgrade": TaskReports("ok", 77, err="its end was not seen")}, "apt-get was interrupted: its end was not seen"),
        (
            {"upgrade": TaskReports("ok", 77), "middle": TaskReports("ok", facts=facts(1)), "reboot": SKIPPED, "after": None},
            "was interrupted",
        ),
        ({"reboot": SKIPPED, "after": None, "middle": TaskReports("ok", facts=facts(2, kernel="old", runs={}))}, "not started anew"),
    ],
)
def test_failed_when_the_facts_are_known_and_wrong(changes: dict[str, Any], says: str) -> None:
    """In all of these the play itself is green."""
    result = ended(**changes)
    assert result.outcome is Outcome.FAILED
    assert says in result.message
    assert result.facts["bootIdBefore"]


@pytest.mark.parametrize(
    "changes",
    [
        {"before": None, "middle": None, "after": None},
        {"before": TaskReports("unreachable", err="no route")},
        {"upgrade": TaskReports("ok", 76, err="still runs")},
        {"upgrade": TaskReports("failed", None, err="connection lost"), "middle": None, "reboot": None, "await": None, "after": None},
        {"after": SKIPPED, "await": TaskReports("ok", 1, err="did not come back")},
        {"reboot": TaskReports("unreachable"), "after": None, "await": None},
    ],
)
def test_unknown_when_the_state_was_not_read_back(changes: dict[str, TaskReports | None]) -> None:
    assert ended(**changes).outcome is Outcome.UNKNOWN


def test_what_was_before_is_the_same_in_every_attempt_and_round() -> None:
    runs = run("g17.Update.h02.10.upgrade", "second", token=(1, 17, 10, 1)) | run("g17.Update.h02.3.upgrade", "first", token=(1, 17, 3, 2))
    late = TaskReports("ok", facts=facts(2, runs=runs))
    assert ended(before=late, after=late).facts["bootIdBefore"] == "first"


def test_a_simulation_is_read_as_apt_wrote_it() -> None:
    text = "Remv old-one [1.0]\nInst fleet-os [1.0] (2.0 host [all])\nInst new-one (3:4.5-1 host [amd64])\nPurg gone\nConf fleet-os (2.0)\n"
    want = {"installs": {"fleet-os": "2.0", "new-one": "3:4.5-1"}, "removals": ["old-one", "gone"], "keptBack": []}
    assert read_plan(text) == want


def test_a_simulation_of_dnf_is_judged_like_one_of_apt() -> None:
    release = dataclasses.replace(RELEASE, family="dnf", packages={"fleet-os": "2.0-1"})
    good = '{"installs": {"fleet-os": "2.0-1"}, "removals": []}'
    removing = good.replace("[]", '["old"]')
    assert refusals(good, release, {"fleet-os": "1.0-1"}) == []
    assert refusals(removing, release, {"fleet-os": "1.0-1"}) == ["it would remove old"]
    assert refusals('{"installs": {}, "removals": []}', release, {"fleet-os": "1.0-1"}) == ["fleet-os would be 1.0-1 and not 2.0-1"]
    assert refusals('{"installs": {}, "removals": []}', release, {"fleet-os": "2.0-1 1.0-1"}) == []


def test_a_good_simulation_is_not_refused() -> None:
    assert refusals(simulation("good"), RELEASE, facts(1).packages) == []


def test_a_removal_is_refused_even_if_every_version_would_be_reached() -> None:
    text = json.dumps({**json.loads(simulation("good")), "removals": ["fleet-extra"]})
    assert refusals(text, RELEASE, facts(1).packages) == ["it would remove fleet-extra"]


def test_a_version_that_would_not_be_reached_is_refused() -> None:
    reasons = refusals('{"installs": {}, "removals": []}', RELEASE, facts(1).packages)
    assert reasons == [f"{name} would be 1.0 and not 2.0" for name in sorted(RELEASE.packages)]
