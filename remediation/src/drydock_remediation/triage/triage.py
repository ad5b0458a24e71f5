"""Which signature is it? The first in the order of the table whose conditions all hold on facts that are known. Pure.

1. An alternative holds when each of its conditions does, and does not when one of them does not, whatever is unknown of the
   others; else it is unknown.
2. A signature fits when one of its alternatives holds.
3. Nothing fits: unknown. A fact that nobody knows makes no signature fit.
4. What is unknown is tried once more, and nothing else. What switches a host off, takes its packages back or installs it anew helps
   none on which nothing was begun, and is nothing for one on which somebody else works with packages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from drydock_remediation.triage.conditions import Condition
from drydock_remediation.triage.facts import Facts
from drydock_remediation.triage.table import FORCE, RETRY, UNKNOWN, Signature, table


@dataclass(frozen=True)
class Evidence:
    """A fact a signature was recognised by."""

    fact: str
    got: str
    want: str

    def sentence(self) -> str:
        return f"{self.fact}: got {self.got}, want {self.want}"


@dataclass(frozen=True)
class Finding:
    """`signature` is None when nothing fits. `undecided` are signatures that came before it, with what nobody knew of them. `spared`:
    nothing was begun on the host, or somebody else works there."""

    signature: Signature | None
    evidence: tuple[Evidence, ...] = ()
    undecided: tuple[tuple[str, tuple[str, ...]], ...] = ()
    spared: bool = False

    @property
    def name(self) -> str:
        return self.signature.name if self.signature else UNKNOWN

    @property
    def recoverable(self) -> str:
        """true, false, or unknown."""
        return UNKNOWN if self.signature is None else str(self.signature.recoverable).lower()

    @property
    def rungs(self) -> tuple[str, ...]:
        """Empty: only people can help."""
        if self.signature is None:
            return (RETRY,)
        known = self.signature.rungs
        mild = tuple(rung for rung in known if rung not in FORCE)
        return known if not self.spared else mild or (known and (RETRY,))

    def sentence(self) -> str:
        if self.signature is None:
            return "no known signature"
        return f"{self.name} ({'; '.join(one.sentence() for one in self.evidence)})"


def triage(facts: Facts, signatures: Sequence[Signature] | None = None) -> Finding:
    undecided: list[tuple[str, tuple[str, ...]]] = []
    for signature in table() if signatures is None else signatures:
        verdicts = [(_holds(alternative, facts), alternative) for alternative in signature.when]
        fits = next((alternative for holds, alternative in verdicts if holds), None)
        if fits is not None:
            found = tuple(Evidence(one.fact, one.got(facts), one.want(facts)) for one in fits)
            return Finding(signature, found, tuple(undecided), _spared(facts))
        missing = [name for holds, alternative in verdicts if holds is None for one in alternative for name in one.unknown(facts)]
        if missing:
            undecided.append((signature.name, tuple(dict.fromkeys(missing))))
    return Finding(None, (), tuple(undecided), _spared(facts))


def _spared(facts: Facts) -> bool:
    return facts.get("update.begun") is False or facts.get("others", "") != ""


def _holds(alternative: Sequence[Condition], facts: Facts) -> bool | None:
    verdicts = [condition.holds(facts) for condition in alternative]
    if False in verdicts:
        return False
    return None if None in verdicts else True
