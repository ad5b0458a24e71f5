"""Who else works on a host."""

from __future__ import annotations

from drydock_remediation.facts import HostFacts


def others_of(read: HostFacts) -> str:
    """Processes that are not ours and hold locks of packages, or keep the host from shutting down; empty when there are none."""
    return read.others
