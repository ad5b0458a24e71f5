"""Prints docs/triage.md from the table: python -m drydock_remediation.triage.page"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from drydock_remediation.triage.conditions import OPERATORS, Condition
from drydock_remediation.triage.facts import KINDS
from drydock_remediation.triage.table import Signature, table

HEAD = """# Triage: what can be the matter with a host

Written by `python -m drydock_remediation.triage.page > docs/triage.md`; the table is
[signatures.yaml](../remediation/src/drydock_remediation/triage/signatures.yaml).

A host whose update began and on which Update, Health or Recover failed is diagnosed before anything else is decided about it, with or
without a ladder. What was read of it, of its BMC and of the step is held against these signatures in
their order, and the first one whose conditions all hold is it. A fact that nobody knows makes no condition hold, so a host may
end `unknown`: it is never guessed. The diagnosis says the signature, what it was recognised by (got and want), whether it is recoverable
and by which rungs of a ladder ([remediation](explanation/do-no-harm.md#remediation)): the facts
`diagnosis.signature`, `diagnosis.evidence`, `diagnosis.recoverable`
(`true`, `false`, `unknown`) and `diagnosis.rungs`. An `unknown` one is tried once more (`RetryStep`) and left to people then, unless a
policy says otherwise. On a host where nothing of the update was begun, or where somebody else works with packages or holds up the shutdown,
no signature opens `PowerCycle`, `RollBack` or `Reimage`; `diagnosis.others` names who that is.
"""


def page(signatures: Sequence[Signature]) -> str:
    summary = ["| | signature | recoverable by |", "|---|---|---|"]
    summary += [f"| {number} | [{one.name}](#{one.name}) | {_rungs(one)} |" for number, one in enumerate(signatures, 1)]
    facts = ["## Facts", "", "| fact | what it is |", "|---|---|", *(f"| `{name}` | {kind.means} |" for name, kind in KINDS.items())]
    return "\n".join([HEAD, *summary, "", *(line for one in signatures for line in _entry(one)), *facts, ""])


def _entry(one: Signature) -> list[str]:
    alternatives = "; or ".join(" and ".join(_condition(condition) for condition in alternative) for alternative in one.when)
    return [
        f"## {one.name}",
        "",
        one.means,
        "",
        f"- Evidence: {one.evidence}",
        f"- First: {one.first}",
        f"- Recoverable by: {_rungs(one)}",
        f"- When: {alternatives}",
        "",
    ]


def _rungs(one: Signature) -> str:
    return ", then ".join(f"`{rung}`" for rung in one.rungs) or "people alone"


def _condition(one: Condition) -> str:
    value = ", ".join(one.value) if isinstance(one.value, tuple) else str(one.value)
    return f"`{one.fact}` {'is ' if one.operator == 'is' else ''}" + OPERATORS[one.operator].words.format(
        f"`{value}`" if value else "empty"
    )


if __name__ == "__main__":
    sys.stdout.write(page(table()))
