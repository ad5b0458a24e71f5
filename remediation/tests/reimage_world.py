"""A machine with its BMC and its system, in memory: what a re-image is decided about, without waiting for anything."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from drydock_remediation.health.machine import Machine
from drydock_remediation.records import Job, Release
from drydock_remediation.reimage.bmc import Refused, Unanswered
from drydock_remediation.reimage.decide import Deadlines, Do, Order, Reply
from drydock_remediation.reimage.facts import OFF, ON, BmcState, Earlier, HostState, Kept, Proof
from drydock_remediation.reimage.host import NoAnswer
from drydock_remediation.reimage.session import Silent

from .fakes import RELEASE, facts, job

MEDIUM = "http://10.0.0.1:8080/media/2-apt.tar"
ORDERED = dataclasses.replace(RELEASE, image=MEDIUM, image_version="2.0")
ORDER = Order(MEDIUM, "2.0")
PATIENCE = Deadlines(look=0.0, settle=12.0, shutdown=60.0, install=900.0, bmc=300.0, effect=30.0)


def reimage_job(release: Release = ORDERED, **changes: Any) -> Job:
    return dataclasses.replace(job("h02"), **{"mode": "Reimage", "release": release, "deadline_seconds": 7200, **changes})


@dataclass
class SimulatedMachine:
    """Time passes by the looks at it: each look at the BMC is a second."""

    now: float = 1000.0
    power: str = ON
    override: str = "Disabled"
    target: str = "None"
    medium: str = ""
    system: tuple[str, str] | None = ("old", "1.0")  # machine id and image version of what is on the main partition
    boots: int = 1
    facts: dict[str, str] = field(default_factory=dict)  # what the board was told of it, by notes and results
    kept: dict[int, Kept] = field(default_factory=dict)  # by round
    data: str = "data"
    busy_until: float = 0.0  # no system answers before
    down_at: float | None = None  # when the shutdown in order is through
    shows_on_at: float = 0.0  # a BMC shows its machine on some time after it was started
    sent: list[Do] = field(default_factory=list)
    tasks: tuple[str, ...] = ()
    # What goes otherwise than it should.
    tells_nothing: bool = False
    ignores_button: bool = False
    ignores_override: bool = False
    installer_fails: int = 0
    installer_hangs: int = 0
    silent_until: float = 0.0
    loses_data: bool = False
    empties_data: bool = False
    brings: str = "2.0"  # the version of what is installed
    installed: int = 0
    unanswered: Callable[[Do], bool] = lambda _: False
    lost: Callable[[Do], bool] = lambda _: False
    refused: Callable[[Do], str] = lambda _: ""

    def clock(self) -> float:
        return self.now

    def tick(self) -> None:
        self.now += 1
        if self.down_at is not None and self.now >= self.down_at:
            self.power, self.down_at = OFF, None

    @property
    def answers(self) -> bool:
        return self.power == ON and self.now >= max(self.busy_until, self.shows_on_at) and self.system is not None

    def boot(self) -> None:
        self.power, self.busy_until, self.shows_on_at = ON, self.now + 5, self.now + 4
        self.boots += 1
        if self.override == "Disabled" or self.target != "Cd" or self.ignores_override or not self.medium:
            if self.system is None:
                self.power = OFF  # no operating system
            return
        self.override, self.target = "Disabled", "None"
        self.system = None
        if self.installer_fails:
            self.installer_fails, self.power = self.installer_fails - 1, OFF
        elif self.installer_hangs:
            self.installer_hangs, self.busy_until = self.installer_hangs - 1, float("inf")
        else:
            self.installed += 1
            self.system, self.busy_until = (f"new-{self.installed}", self.brings), self.now + 30
            self.boots += 1
            if self.loses_data or self.empties_data:
                self.data = "other"
            if self.empties_data:
                self.kept.clear()

    def once_done(self, after: Do, then: Callable[[], None]) -> None:
        """Something happens each time that it has done that."""
        done = self.do

        def do(what: Do) -> None:
            done(what)
            if what is after:
                then()

        self.do = do  # type: ignore[method-assign,assignment]

    def do(self, do: Do) -> None:
        match do:
            case Do.INSERT:
                assert self.medium == "", "a drive takes one medium"
                self.medium = MEDIUM
            case Do.EJECT:
                self.medium = ""
            case Do.BOOT_ONCE:
                self.override, self.target = "Once", "Cd"
            case Do.CLEAR_BOOT:
                self.override, self.target = "Disabled", "None"
            case Do.SHUT_DOWN if self.answers and not self.ignores_button:
                self.down_at = self.now + 3
            case Do.FORCE_OFF:
                self.power, self.down_at = OFF, None
            case Do.POWER_ON if self.power == OFF:
                self.boot()


@dataclass
class SimulatedBmc:
    world: SimulatedMachine
    closed: int = 0

    def read(self, seconds: float, *, tasks: bool) -> BmcState:
        world = self.world
        world.tick()
        if world.now < world.silent_until:
            raise Silent("503")
        power = OFF if world.now < world.shows_on_at else world.power
        return BmcState(power, world.override, world.target, world.medium, world.tasks if tasks else ())

    def describe(self, seconds: float) -> Machine:
        if self.world.tells_nothing:
            raise Silent("503")
        return Machine("On", "OK", 4.0, log_last=self.world.boots)

    def act(self, do: Do, order: Order, seconds: float) -> Reply:
        world = self.world
        if text := world.refused(do):
            raise Refused(text)
        world.sent.append(do)
        if world.lost(do):
            raise Unanswered("lost on the way there")
        world.do(do)
        if world.unanswered(do):
            raise Unanswered("lost on the way back")
        return Reply.OVER

    def renew(self, seconds: float) -> None:
        raise AssertionError("its sessions are never lost")

    def close(self) -> None:
        self.closed += 1


@dataclass
class SimulatedHost:
    world: SimulatedMachine
    job: Job = field(default_factory=reimage_job)
    fenced: int = 0

    def fence(self) -> None:
        self._answer()
        self.fenced += 1

    def read(self) -> HostState:
        machine_id, version = self._answer()
        release = 2 if version == "2.0" else 1
        found = facts(release, boot_id=f"boot-{self.world.boots}", machine_id=machine_id, image_version=version)
        return HostState(found, self.world.kept.get(self.job.round), self._earlier())

    def keep(self) -> None:
        machine_id, _ = self._answer()
        self.world.sent.append(Do.KEEP)
        boot, number, before, told = f"boot-{self.world.boots}", self.job.round, self._earlier(), Earlier.of(self.job)
        kept = Kept(boot, machine_id, self.world.data, 3, facts(1).data_manifest, number, machine_id)
        if before is not None and before.sums_of != machine_id and not (told.proven and told.round == before.round):
            kept = dataclasses.replace(before, boot_id=boot, machine_id=machine_id, round=number)
        self.world.kept.setdefault(number, kept)

    def _earlier(self) -> Kept | None:
        before = [number for number in self.world.kept if number < self.job.round]
        return self.world.kept[max(before)] if before else None

    def prove(self, kept: Kept) -> Proof:
        self._answer()
        assert kept == self.world.kept[kept.round]
        same = kept.sums == self.world.data
        return Proof(same, 3, self.world.data, () if same else ("/data/records/owner.txt",))

    def run(self, name: str, seconds: int, command: list[str]) -> str:
        raise AssertionError(f"nothing else is run there: {name}")

    def _answer(self) -> tuple[str, str]:
        if not self.world.answers or self.world.system is None:
            raise NoAnswer("connection timed out")
        return self.world.system
