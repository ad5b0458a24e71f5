"""What may be removed from a host whose disk is full: rules in a file, refused as a whole when anything in them is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

FILE = Path(__file__).with_name("clean_rules.yaml")
FIELDS = {"name", "paths", "olderThanHours"}
# Systems, their packages, their owners' data: no rule may reach into them.
NEVER = (
    *("/bin", "/boot", "/data", "/dev", "/etc", "/home", "/lib", "/lib64", "/proc", "/root", "/run", "/sbin", "/srv", "/sys", "/usr"),
    *("/var/lib/apt", "/var/lib/dpkg", "/var/lib/rpm"),
)
HOURS_MAX = 24 * 366


@dataclass(frozen=True)
class Rule:
    name: str
    paths: tuple[str, ...]
    older_than_hours: int

    def record(self) -> dict[str, Any]:
        """As the program on the host takes it: each pattern in two, where to begin and what to look for there."""
        folders = [(fixed_part(path), path) for path in self.paths]
        paths = [[str(folder), str(PurePosixPath(path).relative_to(folder))] for folder, path in folders]
        return {"name": self.name, "hours": self.older_than_hours, "paths": paths}


Rules = tuple[Rule, ...]


def read(text: str) -> Rules:
    """A ValueError names the rule and what is wrong with it."""
    try:
        records = yaml.safe_load(text)["rules"]
    except (yaml.YAMLError, TypeError, KeyError) as error:
        raise ValueError(f"a mapping with a list of rules is wanted: {error!r}") from None
    if not isinstance(records, list) or not records:
        raise ValueError("rules is no list with at least one rule")
    return tuple(_rule(record) for record in records)


def default() -> Rules:
    return read(FILE.read_text())


def _rule(record: Any) -> Rule:
    if not isinstance(record, Mapping) or set(record) != FIELDS:
        raise ValueError(f"{record!r} is no rule: each has {', '.join(sorted(FIELDS))} and nothing else")
    name, paths, hours = record["name"], record["paths"], record["olderThanHours"]
    if not isinstance(paths, list) or not paths:
        raise ValueError(f"rule {name}: paths is no list with at least one pattern")
    if isinstance(hours, bool) or not isinstance(hours, int) or not 0 <= hours <= HOURS_MAX:
        raise ValueError(f"rule {name}: olderThanHours is {hours!r}, must be a whole number from 0 to {HOURS_MAX}")
    if wrong := [why for path in paths if (why := objection(path))]:
        raise ValueError(f"rule {name}: {'; '.join(wrong)}")
    return Rule(str(name), tuple(paths), hours)


def objection(pattern: Any) -> str:
    """Why nothing may be removed by a pattern; empty when it may."""
    if not isinstance(pattern, str) or not pattern.startswith("/") or ".." in PurePosixPath(pattern).parts:
        return f"{pattern!r} is no absolute path without '..'"
    folder = fixed_part(pattern)
    if len(folder.parts) < len(("/", "tmp")):
        return f"{pattern!r} may match anywhere: name a folder before the first of * ? ["
    if taken := next((one for one in NEVER if folder.is_relative_to(one) or PurePosixPath(one).is_relative_to(folder)), None):
        return f"{pattern!r} reaches into {taken}, where nothing is ever removed"
    return ""


def fixed_part(pattern: str) -> PurePosixPath:
    """The folder before the first part that is a pattern."""
    parts = PurePosixPath(pattern).parts
    fixed = next((number for number, part in enumerate(parts) if any(sign in part for sign in "*?[")), len(parts) - 1)
    return PurePosixPath(*parts[:fixed])
