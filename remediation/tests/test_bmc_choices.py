"""A BMC with several machines or drives: one is named, or it is said at once which there are."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from drydock_lab.bmc import resources
from drydock_remediation.boot_clock import boot_clock
from drydock_remediation.health.redfish import RedfishMachineReader
from drydock_remediation.jobset import ClaimedWork
from drydock_remediation.lease import Lease
from drydock_remediation.records import Claim, Mend, Outcome
from drydock_remediation.reimage.access import AccessError, BmcAccess, read_access
from drydock_remediation.reimage.bmc import RedfishBmc
from drydock_remediation.reimage.decide import Do
from drydock_remediation.reimage.facts import ON
from drydock_remediation.reimage.run import Reimaging
from drydock_remediation.reimage.session import Ambiguous
from drydock_remediation.repairs.power_cycle import PowerCycling

from .fakes import FakeBoard
from .reimage_world import MEDIUM, ORDER, ORDERED, PATIENCE, SimulatedHost, SimulatedMachine, reimage_job
from .test_power_cycle import cycle_job
from .test_redfish_bmc import SECONDS, Site, site

__all__ = ["site"]  # a fixture
SYSTEMS, SECOND, DRIVES = "/redfish/v1/Systems", "/redfish/v1/Systems/h02", "/redfish/v1/Systems/h01/VirtualMedia"
Resource = Callable[..., dict[str, Any] | None]


def shows(monkeypatch: pytest.MonkeyPatch, collection: str, member: str, document: Callable[[Resource], dict[str, Any]]) -> None:
    """The service of the lab with one resource more."""
    real = resources.resource

    def resource(path: str, *others: Iterable[Any]) -> dict[str, Any] | None:
        if path == member:
            return document(lambda one: real(one, *others))  # type: ignore[arg-type]
        shown = real(path, *others)  # type: ignore[arg-type]
        if path == collection and shown is not None:
            shown["Members"].append({"@odata.id": member})
        return shown

    monkeypatch.setattr(resources, "resource", resource)


@pytest.fixture
def two_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    def second(real: Resource) -> dict[str, Any]:
        return {**(real(f"{SYSTEMS}/h01") or {}), "@odata.id": SECOND, "PowerState": "Off"}

    shows(monkeypatch, SYSTEMS, SECOND, second)


@pytest.fixture
def two_drives(monkeypatch: pytest.MonkeyPatch) -> None:
    def second(real: Resource) -> dict[str, Any]:
        return {**(real(f"{DRIVES}/Cd") or {}), "@odata.id": f"{DRIVES}/Cd2", "Inserted": True, "Image": "http://another/medium"}

    shows(monkeypatch, DRIVES, f"{DRIVES}/Cd2", second)


def test_of_two_systems_the_named_one_is_meant(site: Site, two_systems: None) -> None:
    for name, power in (("h01", "On"), ("h02", "Off")):
        bmc = RedfishBmc(site.access, site.place(system=name))
        assert bmc.describe(SECONDS).power == power
        bmc.close()


def test_of_two_drives_the_named_one_is_meant(site: Site, two_drives: None) -> None:
    bmc = RedfishBmc(site.access, site.place(drive="Cd"))
    assert bmc.read(SECONDS, tasks=False).medium == ""
    bmc.act(Do.EJECT, ORDER, SECONDS)
    bmc.close()
    other = RedfishBmc(site.access, site.place(drive="Cd2"))
    assert other.read(SECONDS, tasks=False).medium == "http://another/medium"
    other.close()


@pytest.mark.parametrize(("system", "says"), [("", "nobody said which is meant"), ("h07", "not 'h07'")])
def test_which_of_two_systems_is_asked_for_at_once(site: Site, two_systems: None, system: str, says: str) -> None:
    bmc = RedfishBmc(site.access, site.place(system=system))
    with pytest.raises(Ambiguous, match=f"has h01, h02 for a system, and {says}") as raised:
        bmc.describe(SECONDS)
    assert "name one of them as `system` of this machine" in str(raised.value)
    assert not site.service.sessions, "no session is left"


def test_which_of_two_drives_is_asked_for_at_once_and_only_by_who_needs_one(site: Site, two_drives: None) -> None:
    bmc = RedfishBmc(site.access, site.place())
    assert bmc.describe(SECONDS).power == "On"
    with pytest.raises(Ambiguous, match="has Cd, Cd2 for a drive, and nobody said which is meant"):
        bmc.read(SECONDS, tasks=False)
    bmc.close()


def test_control_of_one_each_none_need_be_named(site: Site) -> None:
    bmc = RedfishBmc(site.access, site.place())
    assert (bmc.read(SECONDS, tasks=False).power, bmc.describe(SECONDS).power) == (ON, "On")
    bmc.close()


def work(job: Any) -> ClaimedWork:
    claim = Claim(job, "claim", 1, "1.17.3.1", 60, boot_clock())
    return ClaimedWork(claim, Lease(FakeBoard(), claim))


def test_a_re_image_and_a_power_cycle_say_so_at_once_and_touch_nothing(site: Site, two_drives: None) -> None:
    world, stopping = SimulatedMachine(), threading.Event()
    ends = (
        Reimaging(work(reimage_job()), ORDERED, SimulatedHost(world), RedfishBmc(site.access, site.place()), stopping, PATIENCE).run(),
        PowerCycling(work(cycle_job()), SimulatedHost(world), RedfishBmc(site.access, site.place()), stopping, PATIENCE).run(),
    )
    for result in ends:
        assert result is not None and "nobody said which is meant" in result.message
        assert (result.outcome, result.begun, result.mend, result.cause) == (Outcome.FAILED, False, Mend.PEOPLE, "bmc-unusable")
    assert site.machine.asked == [] and world.sent == []


def test_a_look_says_so_too(site: Site, two_systems: None) -> None:
    access = BmcAccess("drydock", site.access.password_file, site.access.ca_file, {"h01": site.place()})
    seen = RedfishMachineReader(access).look("h01", asks=0)
    assert seen is not None and seen.machine is None and "h01, h02" in seen.why


def test_what_an_entry_names_is_judged_at_start(tmp_path: Path) -> None:
    password, file = tmp_path / "p", tmp_path / "bmc.json"
    password.write_text("x")
    head = f'{{"user": "u", "passwordFile": "{password}", "caFile": "{password}", "bmcs": {{"h01": '
    file.write_text(head + '{"url": "https://10.0.0.1", "system": "1", "drive": "CD1"}}}')
    assert read_access(file).places["h01"].drive == "CD1"
    file.write_text(head + '{"url": "https://10.0.0.1", "system": "Systems/1"}}}')
    with pytest.raises(AccessError, match="system 'Systems/1' for h01, which is not the last part"):
        read_access(file)
    file.write_text(head + '{"url": "https://10.0.0.1", "drvie": "CD1"}}}')
    with pytest.raises(AccessError, match="drvie is not understood"):
        read_access(file)
    assert MEDIUM.startswith("http")
