"""The table of signatures: read once, refused as a whole when anything in it is wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from drydock_remediation.triage.conditions import Condition

FILE = Path(__file__).with_name("signatures.yaml")
UNKNOWN = "unknown"  # of what fits no signature
RETRY = "RetryStep"  # reads first, and does what is missing
FORCE = ("PowerCycle", "RollBack", "Reimage")  # what no host gets for a fault that is not its own
RUNGS = (RETRY, "RestartService", "CleanDisk", *FORCE)
FIELDS = {"name", "means", "evidence", "first", "rungs", "when"}


@dataclass(frozen=True)
class Signature:
    """`when` are alternatives, each of conditions that hold together. `rungs` of a ladder are what is known to help, the
    mildest first; a signature without any is for people."""

    name: str
    means: str
    evidence: str
    first: str
    rungs: tuple[str, ...]
    when: tuple[tuple[Condition, ...], ...]

    @property
    def recoverable(self) -> bool:
        return bool(self.rungs)


def read(text: str) -> tuple[Signature, ...]:
    """In their order. A ValueError names the signature and what is wrong with it."""
    signatures = tuple(_signature(record) for record in yaml.safe_load(text)["signatures"])
    names = [signature.name for signature in signatures]
    if twice := sorted({name for name in names if names.count(name) > 1} | ({UNKNOWN} & set(names))):
        raise ValueError(f"{', '.join(twice)}: a name is there once, and {UNKNOWN} is none")
    return signatures


@cache
def table() -> tuple[Signature, ...]:
    return read(FILE.read_text())


def _signature(record: Mapping[str, Any]) -> Signature:
    name = str(record.get("name"))
    try:
        return _checked(name, record)
    except (ValueError, TypeError, AttributeError, re.error) as error:
        raise ValueError(f"signature {name}: {error}") from error


def _checked(name: str, record: Mapping[str, Any]) -> Signature:
    if set(record) != FIELDS:
        raise ValueError(f"{', '.join(sorted(set(record) ^ FIELDS))}: too much or missing")
    rungs = tuple(record["rungs"])
    if strange := [rung for rung in rungs if rung not in RUNGS]:
        raise ValueError(f"{', '.join(strange)} is no rung; there are {', '.join(RUNGS)}")
    when = tuple(_alternative(one) for one in record["when"])
    if not when:
        raise ValueError("without conditions")
    texts = {field: " ".join(str(record[field]).split()) for field in ("means", "evidence", "first")}
    return Signature(name, **texts, rungs=rungs, when=when)


def _alternative(records: Sequence[Mapping[str, Any]]) -> tuple[Condition, ...]:
    if not records:
        raise ValueError("an alternative without conditions would always hold")
    return tuple(Condition.read(record) for record in records)
