"""What the tasks of a play reported."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from drydock_remediation.facts import HostFacts
from drydock_remediation.health.condition import Condition
from drydock_remediation.health.custom import Ran

TEXT_MAX = 1500

# What package managers print whether they fail or not: beside it the line of a script that failed is not seen.
NOISE = re.compile(
    r"debconf: |dpkg-preconfigure: |\(Reading database|\(TERM is not set|Preconfiguring packages|Extracting templates"
    r"|WARNING: apt does not have a stable CLI interface"
)


def telling(text: str) -> str:
    """The text without what is always there, cut at its beginning: the end tells what failed."""
    return "\n".join(line for line in text.splitlines() if line.strip() and not NOISE.match(line.strip()))[-TEXT_MAX:]


@dataclass(frozen=True)
class TaskReports:
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
        """What tells why it failed: of its errors, else of its output, else whatever it said."""
        return telling(self.err) or telling(self.out) or (self.err or self.out).strip()[-TEXT_MAX:]


SILENT = TaskReports("absent")
