"""Hosts whose packages come by apt."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from drydock_remediation.family import Plan

SOURCES = "/etc/apt/sources.list.d/fleet.list"
FULL_UPGRADE = "== what a full upgrade would do =="
# What is only to be configured was unpacked before, and dpkg was cut off, or a script of it failed.
INSTALL = re.compile(r"^(?:Inst|Conf) (\S+)(?: \[[^\]]*\])? \(([^\s)]+)")
REMOVE = re.compile(r"^(?:Remv|Purg) (\S+)")
QUIETLY = ["env", "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive"]
APT = [
    *(*QUIETLY, "apt-get", "-q", "-y"),
    *("-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold", "-o", "DPkg::Lock::Timeout=60"),
]
# This is what Ansible's `apt: upgrade=safe` runs: no package is removed. It is not run by that module, because its
# process would die with the connection or with this program, in the middle of dpkg, and a second attempt could not
# tell. Under the wrapper it goes on, ends once, and every later attempt gets its result. --no-remove says it twice.
UPGRADE = ["--no-remove", "upgrade", "--with-new-pkgs"]
# Where dpkg was cut off, apt-get upgrades nothing until dpkg has ended what it began, and what is half there may need what was still
# to come; on any other host neither changes anything. How dpkg ends does not count: what fails to be configured may be what the
# channel has another version of, and apt-get tries the rest again and tells by its own code. Both write into one output.
CONFIGURE = [*QUIETLY, "dpkg", "--force-confdef", "--force-confold", "--configure", "-a"]
FIX = "--fix-broken"
# By these preferences the versions of the channel are the ones to have, whether older or newer. They stand where only the
# commands that name them look: among the host's own ones they would let everybody's apt-get go back.
PREFERENCES = "/etc/apt/fleet-downgrade"
PREFER = f"""
            {{
              cat /etc/apt/preferences 2>/dev/null || true
              printf '\\n\\nPackage: *\\nPin: origin "%s"\\nPin-Priority: 1001\\n' "$2"
            }} > {PREFERENCES}.new
            mv {PREFERENCES}.new {PREFERENCES}
"""
DOWNGRADE = ["--allow-downgrades", "-o", f"Dir::Etc::preferences={PREFERENCES}"]


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

    def refresh(self, channel: str, *, downgrade: bool) -> list[str]:
        # Without Error-Mode=any apt-get shrugs off a channel it could not read and calls it success.
        script = f"""
            set -e
            printf 'deb [trusted=yes] %s ./\\n' "$1" > {SOURCES}.new
            mv {SOURCES}.new {SOURCES}
            {PREFER if downgrade else ""}
            exec apt-get -q -o APT::Update::Error-Mode=any -o Acquire::Retries=2 -o Acquire::http::Timeout=20 update
        """
        return ["sh", "-c", script, "channel", channel, str(urlsplit(channel).hostname)]

    def simulation(self, channel: str, *, downgrade: bool) -> list[str]:  # noqa: ARG002 - it stands in the sources by now
        # The last part changes no decision: it names the packages a full upgrade would remove, for the message. Only without
        # --fix-broken apt-get says what is unmet. A host whose dpkg was cut off is planned as it is: a refused one stays untouched.
        plain, fixing, full = (
            " ".join([*_apt(downgrade=downgrade), *words, "-s"]) for words in (UPGRADE, [FIX, *UPGRADE], ["dist-upgrade"])
        )
        return ["sh", "-c", f"{{ {plain} || {fixing}; }} && echo '{FULL_UPGRADE}' && {{ {full} || true; }}"]

    def upgrade(self, channel: str, *, downgrade: bool) -> list[str]:  # noqa: ARG002 - it stands in the sources by now
        return ["sh", "-c", f'{" ".join(CONFIGURE)}; exec "$@"', "upgrade", *_apt(downgrade=downgrade), FIX, *UPGRADE]

    def read(self, text: str) -> Plan:
        safe, _, full = text.partition(FULL_UPGRADE)
        installs = {match.group(1): match.group(2) for line in safe.splitlines() if (match := INSTALL.match(line))}
        return Plan(installs, _removals(safe), _removals(full))


def _apt(*, downgrade: bool) -> list[str]:
    return [*APT, *DOWNGRADE] if downgrade else APT


def _removals(text: str) -> tuple[str, ...]:
    return tuple(match.group(1) for line in text.splitlines() if (match := REMOVE.match(line)))
