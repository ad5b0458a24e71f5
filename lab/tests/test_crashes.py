"""Every process a batch needs dies in its phases, on a real stack of the soak's own; and what the judge finds if it must."""

import dataclasses
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from drydock_crashes import points
from drydock_crashes.hosts import Effect, Hosts, OlderToken
from drydock_crashes.judge import Ended, Outcome
from drydock_crashes.points import CONSUMER, VICTIMS, Point
from drydock_crashes.run import Run
from drydock_crashes.site import Site, site
from drydock_stack import instance, java
from drydock_stack.audit import INVARIANTS

ROOT = Path(__file__).resolve().parents[2]
SEED = int(os.environ.get("DRYDOCK_TEST_SEED", "1")) % 1_000_000
EIGHT = points.sample(SEED, 8)


@pytest.fixture(scope="module")
def place() -> Iterator[Site]:
    instance.load(ROOT)
    java.build(ROOT)
    with site(ROOT, "crash-test") as made:
        yield made


def point(phase: str, victim: str, moment: str) -> Point:
    return next(one for one in points.every() if (one.state.name, one.victim, one.moment) == (phase, victim, moment))


@pytest.mark.soak
def test_a_seeded_eight_of_the_points(place: Site) -> None:
    outcome = Run(place, SEED, EIGHT).run()
    violations = outcome.violations()
    logs = "its processes wrote to .drydock/crash-test/.drydock/log"
    assert violations == [], f"{'; '.join(violations)} (seed {SEED}: {', '.join(map(str, EIGHT))}; {logs})"
    assert len(outcome.rollouts) == len(EIGHT) + 1


@pytest.mark.soak
@pytest.mark.full
def test_control_a_consumer_that_does_not_look_first_is_caught(place: Site) -> None:
    """It dies after the effect and before the answer; the next one does all of it again."""
    place.kill(CONSUMER)
    place.consumer.twice = True
    place.revive()
    outcome = Run(place, SEED + 1, [point("UPDATE", CONSUMER, "done")]).run()
    place.kill(CONSUMER)
    place.consumer.twice = False
    place.revive()
    violations = outcome.violations()
    assert any("was updated 2 times" in violation for violation in violations), violations
    assert any(".Update." in violation and "was done 2 times" in violation for violation in violations), violations


@pytest.mark.soak
@pytest.mark.full
@pytest.mark.parametrize("victim", VICTIMS)
def test_control_a_victim_that_is_not_started_again_is_missed(place: Site, victim: str) -> None:
    """Before the last look at the rules: what comes after it ends without etcd, as holds have no lease."""
    moment = "done" if victim == CONSUMER else "written"
    seed = SEED + 2 + VICTIMS.index(victim)
    outcome = Run(place, seed, [point("CORDON", victim, moment)], patience=20).run(restart=False)
    assert any("did not end in time" in violation for violation in outcome.violations()), outcome.violations()


def test_the_sample_has_every_victim_and_rotates() -> None:
    assert {one.victim for one in EIGHT} == set(VICTIMS)
    assert len(set(EIGHT)) == len(EIGHT) == 8
    assert points.sample(SEED, 8) == EIGHT, "the seed repeats it"
    seen = {one for seed in range(1000) for one in points.sample(seed, 8)}
    assert seen == set(points.every()), "and no point is left out for ever"


def test_every_state_has_a_point_for_every_victim() -> None:
    pairs = {(one.state, one.victim) for one in points.every()}
    assert pairs == {(state, victim) for state in points.states() for victim in VICTIMS}
    assert len({(state.machine, state.name, state.host) for state in points.states()}) == len(points.states())


def test_a_job_belongs_to_the_phase_of_its_host() -> None:
    assert points.phase_of("new-1-1", "Recover", "") == "recover"
    assert points.phase_of("late-1-1", "Recover", "") == "undo"
    assert points.phase_of("lost-1-1", "Verify", "") == "reclaim"
    assert points.phase_of("known-1-1", "Verify", "") == "verify"
    assert points.phase_of("hooked-1-1", "Hook", "AfterDeploy") == "after_deploy"
    assert points.phase_of("hooked-1-1", "Drain", "") == "drain"
    assert points.phase_of("lost-1-1", "Uncordon", "") == ""


# ---- the judge

UPGRADED = {"id": "r1", "state": "Succeeded", "hostCount": 1, "upgraded": 1}
ROW = {"host": "h1", "state": "Upgraded", "grant": "g1"}
UPDATE = Effect("h1", "g1.Update.h1.3", "Update", "g1")
HELD = [{"invariant": one, "verdict": "Held", "judged": 1} for one in INVARIANTS]
VIOLATED = {"invariant": "I2", "verdict": "Violated", "violations": [{"object": "host/h1", "says": "two locks"}]}
WELL = Outcome(1, [Ended({"h1": "Upgraded"}, UPGRADED, [ROW], HELD)], [UPDATE])


def changed(**parts: Any) -> Outcome:
    return dataclasses.replace(WELL, rollouts=[dataclasses.replace(WELL.rollouts[0], **parts)])


def test_a_run_as_it_should_be_violates_nothing() -> None:
    assert WELL.violations() == []


@pytest.mark.parametrize(
    ("outcome", "says"),
    [
        (dataclasses.replace(WELL, unmet=["server at phase-drain-written"]), "was not met"),
        (dataclasses.replace(WELL, late=["r1"]), "r1 did not end in time"),
        (dataclasses.replace(WELL, lost=["r1 was paused and is Running"]), "r1 was paused"),
        (dataclasses.replace(WELL, held=["g1"]), "lock g1 is left"),
        (dataclasses.replace(WELL, effects=[UPDATE, UPDATE]), "was done 2 times"),
        (dataclasses.replace(WELL, effects=[UPDATE, Effect("h1", "g2.Update.h1.3", "Update", "g2")]), "was updated 2 times"),
        (dataclasses.replace(WELL, effects=[]), "was updated 0 times"),
        (changed(rollout={**UPGRADED, "state": "Running"}), "is still Running"),
        (changed(rollout={**UPGRADED, "upgraded": 0, "skipped": 1}), "counts"),
        (changed(rollout={**UPGRADED, "hostCount": 2}), "counts"),
        (changed(upgrades=[ROW, {**ROW, "host": "h2"}]), "counts"),
        (changed(expected={"h1": "Reverted"}), "is Upgraded, not Reverted"),
        (changed(findings=[*HELD, VIOLATED]), "I2 in r1: host/h1 two locks"),
        (changed(findings=[]), "no finding of I1 in r1"),
    ],
)
def test_the_judge_finds(outcome: Outcome, says: str) -> None:
    assert any(says in violation for violation in outcome.violations()), outcome.violations()


# ---- commands


class Forgetful:
    """Answers every command, and keeps it or not."""

    def __init__(self, state: str, kept: str) -> None:
        self.state, self._kept = state, kept
        self.orders, self.api = self, self

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        self.state = self._kept
        return {"id": "r1"}

    def get(self, path: str) -> dict[str, Any]:
        return {"id": "r1", "state": self.state}

    def leave(self, host: str, step: str) -> None:
        """Nobody stays."""


@pytest.mark.parametrize(
    ("command", "before", "kept"), [("pause", "Running", "Paused"), ("resume", "Paused", "Running"), ("abort", "Running", "Aborting")]
)
def test_a_command_that_was_answered_is_looked_for_before_anything_else_is_asked(command: str, before: str, kept: str) -> None:
    assert lost(command, Forgetful(before, kept)) == []
    assert lost(command, Forgetful(before, before)) == [f"r1 answered its {command} and is {before}"], "the control"


def lost(command: str, server: Forgetful) -> Sequence[str]:
    """What is found missing of a command that the server answers."""
    at = next(one for one in points.every() if one.state.command == command)
    run = Run(cast("Site", server), SEED, [at])
    run._expected["r1"] = {"h1": at.state.end}
    run._order("r1", command)
    run._finish(1, at, "h1")
    return run._lost


# ---- the hosts

JOB = {"id": "g1.Drain.h1.1", "step": "Drain", "host": "h1", "grant": "g1"}


def killed() -> None:
    raise KeyboardInterrupt


def test_a_host_does_a_job_once_and_refuses_who_is_older(tmp_path: Path) -> None:
    hosts = Hosts(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        hosts.apply(JOB, "1.7.1.1", killed)
    assert not hosts.serves("h1")
    hosts.apply(JOB, "1.7.1.2", lambda: None)
    hosts.apply(JOB, "1.7.1.3", killed)
    assert [effect.job for effect in hosts.effects()] == [JOB["id"]]
    with pytest.raises(OlderToken):
        hosts.apply(JOB, "1.7.1.2", lambda: None)
    hosts.apply({**JOB, "id": "g1.Recover.h1.2", "step": "Recover"}, "1.7.2.1", lambda: None)
    assert hosts.serves("h1")


def test_a_first_job_of_its_step_is_told_from_a_second_one_whoever_asks(tmp_path: Path) -> None:
    hosts = Hosts(tmp_path)
    second = {**JOB, "id": "g1.Drain.h1.2"}
    asked = [hosts.first(JOB, "1.7.1.1"), hosts.first(JOB, "1.7.1.2"), hosts.first(second, "1.7.2.1")]
    assert asked == [True, True, False]
    assert hosts.effects() == []
    with pytest.raises(OlderToken):
        hosts.first(JOB, "1.7.1.3")


def test_control_a_host_whose_consumer_does_not_look_does_it_again(tmp_path: Path) -> None:
    hosts = Hosts(tmp_path, twice=True)
    hosts.apply(JOB, "1.7.1.1", lambda: None)
    hosts.apply(JOB, "1.7.1.2", lambda: None)
    assert len(hosts.effects()) == 2
