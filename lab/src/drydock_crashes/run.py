"""One run: rollouts under way while, point by point, somebody dies and is started again; and what came of it all."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from drydock_crashes.api import Refusal, Silence
from drydock_crashes.judge import ENDED, Ended, Outcome
from drydock_crashes.orders import DIE, STAND
from drydock_crashes.points import SERVER, Point
from drydock_crashes.site import Site
from drydock_lab.progress import say

RELEASE = "2"
MET_SECONDS, ACCEPTED_SECONDS = 180.0, 180.0
PAUSE_SECONDS_MAX = 1.5  # How long the dead stay dead.
KNOWN = 2  # Hosts that are on the release from the beginning.
POLICY = """
apiVersion: drydock.dev/v1
kind: UpgradePolicy
metadata: {name: web, team: sre}
spec: {applications: [web], desired: fromScheduler, capacity: [{maxUnavailable: 50%}], health: {maxAge: 60s}}
"""
Answer = TypeVar("Answer")


class Run:
    """Goes through the points in their order. Each has a rollout of its own, and those before it go on meanwhile."""

    def __init__(self, site: Site, seed: int, points: Sequence[Point], patience: float = 300.0) -> None:
        """``patience``: seconds for all rollouts to end after the last death."""
        self._site, self._seed, self._points, self._patience = site, seed, points, patience
        self._chance = random.Random(seed)  # noqa: S311 - to repeat it
        self._expected: dict[str, Mapping[str, str]] = {}
        self._unmet: list[str] = []
        self._known = [f"known-{seed}-{number}" for number in range(1, KNOWN + 1)]

    def run(self, restart: bool = True) -> Outcome:
        """``restart`` off is for a control: the last victim stays dead until its time is over."""
        began = time.monotonic()
        self._prepare()
        for number, point in enumerate(self._points, 1):
            self._strike(number, point, restart or number < len(self._points))
        self._await_ends()
        seconds = round(time.monotonic() - began, 1)
        self._site.revive()
        return self._outcome(seconds)

    def _prepare(self) -> None:
        fresh = [host for number, point in enumerate(self._points, 1) if (host := self._host(number, point)) not in self._known]
        self._site.list_hosts([*self._known, *fresh])
        self._accepted("the policy", "policies", {"yaml": POLICY})
        release = {"name": RELEASE, "channel": "http://127.0.0.1/2", "kernel": "6", "packages": {"base": "2"}}
        self._accepted("the release", "releases", release)
        self._submit("known", dict.fromkeys(self._known, "Upgraded"))
        self._await_ends()

    def _host(self, number: int, point: Point) -> str:
        if point.state.host == "known":
            return self._known[number % KNOWN]
        return f"{point.state.host}-{self._seed}-{number}"

    def _strike(self, number: int, point: Point, restart: bool) -> None:
        orders = self._site.orders
        orders.give(point.name, DIE if point.dies else STAND)
        self._submit(str(number), {self._host(number, point): point.state.end})
        if not self._until(lambda: orders.met(point.name), MET_SECONDS):
            say(f"{point} was not met")
            self._unmet.append(str(point))
            orders.take_back(point.name)
            return
        if point.dies:
            self._site.await_death(point.victim)
        else:
            self._site.kill(point.victim)
        orders.let_go(point.name)
        say(f"{number}: {point}")
        if restart:
            time.sleep(self._chance.uniform(0, PAUSE_SECONDS_MAX))
            self._site.revive()

    def _submit(self, name: str, expected: Mapping[str, str]) -> None:
        request = {"release": RELEASE, "hosts": list(expected), "requestId": f"crash-{self._seed}-{name}"}
        rollout = self._accepted(f"rollout {name}", "rollouts", request)["id"]
        self._expected[str(rollout)] = expected

    def _accepted(self, what: str, path: str, body: dict[str, Any]) -> Any:
        """Asked until it is answered: the server may have died before it could; hosts may not be known yet."""
        deadline = time.monotonic() + ACCEPTED_SECONDS
        while True:
            try:
                return self._site.api.post(path, body)
            except (Silence, Refusal) as error:
                if time.monotonic() > deadline:
                    raise RuntimeError(f"{what} was not accepted: {error}") from error
                self._site_lives()
                time.sleep(0.2)

    def _site_lives(self) -> None:
        """A server that died of an order is only started when its death was seen; any other death is repaired at once."""
        dead = [service.name for service in self._site.services if service.process.running() is None]
        if [name for name in dead if name != SERVER]:
            self._site.revive()

    def _await_ends(self) -> None:
        self._until(lambda: all(self._rollout(rollout).get("state") in ENDED for rollout in self._expected), self._patience)

    def _rollout(self, rollout: str) -> Mapping[str, Any]:
        return dict(self._ask(lambda: self._site.api.get(f"rollouts/{rollout}"), {"id": rollout}))

    def _outcome(self, seconds: float) -> Outcome:
        api = self._site.api
        self._until(lambda: not self._held(), 15)
        rollouts = [
            Ended(
                expected,
                self._rollout(rollout),
                api.get(f"hostUpgrades?q=rollout&rollout={rollout}&count=100")["elements"],
                api.get(f"audits/{rollout}")["findings"],
            )
            for rollout, expected in self._expected.items()
        ]
        hosts = {host for expected in self._expected.values() for host in expected}
        effects = [effect for effect in self._site.hosts.effects() if effect.host in hosts]
        return Outcome(len(self._points), rollouts, effects, self._held(), self._unmet, {"seed": self._seed, "seconds": seconds})

    def _held(self) -> list[str]:
        locks = self._ask(lambda: self._site.api.get("locks?q=state&state=Held")["elements"], [{"id": "unknown"}])
        return [str(lock["id"]) for lock in locks]

    @staticmethod
    def _ask(question: Callable[[], Answer], silent: Answer) -> Answer:
        try:
            return question()
        except Silence:
            return silent

    @staticmethod
    def _until(condition: Callable[[], bool], seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.1)
        return True
