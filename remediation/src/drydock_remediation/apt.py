"""Hosts whose packages come by apt. What is done there is apt_on_host.py."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drydock_remediation.bundle import program


class Apt:
    """See Family."""

    name = "apt"
    tool = "apt-get"
    channel_field = "channel"
    query = ["dpkg-query", "-W", "-f", "${Package}|${db:Status-Abbrev}|${Version}\\n"]  # noqa: RUF012 - nobody changes it
    installed = ["dpkg-query", "-W", "-f", "${db:Status-Status} ${Package}:${Architecture} ${Version}\\n"]  # noqa: RUF012 - the same
    program = program("apt_on_host", "others_on_host", "automatic_upgrades", "package_audits", "channel_on_host")

    def release_fields(self, record: Mapping[str, Any]) -> tuple[str, Mapping[str, str], str]:
        return record["channel"], dict(record["packages"]), record["kernel"]

    def audits(self, packages: list[str]) -> list[list[str]]:  # noqa: ARG002 - dpkg audits them all
        return [["dpkg", "--audit"]]
