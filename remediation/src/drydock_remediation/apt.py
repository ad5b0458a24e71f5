"""Hosts whose packages come by apt."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from drydock_remediation.family import Plan

SOURCES = "/etc/apt/sources.list.d/fleet.list"
FULL_UPGRADE = "== what a full upgrade would do =="
INSTALL = re.compile(r"^Inst (\S+)(?: \[[^\]]*\])? \((\S+)")
REMOVE = re.compile(r"^(?:Remv|Purg) (\S+)")
APT = [
    *("env", "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y"),
    *("-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold", "-o", "DPkg::Lock::Timeout=60"),
]
# This is what Ansible's `apt: upgrade=safe` runs: no package is removed. It is not run by that module, because its
# process would die with the connection or with this program, in the middle of dpkg, and a second attempt could not
# tell. Under the wrapper it goes on, ends once, and every later attempt gets its result. --no-remove says it twice.
UPGRADE = [*APT, "--no-remove", "upgrade", "--with-new-pkgs"]


class Apt:
    """See Family."""

    name = "apt"
    tool = "apt-get"
    channel_field = "channel"
    query = ["dpkg-query", "-W", "-f", "${Package}|${db:Status-Abbrev}|${Version}\\n"]  # noqa: RUF012 - nobody changes it

    def release_fields(self, record: Mapping[str, Any]) -> tuple[str, Mapping[str, str], str]:
        return record["channel"], dict(record["packages"]), record["kernel"]

    def audits(self, packages: list[str]) -> list[list[str]]:  # noqa: ARG002 - dpkg audits them all
        return [["dpkg", "--audit"]]

    def refresh(self, channel: str) -> list[str]:
        # Without Error-Mode=any apt-get shrugs off a channel it could not read and calls it success.
        script = f"""
            set -e
            printf 'deb [trusted=yes] %s ./\\n' "$1" > {SOURCES}.new
            mv {SOURCES}.new {SOURCES}
            exec apt-get -q -o APT::Update::Error-Mode=any -o Acquire::Retries=2 -o Acquire::http::Timeout=20 update
        """
        return ["sh", "-c", script, "channel", channel]

    def simulation(self, channel: str) -> list[str]:  # noqa: ARG002 - it stands in the sources by now
        # The second half changes no decision: it names the packages a full upgrade would remove, for the message.
        script = f"{' '.join(UPGRADE)} -s && echo '{FULL_UPGRADE}' && {{ {' '.join(APT)} -s dist-upgrade || true; }}"
        return ["sh", "-c", script]

    def upgrade(self, channel: str) -> list[str]:  # noqa: ARG002
        return UPGRADE

    def read(self, text: str) -> Plan:
        safe, _, full = text.partition(FULL_UPGRADE)
        installs = {match.group(1): match.group(2) for line in safe.splitlines() if (match := INSTALL.match(line))}
        return Plan(installs, _removals(safe), _removals(full))


def _removals(text: str) -> tuple[str, ...]:
    return tuple(match.group(1) for line in text.splitlines() if (match := REMOVE.match(line)))
