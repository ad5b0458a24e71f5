"""The pure decisions, as filters of the playbooks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from drydock_remediation import others_on_host, simulation, update
from drydock_remediation.facts import HostFacts
from drydock_remediation.records import Release


def next_upgrade(host: dict[str, Any], release: dict[str, Any], job_id: str) -> str:
    return update.next_upgrade(HostFacts.read(host), Release(**release), job_id)


def needs_reboot(host: dict[str, Any], release: dict[str, Any], job_id: str) -> bool:
    return update.needs_reboot(HostFacts.read(host), Release(**release), job_id)


def as_begun(wrapped: list[str], host: dict[str, Any], key: str) -> list[str]:
    return update.as_begun(wrapped, HostFacts.read(host), key)


def refusals(text: str, release: dict[str, Any], host: dict[str, Any]) -> list[str]:
    return simulation.refusals(text, Release(**release), HostFacts.read(host).packages)


def work_there(text: str) -> bool:
    """Whether the answer names somebody; one that is none keeps nobody waiting."""
    return bool(others_on_host.told(text))


class FilterModule:
    """Ansible looks for this name."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {
            "as_begun": as_begun,
            "next_upgrade": next_upgrade,
            "needs_reboot": needs_reboot,
            "refusals": refusals,
            "work_there": work_there,
        }
