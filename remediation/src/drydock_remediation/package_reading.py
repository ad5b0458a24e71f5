"""What is installed on a host, in one number: read over SSH by a command that changes nothing and gives way to all else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from drydock_remediation.commands import WORD
from drydock_remediation.framed_output import LOST, ask
from drydock_remediation.records import FAMILIES
from drydock_remediation.settings import Ssh

READ_SECONDS = 20.0
FAULT_MAX = 200
SUM = re.compile(r"([0-9a-f]{64})  -")
# What was removed and left its configuration is not installed; a key is no package. A query that fails ends the script.
SCRIPT = """
    set -e
    export LC_ALL=C
    list=$("$@")
    [ -n "$list" ] || { echo "no package is installed" >&2; exit 1; }
    printf '%s\\n' "$list" | sed -e '/^not-installed /d' -e '/^config-files /d' -e '/^installed gpg-pubkey[. ]/d' -e 's/^[^ ]* //' |
      sort | sha256sum
"""


@dataclass(frozen=True)
class Due:
    """A host to be read; `stamp` and `asked_at` go back with the reading as they are."""

    host: str
    address: str
    family: str
    stamp: str
    asked_at: int

    @staticmethod
    def read(record: Mapping[str, Any]) -> Due:
        return Due(str(record["host"]), str(record["address"]), str(record["osFamily"]), str(record["stamp"]), int(record["askedAt"]))


@dataclass(frozen=True)
class Reading:
    """`fault` says why there is no digest; empty where there is one."""

    due: Due
    digest: str
    fault: str = ""

    def record(self) -> dict[str, Any]:
        due = self.due
        return {"host": due.host, "stamp": due.stamp, "askedAt": due.asked_at, "digest": self.digest, "fault": self.fault}


def read_packages(ssh: Ssh, due: Due) -> Reading:
    """Always answers: a host that cannot be read is told with why."""
    family = FAMILIES.get(due.family)
    if family is None:
        return unreadable(due, f"its package family {due.family!r} is none of {', '.join(FAMILIES)}")
    if not WORD.fullmatch(due.address):
        return unreadable(due, f"its address {due.address!r} has characters that are never given to ssh")
    command = ["nice", "-n", "19", "sh", "-c", SCRIPT, "packages", *family.installed]
    try:
        answer = ask(["ssh", *ssh.options(), f"{ssh.user}@{due.address}"], command, READ_SECONDS)
    except OSError as error:
        return unreadable(due, f"ssh could not be run: {error}")
    found = SUM.fullmatch(answer.out.strip())
    if answer.code == 0 and found:
        return Reading(due, found[1])
    said = answer.err.strip() or answer.out.strip()
    return unreadable(due, said if answer.code == LOST else f"code {answer.code}: {said}")


def unreadable(due: Due, why: str) -> Reading:
    """With why, in one line that the board takes."""
    words = " ".join("".join(letter if letter.isprintable() else " " for letter in why).split())
    return Reading(due, "", words[:FAULT_MAX] or "it did not say why")
