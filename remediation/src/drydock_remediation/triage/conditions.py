"""Conditions on one fact. Each is true, false, or unknown where nobody knows the fact. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from drydock_remediation.triage.facts import KINDS, Fact, Facts

SHOWN_MAX = 200
NUMBERS, ANY = (int, float), (str, int, float, bool)


@dataclass(frozen=True)
class Operator:
    """`takes` are the types of facts it is for, `given` the type of what stands beside it in the table."""

    takes: tuple[type, ...]
    given: tuple[type, ...]
    holds: Callable[[Any, Any], bool]
    words: str


OPERATORS: Mapping[str, Operator] = {
    "is": Operator(ANY, ANY, lambda got, want: bool(got == want), "{}"),
    "oneOf": Operator((str,), (list,), lambda got, want: got in want, "one of {}"),
    "matches": Operator((str,), (str,), lambda got, want: re.search(want, got, re.IGNORECASE) is not None, "matches {}"),
    "under": Operator(NUMBERS, NUMBERS, lambda got, want: bool(got < want), "under {}"),
    "atLeast": Operator(NUMBERS, NUMBERS, lambda got, want: bool(got >= want), "at least {}"),
    "differsFrom": Operator((str,), (str,), lambda got, want: bool(got != want), "another than {}"),  # what it is given names a fact
}


@dataclass(frozen=True)
class Condition:
    fact: str
    operator: str
    value: Any

    @staticmethod
    def read(record: Mapping[str, Any]) -> Condition:
        """A ValueError says what in the table is wrong."""
        fact, others = str(record.get("fact")), [name for name in record if name != "fact"]
        if fact not in KINDS:
            raise ValueError(f"{fact!r} is no fact; there are {', '.join(KINDS)}")
        if len(others) != 1 or others[0] not in OPERATORS:
            raise ValueError(f"{fact} needs one of {', '.join(OPERATORS)}, and has {', '.join(others) or 'none'}")
        name, value = others[0], record[others[0]]
        operator = OPERATORS[name]
        if KINDS[fact].type not in operator.takes or type(value) not in operator.given:
            raise ValueError(f"{name}: {value!r} is nothing that {fact} can be held against")
        if name == "matches":
            re.compile(value)
        if name == "differsFrom" and value not in KINDS:
            raise ValueError(f"{fact} is to differ from {value!r}, which is no fact")
        return Condition(fact, name, tuple(value) if isinstance(value, list) else value)

    def unknown(self, facts: Facts) -> tuple[str, ...]:
        """What would have to be known."""
        asked = (self.fact, self.value) if self.operator == "differsFrom" else (self.fact,)
        return tuple(name for name in asked if name not in facts)

    def holds(self, facts: Facts) -> bool | None:
        """None: unknown."""
        if self.unknown(facts):
            return None
        return OPERATORS[self.operator].holds(facts[self.fact], self._wanted(facts))

    def want(self, facts: Facts) -> str:
        """In words; of a fact that is not known its name."""
        wanted = self._wanted(facts) if not self.unknown(facts) else self.value
        text = ", ".join(wanted) if isinstance(wanted, tuple) else _shown(wanted)
        return OPERATORS[self.operator].words.format(text)

    def got(self, facts: Facts) -> str:
        """Of a long text what it was recognised by."""
        value = facts[self.fact]
        if self.operator == "matches" and (found := re.search(self.value, str(value), re.IGNORECASE)):
            value = str(value)[max(0, found.start() - SHOWN_MAX // 4) :]
        return _shown(value)[:SHOWN_MAX]

    def _wanted(self, facts: Facts) -> Any:
        return facts[self.value] if self.operator == "differsFrom" else self.value


def _shown(value: Fact) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
