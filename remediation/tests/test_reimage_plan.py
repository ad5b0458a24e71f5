"""The plan of a re-image is what a re-image does."""

from __future__ import annotations

import dataclasses

import pytest

from drydock_remediation.records import Outcome
from drydock_remediation.reimage.decide import Do
from drydock_remediation.reimage.facts import View
from drydock_remediation.reimage.host import NoAnswer
from drydock_remediation.reimage.plan import plan

from .reimage_attempt import Attempt
from .reimage_world import MEDIUM, ORDER, PATIENCE, SimulatedBmc, SimulatedHost, SimulatedMachine

WORLDS = {
    "running": SimulatedMachine(),
    "another medium in its drive": SimulatedMachine(medium="http://10.0.0.1/other.iso"),
    "its own medium in its drive": SimulatedMachine(medium=MEDIUM),
    "told to boot a medium": SimulatedMachine(override="Once", target="Cd"),
    "off": SimulatedMachine(power="Off"),
}


def view_of(world: SimulatedMachine) -> View:
    bmc = SimulatedBmc(world).read(1.0, tasks=True)
    try:
        return View(bmc, SimulatedHost(world).read())
    except NoAnswer:
        return View(bmc, None)


@pytest.mark.parametrize("name", WORLDS)
def test_what_is_planned_is_what_is_done(name: str) -> None:
    world = dataclasses.replace(WORLDS[name], sent=[], kept={})
    *effects, end = plan(view_of(world), ORDER, PATIENCE)
    assert Attempt(world).run().outcome is Outcome.DONE
    assert [step.do for step in effects] == world.sent
    assert end.do is Do.PROVE


def test_where_it_would_not_get_there_it_says_why() -> None:
    hanging = SimulatedMachine(system=None)
    *effects, end = plan(view_of(hanging), ORDER, PATIENCE)
    assert (effects, end.do) == ([], Do.GIVE_UP)
    assert "no system answered" in end.why
    starting = SimulatedMachine(power="PoweringOn")
    *effects, end = plan(view_of(starting), ORDER, PATIENCE)
    assert (effects, end.do, end.why) == ([], Do.WAIT, "its power is PoweringOn")
