"""Hosts whose packages come by dnf."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from drydock_remediation.family import Plan

REPOSITORY = "/etc/yum.repos.d/fleet.repo"
ON_HOST = Path(__file__).parent / "dnf_on_host.py"


class Dnf:
    """See Family. What dnf shall do is a program of its own (dnf_on_host.py) rather than Ansible's module, for the
    reasons that hold for apt, and because dnf's command line has no way to refuse a removal."""

    name = "dnf"
    tool = "dnf"
    channel_field = "dnfChannel"
    query = ["rpm", "-qa", "--qf", "%{NAME}|ii|%{EVR}\\n"]  # noqa: RUF012 - nobody changes it

    def release_fields(self, record: Mapping[str, Any]) -> tuple[str, Mapping[str, str], str]:
        return record.get("dnfChannel") or "", dict(record.get("dnfPackages") or {}), record.get("dnfKernel") or record["kernel"]

    def audits(self, packages: list[str]) -> list[list[str]]:
        return [["rpm", "-V", "--noconfig", *packages], ["dnf", "-q", "check"]]

    def refresh(self, channel: str, *, downgrade: bool) -> list[str]:  # noqa: ARG002 - dnf is told when it plans
        script = f"""
            set -e
            printf '[fleet]\\nname=fleet\\nbaseurl=%s\\ngpgcheck=0\\nskip_if_unavailable=0\\n' "$1" > {REPOSITORY}.new
            mv {REPOSITORY}.new {REPOSITORY}
            exec python3 -c "$2" refresh "$1"
        """
        return ["sh", "-c", script, "channel", channel, ON_HOST.read_text()]

    def simulation(self, channel: str, *, downgrade: bool) -> list[str]:
        return ["python3", "-c", ON_HOST.read_text(), "plan", channel, *(["downgrade"] if downgrade else [])]

    def upgrade(self, channel: str, *, downgrade: bool) -> list[str]:
        return ["python3", "-c", ON_HOST.read_text(), "upgrade", channel, *(["downgrade"] if downgrade else [])]

    def read(self, text: str) -> Plan:
        plan = json.loads(text)
        return Plan(dict(plan["installs"]), tuple(plan["removals"]))
