"""Where BMCs are and how they are reached: one JSON file, checked at start."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAME = re.compile(r"[^/\s]{1,100}")
URL = re.compile(r"https://[A-Za-z0-9._:\[\]-]{1,255}/?")


class AccessError(Exception):
    """The file is wrong; says where and what to do."""


@dataclass(frozen=True)
class BmcPlace:
    """Of one machine. `system` and `drive` are names of resources there, empty where there is one only."""

    url: str
    system: str = ""
    drive: str = ""


@dataclass(frozen=True)
class BmcAccess:
    """The password is read for each session, so that it can be replaced. Certificates are always checked against `ca_file`."""

    user: str
    password_file: Path
    ca_file: Path
    places: Mapping[str, BmcPlace]

    def password(self) -> str:
        return self.password_file.read_text().strip()


def read_access(file: Path) -> BmcAccess:
    """All problems at once."""
    try:
        record = json.loads(file.read_text())
        places = {str(host): _place(bmc) for host, bmc in record["bmcs"].items()}
        access = BmcAccess(str(record["user"]), Path(record["passwordFile"]), Path(record["caFile"]), places)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        shape = '{"user","passwordFile","caFile","bmcs":{HOST:{"url","system"?,"drive"?}}}'
        raise AccessError(f"{file} must be {shape} in JSON: {error!r}") from None
    problems = [f"{path}, which is not a file" for path in (access.password_file, access.ca_file) if not path.is_file()]
    problems += [f"{one.url!r} for {host}, which is not https://HOST[:PORT]" for host, one in places.items() if not URL.fullmatch(one.url)]
    problems += [
        f"{field} {name!r} for {host}, which is not the last part of a resource's path"
        for host, one in places.items()
        for field, name in (("system", one.system), ("drive", one.drive))
        if name and not NAME.fullmatch(name)
    ]
    if problems:
        raise AccessError("; ".join(f"{file} names {problem}" for problem in problems))
    return access


def _place(record: Mapping[str, Any]) -> BmcPlace:
    if strange := sorted(set(record) - {"url", "system", "drive"}):
        raise ValueError(f"{', '.join(strange)} is not understood")
    return BmcPlace(str(record["url"]), str(record.get("system") or ""), str(record.get("drive") or ""))
