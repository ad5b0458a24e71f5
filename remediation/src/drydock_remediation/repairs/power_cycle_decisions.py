"""What to do next on the way off and on again. Pure: decided from what was just read, and from what this attempt has done.

1. Nothing is sent until state and tasks of the BMC are quiet: somebody else's request may be under way (protocol P9).
2. A machine that is on is asked to shut down in order, then forced; one that is off is started.
3. One that an earlier attempt may have cycled is not cycled again unless its system tells that it was not.
4. One that would boot a medium is left as it is: a power cycle is not to install anything.
5. One that stays off although its BMC took or refused three power-ons has failed: all is quiet, so nothing of ours is under way.

Property: on every way the machine was seen off before it is called done.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from drydock_remediation.records import Mend, Outcome, Result
from drydock_remediation.reimage.decide import BMC_SILENT, Deadlines, Do, Reply, Step
from drydock_remediation.reimage.facts import OFF, ON, BmcState

PATIENCE = Deadlines(shutdown=30.0)
EFFECTS_MAX = 8
POWER_ONS_MAX = 3


@dataclass(frozen=True)
class Past:
    """What this attempt knows of itself; moments are seconds on CLOCK_BOOTTIME, None when that was not yet.

    `untold`: an earlier attempt may have cycled the machine, and its system does not tell. `sent`: when each effect was last.
    `power_ons`: those that were answered."""

    untold: bool = False
    settled: bool = False
    quiet_since: float | None = None
    silent_since: float | None = None
    last: BmcState | None = None
    sent: Mapping[Do, float] = field(default_factory=dict)
    power_ons: int = 0
    down: bool = False
    effects: int = 0
    refusal: str = ""

    def saw(self, bmc: BmcState | None, now: float, patience: Deadlines) -> Past:
        """After a look at the BMC; None: it was silent."""
        if bmc is None:
            return replace(self, quiet_since=None, last=None, silent_since=self.silent_since or now)
        same = bmc == self.last and not bmc.tasks
        since = (self.quiet_since or now) if same else None
        settled = self.settled or (since is not None and now - since >= patience.settle)
        return replace(
            self,
            settled=settled,
            quiet_since=since,
            silent_since=None,
            last=bmc,
            down=self.down or (settled and bmc.power == OFF),
        )

    def did(self, do: Do, now: float, reply: Reply, refusal: str) -> Past:
        """After an effect. Where it may be under way all has to be quiet again before the next."""
        over = reply is Reply.OVER
        return replace(
            self,
            settled=self.settled and over,
            quiet_since=self.quiet_since if over else None,
            sent={**self.sent, do: now},
            power_ons=self.power_ons + (do is Do.POWER_ON and reply is not Reply.NONE),
            effects=self.effects + 1,
            refusal=refusal,
        )


def next_step(host: str, bmc: BmcState | None, past: Past, patience: Deadlines, now: float) -> Step | Result:
    if bmc is None:
        silent = 0.0 if past.silent_since is None else now - past.silent_since
        if silent < patience.bmc:
            return Step(Do.WAIT, "for its BMC to answer")
        begun = None if past.effects or past.untold else False
        said = f"{host}: its BMC did not answer for {silent:.0f} s"
        return Result(touched(past), said, begun=begun, mend=Mend.TIME, cause=BMC_SILENT)
    if not past.settled:
        return Step(Do.WAIT, f"until the state and the tasks of its BMC are quiet: {', '.join(bmc.tasks) or 'no task'}")
    if past.down and bmc.power == ON:
        return Result(Outcome.DONE, f"{host} was switched off and on")
    if bmc.armed and bmc.medium:
        return Result(
            touched(past), f"{host} would boot {bmc.medium} when it is started, and that may be an installer: the boot override is set"
        )
    if past.untold and not past.down and past.effects == 0:
        return Result(Outcome.UNKNOWN, f"{host} may have been switched off and on by an earlier attempt, and does not tell")
    if past.effects >= EFFECTS_MAX:
        return Result(touched(past), f"{host}: {past.effects} effects did not switch it off and on{past.refusal and f': {past.refusal}'}")
    step = _due(past, patience, now)
    if step.do is Do.POWER_ON and past.power_ons >= POWER_ONS_MAX:
        refusal = past.refusal and f": {past.refusal}"
        return Result(Outcome.FAILED, f"{host} is off, and {step.do} had no effect {past.power_ons} times{refusal}")
    return step


def _due(past: Past, patience: Deadlines, now: float) -> Step:
    if past.down:
        return _unless_just_sent(Step(Do.POWER_ON, "it is off"), past, patience, now)
    pressed_at = past.sent.get(Do.SHUT_DOWN)
    if pressed_at is None:
        return Step(Do.SHUT_DOWN, "it is on")
    if now - pressed_at < patience.shutdown:
        return Step(Do.WAIT, "for it to shut down")
    return _unless_just_sent(Step(Do.FORCE_OFF, "it did not shut down"), past, patience, now)


def _unless_just_sent(step: Step, past: Past, patience: Deadlines, now: float) -> Step:
    """A machine takes some time to go on or off, and is shown as it was until then."""
    at = past.sent.get(step.do)
    return step if at is None or now - at >= patience.effect else Step(Do.WAIT, f"for an effect of: {step.do}")


def touched(past: Past) -> Outcome:
    """How it ends where it cannot go on: nobody knows what becomes of what was sent."""
    return Outcome.UNKNOWN if past.effects else Outcome.FAILED
