"""Hosts whose packages come by dnf. What is done there is dnf_on_host.py: its command line has no way to refuse a removal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drydock_remediation.bundle import program


class Dnf:
    """See Family."""

    name = "dnf"
    tool = "dnf"
    channel_field = "dnfChannel"
    query = ["rpm", "-qa", "--qf", "%{NAME}|ii|%{EVR}\\n"]  # noqa: RUF012 - nobody changes it
    installed = ["rpm", "-qa", "--qf", "installed %{NAME}.%{ARCH} %{EVR}\\n"]  # noqa: RUF012 - the same
    program = program("dnf_on_host", "others_on_host", "automatic_upgrades", "channel_on_host", "dnf_rules_on_host")

    def release_fields(self, record: Mapping[str, Any]) -> tuple[str, Mapping[str, str], str]:
        return record.get("dnfChannel") or "", dict(record.get("dnfPackages") or {}), record.get("dnfKernel") or record["kernel"]

    def audits(self, packages: list[str]) -> list[list[str]]:
        return [["rpm", "-V", "--noconfig", *packages], ["dnf", "-q", "--noplugins", "check"]]
