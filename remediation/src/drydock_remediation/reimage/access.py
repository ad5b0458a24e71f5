"""Where BMCs are and how they are reached: one JSON file, checked at start."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

URL = re.compile(r"https://[A-Za-z0-9._:\[\]-]{1,255}/?")


class AccessError(Exception):
    """The file is wrong; says where and what to do."""


@dataclass(frozen=True)
class BmcAccess:
    """The password is read for each session, so that it can be replaced. Certificates are always checked against `ca_file`."""

    user: str
    password_file: Path
    ca_file: Path
    urls: Mapping[str, str]

    def password(self) -> str:
        return self.password_file.read_text().strip()


def read_access(file: Path) -> BmcAccess:
    """All problems at once."""
    try:
        record = json.loads(file.read_text())
        urls = {str(host): str(bmc["url"]) for host, bmc in record["bmcs"].items()}
        access = BmcAccess(str(record["user"]), Path(record["passwordFile"]), Path(record["caFile"]), urls)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        shape = '{"user","passwordFile","caFile","bmcs":{HOST:{"url"}}}'
        raise AccessError(f"{file} must be {shape} in JSON: {error!r}") from None
    problems = [f"{path}, which is not a file" for path in (access.password_file, access.ca_file) if not path.is_file()]
    problems += [f"{url!r} for {host}, which is not https://HOST[:PORT]" for host, url in urls.items() if not URL.fullmatch(url)]
    if problems:
        raise AccessError("; ".join(f"{file} names {problem}" for problem in problems))
    return access
