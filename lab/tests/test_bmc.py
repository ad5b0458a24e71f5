"""A BMC as its clients see it, on a machine that is only written down."""

import asyncio
import itertools
from collections.abc import Coroutine
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar, cast

import pytest

from drydock_lab.bmc import service
from drydock_lab.bmc.faults import Fate, Fault, Faults
from drydock_lab.bmc.resources import FIRMWARE
from drydock_lab.bmc.service import Bmc
from drydock_lab.firmware import Firmware, Medium, Override, Target
from drydock_lab.host import Host, PowerAction
from drydock_lab.json_server import Answer, Hangup, Request

SYSTEM = "/redfish/v1/Systems/h01"
CD = f"{SYSTEM}/VirtualMedia/Cd"
RESET = f"{SYSTEM}/Actions/ComputerSystem.Reset"
URL = "http://images/2.tar"
Result = TypeVar("Result")


class Machine:
    """Stands for a host: notes what was asked of its power."""

    def __init__(self, folder: Path) -> None:
        self.plan = SimpleNamespace(name="h01", index=1)
        self.folder = SimpleNamespace(path=folder)
        self.running, self.health, self.memory_gib = True, "OK", 4
        self.firmware = Firmware()
        self.events: list[dict[str, Any]] = [{"at": 0.0, "event": "power on", "severity": "OK"}]
        self.asked: list[PowerAction] = []
        self.busy = asyncio.Event()

    async def power(self, action: PowerAction) -> None:
        self.asked.append(action)
        await self.busy.wait()
        self.running = action in (PowerAction.ON, PowerAction.RESET)


class Caller:
    """A client with a session, and what it is answered."""

    def __init__(self, bmc: Bmc, token: str = "") -> None:
        self.bmc = bmc
        self.token = token

    async def log_in(self) -> "Caller":
        answer = await self("POST", "/redfish/v1/SessionService/Sessions", UserName="drydock", Password="right")
        assert answer.status == 201, answer
        return Caller(self.bmc, answer.headers["X-Auth-Token"])

    async def __call__(self, method: str, path: str, **body: Any) -> Answer:
        return await asyncio.wait_for(self.bmc.answer(Request(method, path, {"x-auth-token": self.token}, body)), 0.5)

    async def system(self) -> Any:
        return (await self("GET", SYSTEM)).document


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture
def caller(machine: Machine) -> Caller:
    return Caller(Bmc(cast("Host", machine), "drydock", "right"))


def run(story: Coroutine[Any, Any, Result]) -> Result:
    return asyncio.run(story)


def test_only_the_root_is_shown_without_a_session_and_a_closed_one_is_none(caller: Caller) -> None:
    async def story() -> None:
        assert (await caller("GET", "/redfish/v1/")).document["Links"]["Sessions"]["@odata.id"]
        assert (await caller("GET", SYSTEM)).status == 401
        refused = await caller("POST", "/redfish/v1/SessionService/Sessions", UserName="drydock", Password="wrong")
        assert refused.status == 401
        inside = await caller.log_in()
        assert (await inside("GET", SYSTEM)).status == 200
        [session] = (await inside("GET", "/redfish/v1/SessionService/Sessions")).document["Members"]
        assert (await inside("DELETE", session["@odata.id"])).status == 204
        assert (await inside("GET", SYSTEM)).status == 401

    run(story())


def test_who_never_logs_out_is_shut_out_at_last(caller: Caller) -> None:
    async def story() -> None:
        for _ in range(service.SESSIONS_MAX):
            await caller.log_in()
        answer = await caller("POST", "/redfish/v1/SessionService/Sessions", UserName="drydock", Password="right")
        assert (answer.status, answer.document["error"]["code"].rpartition(".")[2]) == (503, "SessionLimitExceeded")

    run(story())


def test_a_session_that_is_not_used_is_closed(machine: Machine) -> None:
    now = [100.0]
    caller = Caller(Bmc(cast("Host", machine), "drydock", "right", lambda: now[0]))

    async def story() -> None:
        kept, left = await caller.log_in(), await caller.log_in()
        for _ in range(3):
            now[0] += service.SESSION_SECONDS / 2
            assert (await kept("GET", SYSTEM)).status == 200
        assert (await left("GET", SYSTEM)).status == 401

    run(story())


def test_the_lab_tells_what_a_machine_would_boot_and_how_often_a_fault_was_met_whatever_its_bmc_answers(
    caller: Caller, machine: Machine, tmp_path: Path
) -> None:
    async def story() -> None:
        bmc = caller.bmc
        assert bmc.tells() == {"medium": None, "override": "Disabled", "bmcFaultHits": 0}
        machine.firmware = Firmware(Override.ONCE, Target.CD, Medium(URL, tmp_path / "medium.tar"))
        bmc.faults.set(Fault.BUSY)
        assert (await caller("GET", SYSTEM)).status == 503
        assert bmc.tells() == {"medium": URL, "override": "Once", "bmcFaultHits": 1}

    run(story())


def test_a_reset_is_answered_at_once_and_its_task_runs_until_the_machine_did_it(caller: Caller, machine: Machine) -> None:
    async def story() -> None:
        inside = await caller.log_in()
        assert (await inside("POST", RESET, ResetType="ForceOff")).status == 204
        await asyncio.sleep(0)
        [task] = (await inside("GET", "/redfish/v1/TaskService/Tasks")).document["Members"]
        assert (await inside("GET", task["@odata.id"])).document["TaskState"] == "Running"
        assert (await inside.system())["PowerState"] == "On"
        machine.busy.set()
        await asyncio.sleep(0.01)
        assert (await inside("GET", task["@odata.id"])).document["TaskState"] == "Completed"
        assert (await inside.system())["PowerState"] == "Off"
        assert (await inside("POST", RESET, ResetType="Nmi")).status == 400
        assert machine.asked == [PowerAction.CUT]

    run(story())


def test_graceful_shutdown_only_presses_the_button(caller: Caller, machine: Machine) -> None:
    async def story() -> None:
        inside = await caller.log_in()
        await inside("POST", RESET, ResetType="GracefulShutdown")
        await asyncio.sleep(0)

    run(story())
    assert machine.asked == [PowerAction.PRESS]


def test_the_override_is_kept_until_a_boot_uses_it_up(caller: Caller, machine: Machine) -> None:
    async def story() -> None:
        inside = await caller.log_in()
        machine.firmware.medium = Medium(URL, Path("/x"))
        boot = {"BootSourceOverrideEnabled": "Once", "BootSourceOverrideTarget": "Cd"}
        assert (await inside("PATCH", SYSTEM, Boot=boot)).status == 204
        assert {key: (await inside.system())["Boot"][key] for key in boot} == boot
        assert machine.firmware.boot() == machine.firmware.medium
        assert (await inside.system())["Boot"]["BootSourceOverrideEnabled"] == "Disabled"
        assert machine.firmware.boot() is None
        assert (await inside("PATCH", SYSTEM, Boot={"BootSourceOverrideTarget": "Teapot"})).status == 400
        assert (await inside("PATCH", SYSTEM)).status == 400

    run(story())


def test_a_continuous_override_boots_the_medium_again_and_again() -> None:
    firmware = Firmware(Override.CONTINUOUS, Target.CD, Medium(URL, Path("/x")))
    assert [firmware.boot(), firmware.boot()] == [firmware.medium, firmware.medium]
    firmware.medium = None
    assert firmware.boot() is None, "an empty drive boots nothing"


def test_a_medium_is_read_when_it_is_inserted_and_there_is_one_at_a_time(
    caller: Caller, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fetch(url: str, file: Path) -> None:
        if url != URL:
            raise OSError("not found")
        file.write_text("bytes")

    monkeypatch.setattr(service, "_fetch", fetch)

    async def story() -> None:
        inside = await caller.log_in()
        insert, eject = f"{CD}/Actions/VirtualMedia.InsertMedia", f"{CD}/Actions/VirtualMedia.EjectMedia"
        assert (await inside("POST", insert, Image="http://images/none.tar")).status == 500
        assert (await inside("GET", CD)).document["Inserted"] is False
        assert (await inside("POST", insert, Image=URL)).status == 204
        drive = (await inside("GET", CD)).document
        assert (drive["Inserted"], drive["Image"]) == (True, URL)
        assert machine.firmware.medium is not None and machine.firmware.medium.file.read_text() == "bytes"
        assert (await inside("POST", insert, Image=URL)).status == 409
        assert (await inside("POST", eject)).status == 204
        assert (await inside("GET", CD)).document["Inserted"] is False

    run(story())


def test_health_rolls_up_and_events_are_entries_of_the_log(caller: Caller, machine: Machine) -> None:
    async def story() -> None:
        inside = await caller.log_in()
        machine.health = "Critical"
        assert (await inside.system())["Status"]["HealthRollup"] == "Critical"
        [entry] = (await inside("GET", f"{SYSTEM}/LogServices/SEL/Entries")).document["Members"]
        assert (entry["Message"], entry["Severity"]) == ("power on", "OK")
        [log] = (await inside("GET", f"{SYSTEM}/LogServices")).document["Members"]
        assert (await inside("GET", log["@odata.id"])).document["Entries"] == {"@odata.id": f"{SYSTEM}/LogServices/SEL/Entries"}

    run(story())


def test_a_machine_tells_its_memory_and_the_versions_of_its_firmware(caller: Caller, machine: Machine) -> None:
    async def story() -> None:
        inside = await caller.log_in()
        machine.memory_gib = 2
        assert (await inside.system())["MemorySummary"]["TotalSystemMemoryGiB"] == 2
        listed = (await inside("GET", "/redfish/v1/UpdateService/FirmwareInventory")).document["Members"]
        found = [(await inside("GET", one["@odata.id"])).document for one in listed]
        assert {one["Id"]: one["Version"] for one in found} == FIRMWARE

    run(story())


def test_faults_of_the_bmc_as_its_client_meets_them(caller: Caller, machine: Machine) -> None:
    async def story() -> None:
        inside = await caller.log_in()
        faults = inside.bmc.faults
        faults.set(Fault.BUSY, 2)
        assert [(await inside("GET", SYSTEM)).status for _ in range(3)] == [503, 503, 200]
        faults.set(Fault.HANG)
        with pytest.raises(TimeoutError):
            await inside("POST", RESET, ResetType="ForceOff")
        assert machine.asked == []
        faults.set(Fault.MUTE)
        with pytest.raises(TimeoutError):
            await inside("POST", RESET, ResetType="ForceOff")
        assert machine.asked == [PowerAction.CUT], "done, and never said"
        assert (await inside("GET", SYSTEM)).status == 200
        faults.set(Fault.FLAPPING)
        assert (await inside("GET", SYSTEM)).status == (await inside("GET", SYSTEM)).status == 200
        with pytest.raises(Hangup):
            await inside("GET", SYSTEM)
        faults.set(Fault.DROP_SESSIONS)
        assert [(await inside("GET", SYSTEM)).status for _ in range(4)] == [200, 200, 401, 401]

    run(story())


@pytest.mark.parametrize("kind", [Fault.BUSY, Fault.HANG, Fault.SLOW, Fault.FLAPPING])
def test_a_mended_bmc_serves_everything(kind: Fault) -> None:
    faults = Faults()
    faults.set(kind)
    assert Fate.SERVED not in {faults.meet(changes=True, in_session=True) for _ in range(4)} or kind is Fault.FLAPPING
    assert faults.hits > 0
    faults.set(Fault.NONE)
    assert {faults.meet(changes=True, in_session=True) for _ in range(8)} == {Fate.SERVED}


def test_what_a_flapping_bmc_loses_follows_no_rhythm_and_a_second_try_is_answered() -> None:
    faults = Faults()
    faults.set(Fault.FLAPPING)
    answered = [faults.meet(changes=False, in_session=True) is Fate.SERVED for _ in range(600)]
    assert 0.55 < sum(answered) / len(answered) < 0.67
    assert all(one or other for one, other in itertools.pairwise(answered))
    for rhythm in range(2, 8):
        assert {True, False} == set(answered[::rhythm]), f"of every request number {rhythm} some arrive"
