"""What to do next on the way to a new installation. Pure: everything is decided from what was just read, and from what
this attempt has done so far; nothing is done because it comes next in a list."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, StrEnum

from drydock_remediation.records import Mend, Outcome
from drydock_remediation.reimage.facts import FIRST_ROUND, OFF, ON, BmcState, Earlier, HostState, Kept, View


class Do(StrEnum):
    """Those down to POWER_ON are effects on the host; the rest is not."""

    KEEP = "keep a record of the data"
    EJECT = "eject the medium"
    INSERT = "insert the medium"
    CLEAR_BOOT = "clear the boot override"
    BOOT_ONCE = "boot the medium once"
    SHUT_DOWN = "shut down"
    FORCE_OFF = "force the power off"
    POWER_ON = "power on"
    WAIT = "wait"
    NOTE = "note that it begins"
    PROVE = "prove the data intact"
    GIVE_UP = "give up"


LOCK_HELD, BMC_SILENT = "lock-held", "bmc-silent"  # causes
EFFECTS = tuple(Do)[: list(Do).index(Do.WAIT)]
BEGINNINGS = (Do.INSERT, Do.SHUT_DOWN, Do.FORCE_OFF, Do.BOOT_ONCE)


class Reply(Enum):
    """What a BMC said to an effect that it was sent."""

    OVER = "it is done, or refused"
    ACCEPTED = "it is under way"
    NONE = "nothing: it may be done, or be under way, or never have arrived"


@dataclass(frozen=True)
class Step:
    """`why` is for people; `outcome`, `mend` and `cause` belong to GIVE_UP. `ending` is what an effect leads to, whatever is seen after
    it."""

    do: Do
    why: str
    outcome: Outcome | None = None
    ending: Step | None = None
    mend: Mend | None = None
    cause: str = ""


@dataclass(frozen=True)
class Order:
    """What shall be there in the end."""

    medium: str
    version: str


@dataclass(frozen=True)
class Deadlines:
    """In seconds. A request of anybody to a BMC ends within `request`, so what is quiet for `settle` stays so; a reading is many
    requests, and BMCs that take seconds for each are common. `reserve` is for leaving nothing behind at the end. `vain` and `lost`
    are how often the same effect is sent to the same state: an answer says that it will not come about, and a request that was lost
    on the way says nothing."""

    look: float = 1.0
    read: float = 120.0
    request: float = 10.0
    settle: float = 12.0
    shutdown: float = 60.0
    install: float = 600.0
    bmc: float = 300.0
    busy: float = 600.0
    reserve: float = 120.0
    effect: float = 30.0
    vain: int = 5
    lost: int = 15
    installs: int = 2
    effects: int = 40


@dataclass(frozen=True)
class Attempts:
    """The effect that was sent last, the state it was sent to, how often that was answered and in vain, and how often it was not
    answered."""

    do: Do
    state: BmcState | None
    at: float
    vain: int = 0
    lost: int = 0
    refusal: str = ""


@dataclass(frozen=True)
class Past:
    """What this attempt knows of itself; moments are seconds on CLOCK_BOOTTIME, None when that was not yet.

    It begins unsettled: an earlier attempt may have a request under way that a BMC cannot refuse. `quiet_since` is the
    first of the looks that were all the same, `busy_since` the first since it was not settled. `kept`: there was a record of this
    round, with `sums` in it that were taken under the system `sums_of`. `noted`: the board knows that this round does something to
    the machine, which it is told before that. `follows`: somebody had the round before."""

    began_at: float
    settled: bool = False
    quiet_since: float | None = None
    busy_since: float | None = None
    last: BmcState | None = None
    silent_since: float | None = None
    kept: bool = False
    pressed_at: float | None = None
    on_at: float | None = None
    off_at: float | None = None
    started_at: float | None = None
    installs: int = 0
    effects: int = 0
    tried: Attempts | None = None
    follows: bool = False
    noted: bool = False
    sums: str = ""
    sums_of: str = ""
    earlier: Earlier = FIRST_ROUND
    ending: Step | None = None

    @property
    def begun(self) -> bool:
        """Whether this round has done something to the machine, or its data were kept for that."""
        return self.kept or self.noted

    @property
    def touched(self) -> bool | None:
        """Whether this round or one before it has begun anything; None where an attempt before this one may have."""
        if self.begun or self.effects or self.earlier.round is not None:
            return True
        return None if self.follows else False

    def saw(self, view: View, now: float, patience: Deadlines) -> Past:
        """After a look."""
        bmc, record = view.bmc, view.host.kept if view.host is not None else None
        known = self if record is None else replace(self, kept=True, sums=record.sums, sums_of=record.sums_of)
        if bmc is None:
            return replace(known, quiet_since=None, last=None, silent_since=self.silent_since or now)
        same = bmc == self.last and not bmc.tasks
        since = (self.quiet_since or now) if same else None
        # A host that answers, and nobody of this grant has kept anything of it: nobody has got as far as its BMC.
        first = not (self.follows or known.begun or self.earlier.round is not None or self.effects or bmc.tasks)
        untouched = first and view.host is not None and view.host.earlier is None
        settled = self.settled or untouched or (since is not None and now - since >= patience.settle)
        return replace(
            known,
            settled=settled,
            quiet_since=since,
            busy_since=None if settled else (self.busy_since or now),
            last=bmc,
            silent_since=None,
            pressed_at=None if bmc.power == OFF else self.pressed_at,
            on_at=(self.on_at or now) if bmc.power == ON else None,
            off_at=(self.off_at or now) if bmc.power == OFF else None,
        )

    def did(self, step: Step, view: View, now: float, reply: Reply, refusal: str = "") -> Past:
        """After an effect. One that is not over may have come about, or may still: nothing is sent until all is quiet."""
        before, over, lost = self.tried, reply is Reply.OVER, reply is Reply.NONE
        if before is None or (before.do, before.state) != (step.do, view.bmc):
            before = Attempts(step.do, view.bmc, now)
        booted_medium = step.do is Do.POWER_ON and view.bmc is not None and view.bmc.override_set and bool(view.bmc.medium)
        return replace(
            self,
            settled=self.settled and over,
            quiet_since=self.quiet_since if over else None,
            busy_since=self.busy_since if over else now,
            pressed_at=now if step.do is Do.SHUT_DOWN and not refusal else self.pressed_at,
            started_at=now if step.do is Do.POWER_ON else self.started_at,
            installs=self.installs + (booted_medium and not refusal),
            effects=self.effects + 1,
            tried=replace(before, at=now, vain=before.vain + (not lost), lost=before.lost + lost, refusal=refusal),
            ending=self.ending or step.ending,
        )


def next_step(view: View, past: Past, order: Order, patience: Deadlines, now: float) -> Step:
    """What is due, unless the same was sent to the same state already: then it gets its time first, and is given up at last. Who
    gives up leaves nothing behind that a start would set off."""
    step = past.ending or _noted(_in_time(_due(view, past, order, patience, now), view, past, patience, now), view, past)
    return _disarm(step, view, past, order, patience, now) if step.do is Do.GIVE_UP else step


def _noted(step: Step, view: View, past: Past) -> Step:
    """Whoever comes later has to know what was begun, though the host may not be there to tell, nor its data."""
    installs = step.do is Do.POWER_ON and view.bmc is not None and view.bmc.armed and view.bmc.medium != ""
    return step if past.noted or not (step.do in BEGINNINGS or installs) else Step(Do.NOTE, step.why)


def record_of(host: HostState, past: Past) -> Kept | None:
    """What this round's installation is seen by and proven against. Where it began on a host without a system, which could keep
    nothing, that is what an earlier round kept."""
    if host.kept is not None:
        return host.kept
    installed = past.earlier.owed and (past.installs > 0 or past.begun)
    other = host.earlier is not None and host.facts.machine_id != host.earlier.machine_id
    return host.earlier if installed and other else None


def _disarm(end: Step, view: View, past: Past, order: Order, patience: Deadlines, now: float) -> Step:
    """The installer has not begun on a machine that is off, nor under a system that answers."""
    bmc, host = view.bmc, view.host
    if bmc is None:
        waits = _without_bmc(past, patience, now)
        return end if past.ending is None or waits.do is Do.GIVE_UP else waits
    if not past.settled:
        waits = _unsettled(bmc, past, patience, now)
        return left_armed(end, bmc) if waits.do is Do.GIVE_UP else waits
    shut = bmc.power == OFF or host is not None
    if bmc.armed:
        step = Step(Do.CLEAR_BOOT, end.why, ending=end)
    elif bmc.medium == order.medium and shut:
        step = Step(Do.EJECT, end.why, ending=end)
    else:
        return end
    step = _in_time(step, view, replace(past, effects=0), patience, now)
    if step.do is not Do.GIVE_UP:
        return step
    return end if step.why in end.why else replace(end, why=f"{end.why}; {step.why}")


def left_armed(end: Step, bmc: BmcState) -> Step:
    """What could not be taken back is told."""
    return replace(end, why=f"{end.why}; it would boot {bmc.medium} when it is started") if bmc.armed and bmc.medium else end


def _in_time(step: Step, view: View, past: Past, patience: Deadlines, now: float) -> Step:
    tried = past.tried
    if step.do not in EFFECTS:
        return step
    if past.effects >= patience.effects:
        return _give_up(f"{past.effects} effects did not bring it there; the last would be: {step.do}", Outcome.FAILED)
    if tried is None or (tried.do, tried.state) != (step.do, view.bmc):
        return step
    if now - tried.at < patience.effect:
        return Step(Do.WAIT, f"for an effect of: {step.do}")
    if tried.vain >= patience.vain:
        return _give_up(f"{step.do} had no effect {tried.vain} times{tried.refusal and f': {tried.refusal}'}", Outcome.FAILED)
    if tried.lost >= patience.lost:
        return _give_up(f"{step.do} did not come about, and its BMC did not answer that {tried.lost} times", Outcome.FAILED)
    return step


def _due(view: View, past: Past, order: Order, patience: Deadlines, now: float) -> Step:
    """The boot override is only set on a machine that is off: nothing but our own power-on uses it up."""
    bmc, host = view.bmc, view.host
    if bmc is None:
        return _without_bmc(past, patience, now)
    if not past.settled:
        return _unsettled(bmc, past, patience, now)
    if host is None:
        return _silent(bmc, past, order, patience, now)
    record = record_of(host, past)
    if record is None:
        if _gone(host, past):
            return _give_up("the record on its data partition is gone", Outcome.FAILED)
        return _left_behind(bmc, order) or _disturbing(host) or Step(Do.KEEP, "nothing was done yet")
    if host.facts.machine_id == record.machine_id:
        return _old_system(view, past, order, patience, now)
    if host.facts.image_version != order.version:
        return _give_up(f"the installed image is {host.facts.image_version or 'of no version'}, not {order.version}", Outcome.FAILED)
    if bmc.override_set:
        return Step(Do.CLEAR_BOOT, "the new system runs")
    if bmc.medium:
        return Step(Do.EJECT, "the new system runs")
    return Step(Do.PROVE, "the new system runs from its disk")


def _disturbing(host: HostState) -> Step | None:
    """What somebody else is about there an installation would cut off, and so would a shutdown."""
    others = host.facts.others
    return Step(Do.GIVE_UP, f"others are at work there: {others}", Outcome.FAILED, None, Mend.TIME, LOCK_HELD) if others else None


def _gone(host: HostState, past: Past) -> bool:
    """Whether there was a record that is not there any more: what is there now must not be taken for the data."""
    return host.kept is None and (past.kept or (past.earlier.round is not None and host.earlier is None))


def _left_behind(bmc: BmcState, order: Order) -> Step | None:
    """Where this round has not begun: what somebody else has left there would be set off by the next start."""
    if bmc.armed:
        return Step(Do.CLEAR_BOOT, "it is told to boot a medium, and nobody of this round did that")
    if bmc.medium == order.medium:
        return Step(Do.EJECT, "nobody of this round has put it there")
    return None


def _unsettled(bmc: BmcState, past: Past, patience: Deadlines, now: float) -> Step:
    busy, what = now - (now if past.busy_since is None else past.busy_since), ", ".join(bmc.tasks) or "no task"
    if busy >= patience.busy:
        return _give_up(f"the state and the tasks of its BMC were not quiet for {busy:.0f} s: {what}", Outcome.UNKNOWN)
    return Step(Do.WAIT, f"until the state and the tasks of its BMC are quiet: {what}")


def _without_bmc(past: Past, patience: Deadlines, now: float) -> Step:
    silent = 0.0 if past.silent_since is None else now - past.silent_since
    if silent >= patience.bmc:
        return Step(Do.GIVE_UP, f"its BMC did not answer for {silent:.0f} s", Outcome.UNKNOWN, None, Mend.TIME, BMC_SILENT)
    return Step(Do.WAIT, "for its BMC to answer")


def _old_system(view: View, past: Past, order: Order, patience: Deadlines, now: float) -> Step:
    bmc, host = view.bmc, view.host
    assert bmc is not None and host is not None, "it answers"  # noqa: S101
    if past.installs >= patience.installs:
        return _give_up(f"it came back with its old system {past.installs} times", Outcome.FAILED)
    if drive := _drive(bmc, order):
        return drive
    if bmc.power != ON:
        return Step(Do.WAIT, f"its power is {bmc.power}")
    if past.pressed_at is None and (others := host.facts.others):
        return Step(Do.WAIT, f"for others who are at work there: {others}")
    return _down(past, patience, now)


def _silent(bmc: BmcState, past: Past, order: Order, patience: Deadlines, now: float) -> Step:
    """No system answers: it is going down, off, being installed, starting, or hanging."""
    begun = past.begun or past.earlier.owed
    if bmc.power == OFF:
        if past.started_at is not None and now - max(past.started_at, past.off_at or now) < patience.effect:
            return Step(Do.WAIT, "whether it stays off: machines are off for a moment when they start, and between two starts")
        return _off(bmc, past, order, patience, begun=begun)
    if bmc.power != ON:
        return Step(Do.WAIT, f"its power is {bmc.power}")
    if past.pressed_at is not None:
        return _down(past, patience, now)
    up = now - (past.began_at if past.on_at is None else past.on_at)
    if up < patience.install:
        return Step(Do.WAIT, "for a system to answer")
    if not begun or past.installs >= patience.installs:
        return _give_up(f"it is on, and no system answered for {up:.0f} s", Outcome.UNKNOWN)
    return Step(Do.FORCE_OFF, f"no system answered for {up:.0f} s")


def _off(bmc: BmcState, past: Past, order: Order, patience: Deadlines, *, begun: bool) -> Step:
    if not begun:
        return _left_behind(bmc, order) or Step(Do.POWER_ON, "it is off, and nothing was kept of it")
    if drive := _drive(bmc, order):
        return drive
    if bmc.armed:
        return Step(Do.POWER_ON, "it boots the medium now")
    if past.installs >= patience.installs:
        return _give_up(f"the installer left it powered off {past.installs} times", Outcome.FAILED)
    return Step(Do.BOOT_ONCE, "it is off")


def _drive(bmc: BmcState, order: Order) -> Step | None:
    if bmc.medium == order.medium:
        return None
    if bmc.medium:
        return Step(Do.EJECT, f"{bmc.medium} is in the drive")
    return Step(Do.INSERT, order.medium)


def _down(past: Past, patience: Deadlines, now: float) -> Step:
    """The record was synced before; a shutdown in order comes first all the same, and force only when it does not come."""
    if past.pressed_at is None:
        return Step(Do.SHUT_DOWN, "its data are recorded")
    waited = now - past.pressed_at
    if waited < patience.shutdown:
        return Step(Do.WAIT, "for it to shut down")
    return Step(Do.FORCE_OFF, f"it did not shut down within {waited:.0f} s")


def _give_up(why: str, outcome: Outcome) -> Step:
    return Step(Do.GIVE_UP, why, outcome)
