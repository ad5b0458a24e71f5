"""The checks, in order: each puts questions to a controller's process and says what was broken."""

from __future__ import annotations

import contextlib
import os
import secrets
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from drydock_controller.conformance import contract
from drydock_controller.conformance.contract import Question
from drydock_controller.conformance.played_board import PlayedBoard, Posted
from drydock_controller.questions import Instance

INSTANCES_MAX = 6
LATE_SECONDS = 1.0
FINDINGS_MAX = 5  # Whoever is wrong in so many ways is asked no more.


@dataclass
class Suite:
    """One run over one fleet; ``findings`` are sentences, none if the contract is kept."""

    command: Sequence[str]
    topic: str
    fleet: Sequence[Instance]
    timeout_seconds: int
    findings: list[str] = field(default_factory=list)
    asked: int = 0

    def run(self) -> list[str]:
        token = secrets.token_hex(8)
        with tempfile.TemporaryDirectory() as folder, PlayedBoard(self.topic, token) as self._board:
            token_file = Path(folder) / "token"
            token_file.write_text(token + "\n")
            self._environment = {**os.environ, "DRYDOCK_URL": self._board.url, "DRYDOCK_TOKEN_FILE": str(token_file)}
            with self._process():
                self._questions()
            self._killed()
            self.findings += self._board.strays
        return list(dict.fromkeys(self.findings))

    @contextlib.contextmanager
    def _process(self) -> Iterator[subprocess.Popen[bytes]]:
        process = subprocess.Popen(self.command, env=self._environment)
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    def _ids(self) -> list[str]:
        return [instance.id for instance in self.fleet[:INSTANCES_MAX]]

    def _questions(self) -> None:
        """Each alone with more and more down, then groups together, with nothing and with something down."""
        told: list[tuple[Question, dict[str, Any]]] = []
        for one in self._ids():
            others = [other for other in self._ids() if other != one]
            for down in ([], others[:1], others[-1:], others[:2], others):
                self._ask(Question((frozenset({one}),), frozenset(down)), told)
        self.findings += contract.monotone(told)
        zones: dict[str, set[str]] = {}
        for instance in self.fleet[:INSTANCES_MAX]:
            zones.setdefault(instance.zone, set()).add(instance.id)
        pairs = tuple(frozenset(self._ids()[at : at + 2]) for at in range(0, len(self._ids()), 2))
        ways = (tuple(frozenset({one}) for one in self._ids()), tuple(map(frozenset, zones.values())), pairs)
        for groups in ways:
            for count in (0, 1):
                self._several(Question(groups, frozenset(self._ids()[:count])))

    def _several(self, question: Question) -> None:
        told: list[tuple[Question, dict[str, Any]]] = []
        self._ask(question, told)
        approved = frozenset(told[0][1]["approved"]) if told else frozenset()
        if not approved:
            return
        one = Question((approved,), question.down)
        alone: list[tuple[Question, dict[str, Any]]] = []
        self._ask(one, alone)
        if alone:
            self.findings += contract.together(question, approved, alone[0][1])
        again: list[tuple[Question, dict[str, Any]]] = []
        self._ask(question, again)
        if again:
            self.findings += contract.same(question, told[0][1], again[0][1], "when asked again")

    def _killed(self) -> None:
        """SIGKILL while it has a question: its successor answers the same round as its own predecessor would have."""
        question = Question(tuple(frozenset({one}) for one in self._ids()), frozenset(self._ids()[:1]))
        told: list[tuple[Question, dict[str, Any]]] = []
        with self._process():
            self._ask(question, told)
        with self._process() as victim:
            self._board.on_claim = victim.kill
            posted = self._post(question)
            self._wait(lambda: bool(posted.claims), self.timeout_seconds + LATE_SECONDS)
            victim.wait()
            self._board.on_claim = lambda: None
            with self._process():
                posted.answered.wait(self.timeout_seconds + LATE_SECONDS)
        if posted.answer is None:
            self.findings.append(f"asked {question}: no answer from a controller started after one was killed with the question")
        elif told:
            self.findings += contract.same(question, told[0][1], posted.answer, "after it was killed")
        self._board.take_down(posted)

    @staticmethod
    def _wait(seen: Any, seconds: float) -> None:
        end = time.monotonic() + seconds
        while not seen() and time.monotonic() < end:
            time.sleep(0.02)

    def _post(self, question: Question) -> Posted:
        self.asked += 1
        known = {instance.id: instance for instance in self.fleet}
        record = {
            "groups": [{"hosts": ["h"], "instances": _targets(known, group), "begun": False} for group in question.groups],
            "presumedDown": _targets(known, question.down),
            "fieldOfALaterVersion": {},
        }
        return self._board.post(self.asked, record, self.timeout_seconds)

    def _ask(self, question: Question, told: list[tuple[Question, dict[str, Any]]]) -> None:
        """Adds a proper answer to what was told, anything else to the findings."""
        if len(self.findings) >= FINDINGS_MAX:
            return
        posted = self._post(question)
        posted.answered.wait(self.timeout_seconds)
        if posted.answer is None:
            self.findings.append(f"asked {question}: no answer within {self.timeout_seconds} s")
        else:
            faults = contract.faults(question, posted.answer, int(time.time() * 1000))
            self.findings += faults
            if not faults:
                told.append((question, {**{name: [] for name in contract.LISTS}, **posted.answer}))
        self.findings += [f"asked {question}: {misdeed}" for misdeed in posted.misdeeds]
        self._board.take_down(posted)


def _targets(known: dict[str, Instance], ids: frozenset[str]) -> list[dict[str, str]]:
    return [{"id": one, "application": known[one].application, "zone": known[one].zone} for one in sorted(ids)]
