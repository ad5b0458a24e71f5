"""One run: rollouts under way while, point by point, somebody dies and is started again; and what came of it all."""

from __future__ import annotations

import functools
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from drydock_crashes import points
from drydock_crashes.api import Refusal, Silence
from drydock_crashes.consumer import HOOKS
from drydock_crashes.judge import ENDED, Ended, Outcome, forgotten
from drydock_crashes.orders import DIE, STAND
from drydock_crashes.points import LOST, Point
from drydock_crashes.site import Site
from drydock_lab.progress import say
from drydock_stack.audit import faults
from drydock_stack.identity import ProcessIdentity

RELEASE = "2"
MET_SECONDS, ACCEPTED_SECONDS, LEFT_SECONDS = 180.0, 180.0, 15.0
STARTS_MILLIS = 5000  # After its submission, of a rollout that is scheduled.
PAUSE_SECONDS_MAX = 1.5  # How long the dead stay dead.
WHY = {"reason": "crash"}
HELD, LOST_AT = "Drain", "Health"  # What a host stays before: while commands are given, and while its run is lost.
KNOWN = 2  # Hosts that are on the release from the beginning.


def _hooks(*stages: str) -> str:
    return ", ".join(f"{{name: {HOOKS[stage]}, stage: {stage}, scope: Host}}" for stage in stages)


POLICY = """
apiVersion: drydock.dev/v1
kind: UpgradePolicy
metadata: {name: web, team: sre}
spec: {applications: [web], desired: fromScheduler, capacity: [{maxUnavailable: 50%}], health: {maxAge: 60s}}
"""
HOOKED = f"""
apiVersion: drydock.dev/v1
kind: UpgradePolicy
metadata: {{name: hooked, team: sre}}
spec:
  applications: [hooked]
  desired: fromScheduler
  capacity: [{{maxUnavailable: 3}}]
  health: {{maxAge: 60s}}
  hooks:
    pre: [{_hooks("BeforeUndeploy", "AfterUndeploy")}]
    post: [{_hooks("BeforeDeploy", "AfterDeploy")}]
"""


def _own(application: str, says: str) -> str:
    """The policy of an application of its own; team web, so that somebody owns it."""
    return f"""
apiVersion: drydock.dev/v1
kind: UpgradePolicy
metadata: {{name: {application}, team: web}}
spec: {{applications: [{application}], desired: fromScheduler, capacity: [{{maxUnavailable: 3}}], health: {{maxAge: 60s}}, {says}}}
"""


OWN = (
    _own(points.ASKED, "drain: {onTimeout: Ask}"),
    _own(points.FORCED, "drain: {onTimeout: Force}"),
    _own(points.BLOCKED, "onHostFailure: Ask"),
    _own(points.BROKEN, "remediation: {ladder: [RetryStep]}"),
    _own(points.DOUBTFUL, "remediation: {ladder: [RetryStep], approve: [RetryStep]}"),
)
# Where people are asked, by the kind of host: what they answer.
ANSWERS = {points.ASKED: "Wait", points.FORCED: "Force", points.BLOCKED: "Retry", points.DOUBTFUL: "Approve"}
WAITING = ("Open", "AwaitsApproval")
Answer = TypeVar("Answer")


class Run:
    """Goes through the points in their order. Each has a rollout of its own, and those before it go on meanwhile."""

    def __init__(self, site: Site, seed: int, points: Sequence[Point], patience: float = 300.0) -> None:
        """``patience``: seconds for all rollouts to end after the last death."""
        self._site, self._seed, self._points, self._patience = site, seed, points, patience
        self._chance = random.Random(seed)  # noqa: S311 - to repeat it
        self._expected: dict[str, Mapping[str, str]] = {}
        self._unmet: list[str] = []
        self._lost: list[str] = []
        self._answered: set[str] = set()
        self._known = [f"known-{seed}-{number}" for number in range(1, KNOWN + 1)]

    def run(self, restart: bool = True) -> Outcome:
        """``restart`` off is for a control: the last victim stays dead until its time is over."""
        began = time.monotonic()
        self._prepare()
        for number, point in enumerate(self._points, 1):
            self._strike(number, point, restart or number < len(self._points))
        late = self._late(self._patience)
        seconds = round(time.monotonic() - began, 1)
        self._site.revive()
        if late:  # Who comes after this run shall not find them under way.
            self._late(self._patience)
        return self._outcome(seconds, late)

    def _prepare(self) -> None:
        fresh = [host for number, point in enumerate(self._points, 1) if (host := self._host(number, point)) not in self._known]
        self._site.list_hosts([*self._known, *fresh])
        for policy in (POLICY, HOOKED, *OWN):
            self._accepted("a policy", "policies", functools.partial(dict, yaml=policy))
        release = {"name": RELEASE, "channel": "http://127.0.0.1/2", "kernel": "6", "packages": {"base": "2"}}
        self._accepted("the release", "releases", lambda: release)
        self._submit("known", dict.fromkeys(self._known, "Upgraded"))
        self._late(self._patience)

    def _host(self, number: int, point: Point) -> str:
        if point.state.host == "known":
            return self._known[number % KNOWN]
        return f"{point.state.host}-{self._seed}-{number}"

    def _strike(self, number: int, point: Point, restart: bool) -> None:
        host = self._host(number, point)
        if point.state.command:
            struck = self._command(number, point, host)
        elif point.state.host == LOST:
            struck = self._lose(number, point, host)
        else:
            victim = self._arm(point)
            self._submit(str(number), {host: point.state.end})
            struck = self._kill(point, victim)
        if struck:
            say(f"{number}: {point}")
            if restart:
                time.sleep(self._chance.uniform(0, PAUSE_SECONDS_MAX))
                self._site.revive()
        if point.state.command and restart:
            self._finish(number, point, host)
        if point.state.host in ANSWERS and restart:
            self._answer(ANSWERS[point.state.host])

    def _arm(self, point: Point) -> ProcessIdentity:
        """The victim, which may be dead already when this returns."""
        self._site.revive()
        victim = self._site.living(point.victim)
        self._site.orders.give(point.name, DIE if point.dies else STAND)
        return victim

    def _kill(self, point: Point, victim: ProcessIdentity) -> bool:
        """Once the point is reached; whether it was."""
        orders = self._site.orders
        if not self._until(lambda: orders.met(point.name), MET_SECONDS):
            say(f"{point} was not met")
            self._unmet.append(str(point))
            orders.take_back(point.name)
            return False
        if point.dies:
            self._site.await_death(victim)
        else:
            self._site.kill(point.victim)
        orders.let_go(point.name)
        return True

    def _command(self, number: int, point: Point, host: str) -> bool:
        """Leads a rollout to the state of the point while its host stays undrained, and kills where the command is written."""
        command = point.state.command
        if command == "start":
            victim = self._arm(point)
            self._submit(str(number), {host: point.state.end}, scheduled=True)
            return self._kill(point, victim)
        self._site.orders.stay(host, HELD)
        rollout = self._submit(str(number), {host: point.state.end})
        self._until(lambda: self._step(rollout) == HELD, MET_SECONDS)
        if command == "resume":
            self._accepted("a pause", f"rollouts/{rollout}?action=pause", lambda: WHY)
        victim = self._arm(point)
        asked = threading.Thread(target=self._order, args=(rollout, command))
        asked.start()
        struck = self._kill(point, victim)
        asked.join()
        return struck

    def _lose(self, number: int, point: Point, host: str) -> bool:
        """The run of its batch is ended in Temporal once the host was updated, and kills in what another run does about it."""
        self._site.revive()
        self._late(self._patience)  # Only this one comes to the point where its run is lost.
        self._site.orders.stay(host, LOST_AT)
        rollout = self._submit(str(number), {host: point.state.end})
        self._until(lambda: self._step(rollout) == LOST_AT, MET_SECONDS)
        self._site.lose_run(str(self._upgrade(rollout)["grant"]))
        victim = self._arm(point)
        self._site.orders.leave(host, LOST_AT)
        return self._kill(point, victim)

    def _order(self, rollout: str, command: str) -> None:
        """Once; keeps whether it was answered."""
        if self._ask(lambda: self._site.api.post(f"rollouts/{rollout}?action={command}", WHY), None) is not None:
            self._answered.add(rollout)

    def _finish(self, number: int, point: Point, host: str) -> None:
        """Looks whether an answered command was kept, gives it once more where its answer was lost, and lets the rollout go on."""
        command = point.state.command
        rollout = list(self._expected)[-1]
        if command == "start":
            return
        if rollout not in self._answered:
            self._accepted(f"{command} of rollout {number}", f"rollouts/{rollout}?action={command}", lambda: WHY)
        self._until(lambda: "state" in self._rollout(rollout), MET_SECONDS)
        self._lost += forgotten(command, self._rollout(rollout))
        if command == "pause":
            self._accepted("its resume", f"rollouts/{rollout}?action=resume", lambda: WHY)
        self._site.orders.leave(host, HELD)

    def _answer(self, answer: str) -> None:
        """The owner of the host says what becomes of it, once they are asked. An answer that was lost is given again."""
        rollout = list(self._expected)[-1]
        owner = self._site.owner
        asked = False

        def settled() -> bool:
            nonlocal asked
            listed: Any = self._ask(lambda: owner.get(f"decisions?open=true&rollout={rollout}&start=0&count=1000"), None)
            if listed is None:
                return False
            waiting = [one["id"] for one in listed["elements"] if one["state"] in WAITING]
            for decision in waiting:
                self._ask(functools.partial(owner.post, f"decisions/{decision}?action=answer", {"option": answer}), None)
            asked = asked or bool(waiting)
            return asked and not waiting

        self._until(settled, MET_SECONDS)

    def _step(self, rollout: str) -> str:
        return str(self._upgrade(rollout).get("step", ""))

    def _upgrade(self, rollout: str) -> Mapping[str, Any]:
        """That of its only host; empty while nobody answers."""
        answer: Any = self._ask(lambda: self._site.api.get(f"hostUpgrades?q=rollout&rollout={rollout}&count=1"), {})
        return next(iter(answer.get("elements", [])), {})

    def _submit(self, name: str, expected: Mapping[str, str], scheduled: bool = False) -> str:
        request: dict[str, Any] = {"release": RELEASE, "hosts": list(expected), "requestId": f"crash-{self._seed}-{name}"}

        def now() -> dict[str, Any]:
            return {**request, "startAt": int(time.time() * 1000) + STARTS_MILLIS} if scheduled else request

        rollout = str(self._accepted(f"rollout {name}", "rollouts", now)["id"])
        self._expected[rollout] = expected
        return rollout

    def _accepted(self, what: str, path: str, body: Callable[[], dict[str, Any]]) -> Any:
        """Asked until it is answered: the server may have died before it could; hosts may not be known yet."""
        deadline = time.monotonic() + ACCEPTED_SECONDS
        while True:
            try:
                return self._site.api.post(path, body())
            except (Silence, Refusal) as error:
                if time.monotonic() > deadline:
                    raise RuntimeError(f"{what} was not accepted: {error}") from error
                self._site.revive()
                time.sleep(0.2)

    def _late(self, seconds: float) -> list[str]:
        """Rollouts that have not ended when the time is over, or of which nobody answers."""
        open_ones = list(self._expected)

        def over() -> bool:
            open_ones[:] = [rollout for rollout in open_ones if self._rollout(rollout).get("state") not in ENDED]
            return not open_ones

        self._until(over, seconds)
        return open_ones

    def _rollout(self, rollout: str) -> Mapping[str, Any]:
        return dict(self._ask(lambda: self._site.api.get(f"rollouts/{rollout}"), {"id": rollout}))

    def _outcome(self, seconds: float, late: Sequence[str]) -> Outcome:
        api = self._site.api
        self._until(lambda: not self._held(), LEFT_SECONDS)
        rollouts = [
            Ended(
                expected,
                self._rollout(rollout),
                api.get(f"hostUpgrades?q=rollout&rollout={rollout}&count=100")["elements"],
                self._findings(rollout),
            )
            for rollout, expected in self._expected.items()
        ]
        hosts = {host for expected in self._expected.values() for host in expected}
        effects = [effect for effect in self._site.hosts.effects() if effect.host in hosts]
        figures = {"seed": self._seed, "seconds": seconds}
        return Outcome(len(self._points), rollouts, effects, self._held(), self._unmet, late, self._lost, figures)

    def _findings(self, rollout: str) -> Sequence[Mapping[str, Any]]:
        """The auditor's, once the history of locks is written down."""

        def look() -> Sequence[Mapping[str, Any]]:
            findings: Sequence[Mapping[str, Any]] = self._site.api.get(f"audits/{rollout}")["findings"]
            return findings

        self._until(lambda: not faults(rollout, look()), LEFT_SECONDS)
        return look()

    def _held(self) -> list[str]:
        locks = self._ask(lambda: self._site.api.get("locks?q=state&state=Held")["elements"], [{"id": "unknown"}])
        return [str(lock["id"]) for lock in locks]

    @staticmethod
    def _ask(question: Callable[[], Answer], silent: Answer) -> Answer:
        try:
            return question()
        except (Silence, Refusal):
            return silent

    @staticmethod
    def _until(condition: Callable[[], bool], seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.1)
        return True
