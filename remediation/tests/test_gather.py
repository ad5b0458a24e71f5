"""What was read becomes facts, and the sentences that others write are those the signatures know."""

from __future__ import annotations

import dataclasses

import pytest

from drydock_remediation.facts import HostFacts
from drydock_remediation.health.baseline import LOG, MEMORY_GIB
from drydock_remediation.health.condition import Condition, Mount
from drydock_remediation.health.machine import Asked, Entry, Machine, OutOfBandReading
from drydock_remediation.observations import Observations
from drydock_remediation.records import Job, Repair, Step
from drydock_remediation.reimage.decide import Deadlines, Order, Past, next_step
from drydock_remediation.reimage.facts import OFF, BmcState, View
from drydock_remediation.task_reports import TaskReports
from drydock_remediation.triage.facts import KINDS, Facts
from drydock_remediation.triage.gather import gather, ssh
from drydock_remediation.triage.triage import triage
from drydock_remediation.update import conclude

from .fakes import facts, job

MOUNTS = {"/": Mount(40, writable=True), "/usr": Mount(0, writable=False)}
WELL = Condition(4000, 2, MOUNTS, {}, ("vda",), {"web": "running"})
MACHINE = Machine("On", "OK", 4.0, "OK", 2, "OK", {}, (Entry(1, "OK", "power on"), Entry(2, "OK", "power off")), 2)
# As OpenSSH 9.2 and Ansible said them.
SSH_SAID = {
    "silent": "Failed to connect to the host via ssh: ssh: connect to host 10.0.0.2 port 22: Connection timed out",
    "refused": "Failed to connect to the host via ssh: ssh: connect to host 10.0.0.2 port 22: Connection refused",
    "noRoute": "ssh: connect to host 10.0.0.2 port 22: No route to host",
    "noBanner": "Connection timed out during banner exchange\r\nConnection to 10.0.0.2 port 22 timed out",
    "wrongKey": "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\r\nHost key verification failed.",
    "denied": "root@10.0.0.2: Permission denied (publickey).",
    "cut": "kex_exchange_identification: read: Connection reset by peer",
}


def asked(found: HostFacts | None, around: Observations = Observations(), **earlier: str) -> Facts:  # noqa: B008 - it is frozen
    return gather(diagnose(**earlier), found, around)


def diagnose(**earlier: str) -> Job:
    return job("h02", Step.REPAIR, repair=Repair.DIAGNOSE, facts={name.replace("_", "."): text for name, text in earlier.items()})


def outside(machine: Machine | None = MACHINE, asked: Asked | None = None) -> Observations:
    return Observations(outside=OutOfBandReading(asked, machine))


@pytest.mark.parametrize(("state", "says"), SSH_SAID.items())
def test_what_ssh_says_tells_what_became_of_the_connection(state: str, says: str) -> None:
    assert ssh(says) == state
    assert asked(None, Observations(TaskReports("unreachable", err=says)))["ssh"] == state


def test_words_nobody_knows_tell_nothing() -> None:
    assert "ssh" not in asked(None, Observations(TaskReports("unreachable", err="the cat sat on the cable")))
    assert "ssh" not in asked(None), "nobody asked"


def test_a_host_that_answers_and_cannot_be_read_says_why() -> None:
    found = asked(None, Observations(TaskReports("failed", err="the host could not be read: [Errno 28] No space left on device: '/tmp/x'")))
    assert found["ssh"] == "answers"
    assert triage(found).name == "disk-full"


def test_nothing_that_was_not_read_is_a_fact() -> None:
    assert asked(None) == {}
    assert not {"disk.freePercent", "services.down", "boot.since", "memory.percent", "sel.since", "power"} & set(asked(facts(2)))


def test_facts_are_those_that_signatures_know() -> None:
    full = Observations(TaskReports("ok", facts=facts(2)), WELL, OutOfBandReading(Asked(6, 6, 0.1), MACHINE))
    earlier = {"failure_step": "Health", "failure_says": "x", "bootIdBefore": "b", LOG: "1", MEMORY_GIB: "4.0"}
    found = asked(facts(2), full, **earlier)
    assert set(found) == set(KINDS) - {"reading.says"}
    assert all(isinstance(fact, KINDS[name].type) for name, fact in found.items())
    assert triage(found).name == "unknown", "nothing is the matter with it"


def test_the_fullest_is_of_what_can_be_written_to() -> None:
    found = asked(facts(2), with_mount("/data"))
    assert (found["disk.fullest"], found["disk.freePercent"]) == ("/data", 0)
    assert triage(found).name == "disk-full"


@pytest.mark.parametrize("place", ["/srv/backup", "/data/media", "/home", "/mnt/shared", "/var/lib/docker/overlay2/x/merged"])
def test_a_full_file_system_that_packages_do_not_need_is_not_the_matter(place: str) -> None:
    found = asked(facts(2), with_mount(place), failure_step="Update", failure_says="h02: apt-get ended with 100")
    assert (found["disk.fullest"], found["disk.freePercent"]) == ("/", 40)
    assert triage(found).name == "unknown"


@pytest.mark.parametrize("place", ["/var", "/boot", "/var/cache/apt", "/tmp", "/data/drydock"])
def test_control_one_that_they_need_is(place: str) -> None:
    assert triage(asked(facts(2), with_mount(place))).name == "disk-full"


def test_of_a_file_system_that_does_not_answer_nothing_is_known() -> None:
    silent = dataclasses.replace(WELL, silent=("/var",))
    assert asked(facts(2), Observations(condition=silent))["disk.fullest"] == "/"


def with_mount(place: str) -> Observations:
    return Observations(condition=dataclasses.replace(WELL, mounts={**WELL.mounts, place: Mount(0, writable=True)}))


@pytest.mark.parametrize(
    ("services", "down"), [({"web": "running"}, ""), ({"web": "restarting"}, "web restarting"), ({"web": "absent"}, None), ({}, None)]
)
def test_an_application_nobody_knows_is_not_called_down(services: dict[str, str], down: str | None) -> None:
    assert asked(facts(2), Observations(condition=dataclasses.replace(WELL, services=services))).get("services.down") == down


def test_memory_is_held_against_what_was_there_before() -> None:
    assert asked(None, outside(dataclasses.replace(MACHINE, memory_gib=2.0)), **{MEMORY_GIB: "4.0"})["memory.percent"] == 50
    assert "memory.percent" not in asked(None, outside()), "nobody knows what there was before"


def test_the_event_log_counts_from_the_update_on() -> None:
    assert asked(None, outside(), **{LOG: "1"})["sel.since"] == "power off"
    assert asked(None, outside(), **{LOG: "2"})["sel.since"] == ""
    assert "sel.since" not in asked(None, outside()), "nobody knows since when"
    assert "sel.since" not in asked(None, outside(), **{LOG: "7"}), "it was emptied since"


def test_a_reboot_that_never_returned_is_told_in_the_words_of_the_update() -> None:
    told = {
        "fence": TaskReports("ok", 0),
        "before": TaskReports("ok", facts=facts(1)),
        "reboot": TaskReports("ok", 0),
        "await": TaskReports("failed", 1, err="10.0.0.2 did not come back with a new boot id within 300.0 s"),
    }
    says = conclude(job(), told).message
    found = asked(None, Observations(TaskReports("unreachable", err=SSH_SAID["refused"])), failure_step="Update", failure_says=says)
    assert triage(found).name == "reboot-never-returned"


def test_a_failed_installer_is_told_in_the_words_of_the_re_image() -> None:
    medium = "http://10.0.0.1/media/2.tar"
    past = Past(0.0, settled=True, kept=True, installs=2)
    step = next_step(View(BmcState(OFF, "Disabled", "None", medium), None), past, Order(medium, "2.0"), Deadlines(), 100.0)
    assert triage(asked(None, failure_step="Update", failure_says=f"h02: {step.why}")).name == "failed-installer"


def test_a_silent_bmc_is_told_in_the_words_of_the_re_image() -> None:
    step = next_step(View(None, None), Past(0.0, silent_since=0.0), Order("m", "2.0"), Deadlines(), 400.0)
    dead = Observations(outside=OutOfBandReading(Asked(3, 0, None), None, "its BMC answered none of 3 questions"))
    assert triage(asked(facts(1), dead, failure_step="Update", failure_says=f"h02: {step.why}")).name == "bmc-down"
    assert triage(asked(facts(1), dead)).name == "unknown", "the control: nobody needed it"
