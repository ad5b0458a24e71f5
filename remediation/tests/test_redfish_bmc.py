"""The client against a real Redfish service, that of the lab, over TLS, and with the faults it has on demand."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from drydock_lab.bmc.faults import Fault
from drydock_lab.bmc.service import SESSIONS_MAX
from drydock_lab.bmc.service import Bmc as Service
from drydock_lab.firmware import Firmware, Medium
from drydock_lab.host import Host, PowerAction
from drydock_lab.json_server import connections
from drydock_remediation.reimage.access import AccessError, BmcAccess, BmcPlace, read_access
from drydock_remediation.reimage.bmc import RedfishBmc, Refused, Unanswered, within
from drydock_remediation.reimage.decide import Do, Reply
from drydock_remediation.reimage.effects import SentEffects, send
from drydock_remediation.reimage.quirks import STANDARD, quirks_of
from drydock_remediation.reimage.session import LockedOut, SessionLost, Silent

from .hostrun.program import wait_until
from .reimage_world import MEDIUM, ORDER

SECONDS, SHORT, SHORTER = 60.0, 1.0, 0.3


class Machine:
    """Stands for a lab host: does what is asked of its power, in `takes` seconds."""

    def __init__(self, folder: Path) -> None:
        self.plan = SimpleNamespace(name="h01", index=1)
        self.folder = SimpleNamespace(path=folder)
        self.running, self.health, self.memory_gib = True, "OK", 4
        self.firmware = Firmware()
        self.events: list[dict[str, object]] = []
        self.asked: list[PowerAction] = []
        self.takes = 0.0

    async def power(self, action: PowerAction) -> None:
        self.asked.append(action)
        await asyncio.sleep(self.takes)
        self.running = action is PowerAction.ON


class Site:
    """One BMC, served from a thread."""

    def __init__(self, folder: Path) -> None:
        self.machine = Machine(folder)
        self.service = Service(cast("Host", self.machine), "drydock", "right")
        password, certificate, key = folder / "password", folder / "certificate.pem", folder / "key.pem"
        password.write_text("right\n")
        new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", str(key), "-out", str(certificate)]
        subject = ["-subj", "/CN=a BMC", "-addext", "subjectAltName=IP:127.0.0.1"]
        subprocess.run(["openssl", "req", "-x509", "-days", "2", *new_key, *subject], check=True, capture_output=True, timeout=30)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)
        self.access = BmcAccess("drydock", password, certificate, {})
        self.port = 0
        self.started = threading.Event()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_until_complete, args=(self._serve(),), daemon=True)
        self.thread.start()
        assert self.started.wait(10)

    async def _serve(self) -> None:
        self.stop = asyncio.Event()
        server = await asyncio.start_server(connections(self.service.answer), "127.0.0.1", 0, ssl=self.context)
        self.port = server.sockets[0].getsockname()[1]
        self.started.set()
        await self.stop.wait()
        server.close()
        # Connections that are kept waiting would be swept up by the collector later, in the middle of anything.
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    def end(self) -> None:
        self.loop.call_soon_threadsafe(self.stop.set)
        self.thread.join(10)

    def client(self, access: BmcAccess | None = None) -> RedfishBmc:
        return RedfishBmc(access or self.access, self.place())

    def place(self, system: str = "", drive: str = "") -> BmcPlace:
        return BmcPlace(f"https://127.0.0.1:{self.port}", system, drive)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = Site(tmp_path)
    yield made
    made.end()


@pytest.fixture
def bmc(site: Site) -> Iterator[RedfishBmc]:
    client = site.client()
    yield client
    client.close()


def test_a_state_is_read_and_effects_change_it(site: Site, bmc: RedfishBmc) -> None:
    state = bmc.read(SECONDS, tasks=True)
    assert (state.power, state.override, state.medium, state.tasks, state.health) == ("On", "Disabled", "", (), "OK")
    site.machine.firmware.medium = Medium(MEDIUM, Path("/x"))
    assert bmc.read(SECONDS, tasks=False).medium == MEDIUM
    assert bmc.act(Do.BOOT_ONCE, ORDER, SECONDS) is Reply.OVER
    state = bmc.read(SECONDS, tasks=False)
    assert (state.override, state.target) == ("Once", "Cd")
    assert bmc.act(Do.CLEAR_BOOT, ORDER, SECONDS) is Reply.OVER
    assert bmc.act(Do.EJECT, ORDER, SECONDS) is Reply.OVER
    state = bmc.read(SECONDS, tasks=False)
    assert (state.override_set, state.medium) == (False, "")
    for do, action in ((Do.SHUT_DOWN, PowerAction.PRESS), (Do.FORCE_OFF, PowerAction.CUT), (Do.POWER_ON, PowerAction.ON)):
        assert bmc.act(do, ORDER, SECONDS) is Reply.OVER
        bmc.read(SECONDS, tasks=True)
        assert site.machine.asked[-1] is action


def test_a_session_is_one_for_all_requests_and_is_closed(site: Site) -> None:
    for _ in range(SESSIONS_MAX + 1):  # one more than it has room for
        client = site.client()
        client.read(SECONDS, tasks=False)
        client.read(SECONDS, tasks=False)
        assert len(site.service.sessions) == 1
        client.close()
    assert site.service.sessions == {}


def test_control_who_leaves_sessions_open_is_shut_out(site: Site) -> None:
    for _ in range(SESSIONS_MAX):
        site.client().read(SECONDS, tasks=False)
    with pytest.raises(Silent, match="8 sessions are open"):
        site.client().read(SECONDS, tasks=False)


def test_no_session_is_left_of_a_discovery_that_failed(site: Site, bmc: RedfishBmc) -> None:
    site.machine.plan.name = "h01"
    site.service.faults.set(Fault.NONE)
    site.machine.firmware = cast("Firmware", None)  # the service breaks while it is looked at
    with pytest.raises(Silent):
        bmc.read(SECONDS, tasks=False)
    assert site.service.sessions == {}


def test_a_wrong_password_is_told_from_a_bmc_that_is_away(site: Site, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong"
    wrong.write_text("wrong")
    with pytest.raises(LockedOut):
        site.client(BmcAccess("drydock", wrong, site.access.ca_file, {})).read(SECONDS, tasks=False)


def test_a_certificate_of_somebody_else_is_not_taken(site: Site, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = Site(tmp_path / "other")
    with pytest.raises(Silent):
        site.client(BmcAccess("drydock", site.access.password_file, other.access.ca_file, {})).read(SECONDS, tasks=False)
    other.end()
    assert site.service.sessions == {}


def test_a_busy_bmc_did_nothing(site: Site, bmc: RedfishBmc) -> None:
    bmc.read(SECONDS, tasks=False)
    site.service.faults.set(Fault.BUSY, 2)
    with pytest.raises(Silent):
        bmc.act(Do.FORCE_OFF, ORDER, SECONDS)
    with pytest.raises(Silent):
        bmc.read(SECONDS, tasks=False)
    assert bmc.read(SECONDS, tasks=False).power == "On"
    assert site.machine.asked == []


@pytest.mark.parametrize(("fault", "done"), [(Fault.HANG, []), (Fault.MUTE, [PowerAction.CUT])])
def test_an_effect_without_an_answer_is_sent_once_and_nobody_says_whether_it_came_about(
    site: Site, bmc: RedfishBmc, fault: Fault, done: list[PowerAction]
) -> None:
    bmc.read(SECONDS, tasks=False)
    site.service.faults.set(fault)
    began = time.monotonic()
    with pytest.raises(Unanswered):
        bmc.act(Do.FORCE_OFF, ORDER, SHORT)
    assert time.monotonic() - began < SECONDS, "it was not waited for any longer"
    assert site.service.faults.hits == 1, "it was sent once"
    site.service.faults.set(Fault.NONE)
    assert bmc.read(SECONDS, tasks=True).power == ("Off" if done else "On")
    assert site.machine.asked == done


def test_an_effect_that_a_lost_session_refused_is_not_sent_again_in_another(site: Site, bmc: RedfishBmc) -> None:
    """Whoever sends it in a new session has to look at its lease and at the machine first: somebody else may have it by now."""
    bmc.read(SECONDS, tasks=False)
    site.service.sessions.clear()
    with pytest.raises(SessionLost):
        bmc.act(Do.FORCE_OFF, ORDER, SECONDS)
    assert (site.service.sessions, site.machine.asked, site.service.tasks) == ({}, [], []), "nobody logged in, nothing was asked"
    assert bmc.read(SECONDS, tasks=True).power == "On"
    assert bmc.act(Do.FORCE_OFF, ORDER, SECONDS) is Reply.OVER
    wait_until(lambda: site.machine.asked == [PowerAction.CUT], "the machine was asked, after the answer")
    assert len(site.service.sessions) == 1


def test_a_bmc_that_drops_session_after_session_is_read_and_told_all_the_same(site: Site, bmc: RedfishBmc) -> None:
    site.service.faults.set(Fault.DROP_SESSIONS)
    for _ in range(4):
        assert bmc.read(SECONDS, tasks=True).power == "On"
    for do in (Do.BOOT_ONCE, Do.CLEAR_BOOT, Do.BOOT_ONCE):
        assert send(bmc, do, ORDER, lambda: SECONDS, "h01") == SentEffects()
        assert bmc.read(SECONDS, tasks=True).override == ("Disabled" if do is Do.CLEAR_BOOT else "Once")
    assert site.service.faults.hits > 3


@pytest.mark.parametrize("left", [1, 2])
def test_a_lease_that_ended_meanwhile_ends_what_a_lost_session_refused(site: Site, bmc: RedfishBmc, left: int) -> None:
    """An operator that wakes learns from the BMC alone that it slept: no session is begun, or nothing is sent in it."""
    times = [SECONDS] * left
    bmc.read(SECONDS, tasks=False)
    site.service.sessions.clear()
    assert send(bmc, Do.FORCE_OFF, ORDER, lambda: times.pop() if times else 0.0, "h01") is None
    assert (len(site.service.sessions), site.machine.asked, site.service.tasks) == (left - 1, [], [])


def test_control_under_a_lease_it_is_sent_again(site: Site, bmc: RedfishBmc) -> None:
    bmc.read(SECONDS, tasks=False)
    site.service.sessions.clear()
    assert send(bmc, Do.FORCE_OFF, ORDER, lambda: SECONDS, "h01") == SentEffects()
    wait_until(lambda: site.machine.asked == [PowerAction.CUT], "the machine was asked, after the answer")


def test_a_flapping_bmc_is_read_all_the_same_and_effects_are_not_repeated(site: Site, bmc: RedfishBmc) -> None:
    site.service.faults.set(Fault.FLAPPING)
    seen, effects = [], 0
    for _ in range(2):
        seen.append(bmc.read(SECONDS, tasks=False).power)
        try:
            bmc.act(Do.POWER_ON, ORDER, SECONDS)
            effects += 1
        except Unanswered:
            continue
    assert seen == ["On"] * 2
    wait_until(lambda: len(site.machine.asked) >= effects, "the machine was asked, after the answers")
    assert len(site.machine.asked) == effects, "what was cut off was not sent again"
    assert site.service.faults.hits > 0
    bmc.close()
    assert site.service.sessions == {}


def test_a_slow_bmc_is_read_to_the_end_and_its_ended_tasks_once(site: Site, bmc: RedfishBmc, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each answer comes in time; all of them together do not."""
    monkeypatch.setattr("drydock_lab.bmc.service.SLOW_SECONDS", 0.1)
    bmc.read(SECONDS, tasks=True)
    monkeypatch.setattr("drydock_remediation.reimage.bmc.ANSWER_SECONDS", 5 * SHORTER)
    for _ in range(3):
        bmc.act(Do.POWER_ON, ORDER, SECONDS)
    site.service.faults.set(Fault.SLOW)
    assert bmc.read(SECONDS, tasks=True).tasks == ()
    assert site.service.faults.hits == 6
    assert bmc.read(SECONDS, tasks=True).tasks == ()
    assert site.service.faults.hits == 9, "the machine, its drive and the list of tasks"
    site.machine.takes = SECONDS
    bmc.act(Do.POWER_ON, ORDER, SECONDS)
    assert len(bmc.read(SECONDS, tasks=True).tasks) == len(bmc.read(SECONDS, tasks=True).tasks) == 1, "one that goes on is read each time"
    with pytest.raises(Silent, match="no whole answer"):
        site.client().read(SHORTER, tasks=True)


@pytest.mark.parametrize("ours", [True, False], ids=["ours", "of somebody else"])
def test_a_task_that_gets_the_number_of_an_ended_one_is_read(site: Site, bmc: RedfishBmc, ours: bool) -> None:
    bmc.read(SECONDS, tasks=True)
    bmc.act(Do.POWER_ON, ORDER, SECONDS)
    assert bmc.read(SECONDS, tasks=True).tasks == ()
    site.service.tasks, site.service._begun = [], 0
    other = bmc if ours else site.client()
    if not ours:
        assert bmc.read(SECONDS, tasks=True).tasks == (), "its list is empty meanwhile"
        other.read(SECONDS, tasks=False)
    site.machine.takes = SECONDS
    other.act(Do.POWER_ON, ORDER, SECONDS)
    assert len(bmc.read(SECONDS, tasks=True).tasks) == 1
    other.close()


def test_a_session_that_is_still_used_by_whoever_was_given_up_is_left_to_it(
    site: Site, bmc: RedfishBmc, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("drydock_lab.bmc.service.SLOW_SECONDS", 0.6)
    bmc.read(SECONDS, tasks=False)
    (first,) = site.service.sessions
    site.service.faults.set(Fault.SLOW)
    with pytest.raises(Silent, match="no whole answer"):
        bmc.read(SHORT, tasks=False)
    site.service.faults.set(Fault.NONE)
    assert bmc.read(SECONDS, tasks=False).power == "On"
    assert set(site.service.sessions) - {first}, "it goes on in another"
    wait_until(lambda: first not in site.service.sessions, "whoever was given up logs out")
    bmc.close()
    assert site.service.sessions == {}


def test_a_bmc_that_does_not_answer_is_given_up_before_the_time_for_all_its_answers(
    site: Site, bmc: RedfishBmc, monkeypatch: pytest.MonkeyPatch
) -> None:
    bmc.read(SECONDS, tasks=True)
    monkeypatch.setattr("drydock_remediation.reimage.bmc.ANSWER_SECONDS", SHORTER)
    monkeypatch.setattr("drydock_remediation.reimage.bmc.LOGOUT_SECONDS", SHORTER)
    site.service.faults.set(Fault.HANG)
    began = time.monotonic()
    with pytest.raises(Silent, match="GET"):
        bmc.read(SECONDS, tasks=True)
    bmc.close()
    assert time.monotonic() - began < SECONDS


def test_what_a_bmc_refuses_it_did_not_do(site: Site, bmc: RedfishBmc) -> None:
    bmc.read(SECONDS, tasks=False)
    site.machine.firmware.medium = Medium("http://other", Path("/x"))
    with pytest.raises(Refused, match="409 there is a medium in the drive already"):
        bmc.act(Do.INSERT, ORDER, SECONDS)


def test_what_comes_late_is_given_up_and_put_away() -> None:
    gate, late = threading.Event(), threading.Event()

    def slow() -> str:
        gate.wait(20)
        return "session"

    with pytest.raises(Silent):
        within(0.05, slow, late=lambda got: late.set() if got == "session" else None)
    gate.set()
    assert late.wait(10)
    assert within(20, lambda: "in time", late=lambda _: late.clear()) == "in time"
    assert late.is_set()


@pytest.mark.parametrize(
    ("names", "vendor", "target"),
    [
        (("Dell", None), "Dell", "Cd"),
        ((None, "Dell Inc."), "Dell", "Cd"),
        (("HPE", "x"), "HPE", "Cd"),
        (("", "Supermicro"), "Supermicro", "UsbCd"),
        (("Drydock Lab", None), "standard", "Cd"),
    ],
)
def test_vendors_by_their_names(names: tuple[object, ...], vendor: str, target: str) -> None:
    quirks = quirks_of(*names)
    assert (quirks.vendor, quirks.boot_target) == (vendor, target)
    assert quirks.boot_once()["Boot"]["BootSourceOverrideTarget"] == target
    assert ("BootSourceOverrideMode" in quirks.boot_once()["Boot"]) == bool(quirks.boot_mode)


def test_a_stranger_is_of_the_standard() -> None:
    assert quirks_of("nobody", None) is STANDARD


def test_the_access_file_is_judged_as_a_whole(tmp_path: Path) -> None:
    file = tmp_path / "bmc.json"
    file.write_text('{"user": "u", "passwordFile": "/none/p", "caFile": "/none/c", "bmcs": {"h01": {"url": "http://10.0.0.1"}}}')
    with pytest.raises(AccessError) as raised:
        read_access(file)
    assert all(word in str(raised.value) for word in ("/none/p", "/none/c", "'http://10.0.0.1' for h01"))
    file.write_text("{}")
    with pytest.raises(AccessError, match="must be"):
        read_access(file)
