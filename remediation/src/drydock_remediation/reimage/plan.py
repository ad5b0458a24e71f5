"""What a re-image would do to a host as it is now: its own decisions, on a machine that does what it is told. Pure."""

from __future__ import annotations

from dataclasses import replace

from drydock_remediation.facts import HostFacts
from drydock_remediation.reimage.decide import EFFECTS, Deadlines, Do, Order, Past, Reply, Step, next_step
from drydock_remediation.reimage.facts import BOOTS_MEDIUM, OFF, ON, OVERRIDE_DISABLED, BmcState, HostState, Kept, View

LOOK = 1.0  # seconds
SOMEBODY = HostFacts("", "", "", {}, "", None, "", True, True, "", "", machine_id="as it is now", image_version="")
NEWCOMER = "installed by this"


def plan(view: View, order: Order, patience: Deadlines) -> tuple[Step, ...]:
    """The effects that would be sent, in order, and what follows them: PROVE; GIVE_UP; or the WAIT that would not end by itself."""
    # Nobody else is at it: the look that `view` is from has found no task.
    past, now, steps = Past(0.0, settled=True), 0.0, list[Step]()
    machine = Model(view, order)
    waits_max = patience.install + patience.bmc + patience.shutdown
    waited_since = now
    while True:
        past = past.saw(machine.view, now, patience)
        step = next_step(machine.view, past, order, patience, now)
        if step.do in EFFECTS:
            steps.append(step)
            past = past.did(step, machine.view, now, Reply.OVER)
            machine.does(step.do)
            waited_since = now
        elif step.do is Do.NOTE:
            past = replace(past, noted=True)
        elif step.do is not Do.WAIT or now - waited_since > waits_max:
            return (*steps, step)
        now += LOOK


class Model:
    """A machine on which every effect comes about at once, with an installer that does not fail."""

    def __init__(self, view: View, order: Order) -> None:
        self.view = view
        self._order = order
        self._system = view.host or HostState(SOMEBODY, None)

    def does(self, do: Do) -> None:
        if do is Do.KEEP:
            machine = self._system.facts.machine_id
            kept = Kept("", machine, "", 0, "", 0, machine)
            self._system = replace(self._system, kept=kept)
            self.view = replace(self.view, host=self._system)
        elif self.view.bmc is not None:
            self.view = self._after(do, self.view.bmc)

    def _after(self, do: Do, bmc: BmcState) -> View:
        host = self.view.host
        match do:
            case Do.EJECT:
                bmc = replace(bmc, medium="")
            case Do.INSERT:
                bmc = replace(bmc, medium=self._order.medium)
            case Do.CLEAR_BOOT:
                bmc = replace(bmc, override=OVERRIDE_DISABLED)
            case Do.BOOT_ONCE:
                bmc = replace(bmc, override="Once", target=BOOTS_MEDIUM[0])
            case Do.SHUT_DOWN | Do.FORCE_OFF:
                bmc, host = replace(bmc, power=OFF), None
            case Do.POWER_ON:
                if bmc.override_set and bmc.medium:
                    facts = replace(self._system.facts, machine_id=NEWCOMER, image_version=self._order.version)
                    self._system = replace(self._system, facts=facts)
                bmc, host = replace(bmc, power=ON, override=OVERRIDE_DISABLED), self._system
        return View(bmc, host)
