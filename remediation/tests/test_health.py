"""What a release wants of a hardware class, against what was found in band and out of band."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from drydock_remediation import verdict
from drydock_remediation.health import spec
from drydock_remediation.health.baseline import LOG, MEMORY_GIB, baseline, wanted
from drydock_remediation.health.condition import Card, Condition, Mount
from drydock_remediation.health.judge import Verdict, judge
from drydock_remediation.health.machine import Entry, Machine, OutOfBandReading
from drydock_remediation.observations import Observations
from drydock_remediation.records import Job, Outcome, Result, Step

from .fakes import facts, job
from .test_verdict import EARLIER

WANTED = {
    "memoryMib": 3900,
    "processors": 2,
    "disks": 2,
    "mounts": {"/data": 10},
    "cards": {"eth0": 1000},
    "services": ["sshd"],
    "bmc": {"health": "Warning", "memoryGib": 4, "processors": 2, "firmware": {"BIOS": "2.1.0"}, "log": "Warning"},
}
SPEC = spec.read(WANTED)
CONDITION = Condition(
    memory_mib=3900,
    processors=2,
    mounts={"/data": Mount(10, writable=True)},
    cards={"eth0": Card(up=True, mbps=1000)},
    disks=("vda", "vdb"),
    services={"sshd": "running"},
)
EVENTS = (Entry(1, "Critical", "a fan failed last year"), Entry(2, "OK", "power on"), Entry(3, "Warning", "button not heeded"))
MACHINE = Machine("On", "OK", 4.0, "OK", 2, "OK", {"BIOS": "2.1.0"}, EVENTS, 3)
SINCE = {LOG: "1"}


def judged(condition: Condition | None = CONDITION, machine: Machine | None = MACHINE, earlier: dict[str, str] = SINCE) -> Verdict:
    return judge(SPEC, condition, OutOfBandReading(None, machine, "" if machine else "it is silent"), earlier)


def wrong(verdict_: Verdict) -> list[str]:
    return [check.sentence() for check in verdict_.checks if not check.ok]


def test_a_host_that_is_just_what_is_wanted_passes_every_check() -> None:
    found = judged()
    assert wrong(found) == [] and found.unread == ()
    assert len(found.checks) == 13


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"memory_mib": 3899}, "memory in MiB: got 3899, want at least 3900"),
        ({"processors": 1}, "processors: got 1, want at least 2"),
        ({"disks": ("vda",)}, "disks: got 1, want at least 2"),
        ({"mounts": {}}, "mount /data: got not mounted, want mounted, 10 % free"),
        ({"mounts": {"/data": Mount(9, writable=True)}}, "mount /data: got 9 % free, want mounted, 10 % free"),
        ({"mounts": {"/data": Mount(50, writable=False)}}, "mount /data: got 50 % free, not to be written to, want mounted, 10 % free"),
        ({"cards": {}}, "network card eth0: got not there, want up, 1000 Mbit/s"),
        ({"cards": {"eth0": Card(up=True, mbps=100)}}, "network card eth0: got up, 100 Mbit/s, want up, 1000 Mbit/s"),
        ({"cards": {"eth0": Card(up=False, mbps=1000)}}, "network card eth0: got down, 1000 Mbit/s, want up, 1000 Mbit/s"),
        ({"services": {"sshd": "restarting"}}, "service sshd runs: got restarting, want running"),
    ],
)
def test_in_band_each_want_can_fail(change: dict[str, Any], sentence: str) -> None:
    assert wrong(judged(dataclasses.replace(CONDITION, **change))) == [sentence]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"health": "Critical"}, "BMC: health of machine: got Critical, want Warning"),
        ({"health": ""}, "BMC: health of machine: got not told, want Warning"),
        ({"health": "Splendid"}, "BMC: health of machine: got Splendid, want Warning"),
        ({"memory_health": "Critical"}, "BMC: health of memory: got Critical, want Warning"),
        ({"processor_health": "Critical"}, "BMC: health of processors: got Critical, want Warning"),
        ({"memory_gib": 2.0}, "BMC: memory in GiB: got 2.0, want at least 4.0"),
        ({"memory_gib": None}, "BMC: memory in GiB: got not told, want at least 4.0"),
        ({"processors": 1}, "BMC: processors: got 1, want at least 2"),
        ({"firmware": {"BIOS": "2.0.9"}}, "BMC: firmware BIOS: got 2.0.9, want 2.1.0"),
        ({"firmware": {}}, "BMC: firmware BIOS: got not there, want 2.1.0"),
        (
            {"log": (*EVENTS, Entry(4, "Critical", "a DIMM failed")), "log_last": 4},
            "BMC: events: got Critical: a DIMM failed, want none worse than Warning since the update began",
        ),
    ],
)
def test_out_of_band_each_want_can_fail(change: dict[str, Any], sentence: str) -> None:
    assert wrong(judged(machine=dataclasses.replace(MACHINE, **change))) == [sentence]


def test_of_the_event_log_only_what_came_since_counts() -> None:
    assert wrong(judged(earlier={LOG: "0"})) == [
        "BMC: events: got Critical: a fan failed last year, want none worse than Warning since the update began"
    ]
    assert judged(earlier={}).unread == ("what the event log of its machine took in since the update began",), "nobody knows since when"
    quiet = dataclasses.replace(MACHINE, log=EVENTS[1:], log_last=3)
    assert judged(machine=quiet, earlier={}).unread, "nor what was there before"
    clean = dataclasses.replace(MACHINE, log=(Entry(1, "OK", "power on"),), log_last=1)
    assert judged(machine=clean, earlier={}).unread == (), "there never was anything"
    assert judged(machine=clean, earlier={LOG: "3"}).unread == (), "nor since it was emptied, as far as it goes"


def test_what_was_wanted_and_not_read_is_unknown_and_no_pass() -> None:
    assert judged(condition=None).unread == ("its condition",)
    assert judged(machine=None).unread == ("its machine: it is silent",)
    assert judge(SPEC, CONDITION, None, SINCE).unread == ("its machine: nobody said where its BMC is",)


def test_nothing_is_asked_of_a_host_of_which_nothing_is_wanted() -> None:
    assert judge(spec.Spec(), None, None, {}) == Verdict()
    assert judge(spec.read({"processors": 2}), CONDITION, None, {}).unread == (), "its BMC is not asked"
    assert judge(spec.read({"bmc": {"processors": 2}}), None, OutOfBandReading(None, MACHINE), {}).unread == (), "nor is it itself"


def test_a_hardware_class_has_a_spec_of_its_own() -> None:
    health = {"default": {"processors": 2}, "big": {"processors": 64}}
    assert [spec.spec_for(health, name).processors for name in ("big", "other", "")] == [64, 2, 2]
    assert spec.spec_for({"big": {"processors": 64}}, "other").empty
    assert spec.spec_for({}, "big").empty


@pytest.mark.parametrize(
    ("record", "why"),
    [
        ({"memory": 5}, "memory is not understood"),
        ({"bmc": {"colour": "red"}}, "colour is not understood"),
        ({"processors": "2"}, "processors: '2' is no number"),
        ({"processors": True}, "processors: True is no number"),
        ({"disks": -1}, "-1 is no number"),
        ({"mounts": {"/": 101}}, "more than 100 percent"),
        ({"services": "sshd"}, "no list of names"),
        ({"bmc": {"health": "Good"}}, "'Good' is none of OK, Warning, Critical"),
    ],
)
def test_a_want_that_nobody_understands_is_refused(record: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match="health spec") as refused:
        spec.read(record)
    assert why in str(refused.value)


def health(wants: spec.Spec, around: Observations) -> Result:
    return verdict.judge(job(step=Step.HEALTH, facts=EARLIER | SINCE, spec=wants), facts(2), around)


def test_the_health_job_judges_by_the_spec_too() -> None:
    seen = Observations(condition=CONDITION, outside=OutOfBandReading(None, MACHINE))
    assert health(SPEC, seen).outcome is Outcome.DONE
    result = health(SPEC, dataclasses.replace(seen, condition=dataclasses.replace(CONDITION, disks=())))
    assert (result.outcome, result.facts["healthy"]) == (Outcome.FAILED, "false")
    assert "disks: got 0, want at least 2" in result.message


def test_a_health_job_that_could_not_read_what_is_wanted_does_not_know() -> None:
    result = health(SPEC, Observations(condition=CONDITION))
    assert result.outcome is Outcome.UNKNOWN
    assert "healthy" not in result.facts
    broken = verdict.judge(job(step=Step.HEALTH, facts=EARLIER, spec=SPEC), facts(2, kernel="6.1"), Observations())
    assert broken.outcome is Outcome.FAILED, "what was read is enough to say that it is not well"


def test_without_a_spec_a_host_is_judged_as_ever() -> None:
    assert health(spec.Spec(), Observations()) == verdict.judge(job(step=Step.HEALTH, facts=EARLIER | SINCE), facts(2))
    assert health(spec.Spec(), Observations()).outcome is Outcome.DONE


def test_a_job_carries_the_spec_of_its_hosts_hardware_class() -> None:
    release = {"name": "2", "channel": "http://c", "packages": {"a": "1"}, "kernel": "k", "health": {"big": WANTED}}
    record = {"id": "i", "grant": "g", "step": "Health", "host": "h", "address": "a", "round": 1, "deadlineSeconds": 9, "release": release}
    assert Job.read({**record, "hardwareClass": "big"}).spec == SPEC
    assert Job.read(record).spec.empty
    assert Job.read({**record, "release": {**release, "health": {}}}).spec.empty


def test_what_a_machine_was_like_is_told_by_the_first_attempt_alone() -> None:
    assert baseline(MACHINE) == {LOG: "3", MEMORY_GIB: "4.0"}
    assert baseline(dataclasses.replace(MACHINE, memory_gib=None, log_last=None)) == baseline(None) == {}
    assert wanted({}, attempt=1)
    assert not wanted({}, attempt=2), "the attempt before may have changed it"
    for told in (LOG, "bootIdBefore", "diagnosis.reachable"):
        assert not wanted({told: "x"}, attempt=1), told
