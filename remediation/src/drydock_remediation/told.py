"""What the tasks of a play reported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from drydock_remediation.facts import HostFacts
from drydock_remediation.health.condition import Condition
from drydock_remediation.health.custom import Ran

TEXT_MAX = 1500


@dataclass(frozen=True)
class Told:
    """What a task of the playbook reported for one host."""

    status: str
    code: int | None = None
    out: str = ""
    err: str = ""
    facts: HostFacts | None = None
    condition: Condition | None = None
    checks: Mapping[str, Ran] | None = None

    @property
    def ran(self) -> bool:
        return self.status in ("ok", "failed")

    def tail(self) -> str:
        return (self.err or self.out).strip()[-TEXT_MAX:]


SILENT = Told("absent")
