"""What is done to the leading etcd member, and undone."""

from __future__ import annotations

import signal
from collections.abc import Callable

from drydock_soak.cluster import Cluster, Member
from drydock_soak.topology import Topology


class LeadingMember:
    """Whichever member leads when something is done to it."""

    def __init__(self, cluster: Cluster, topology: Topology) -> None:
        self._cluster, self._topology = cluster, topology

    def strike(self, kind: str) -> tuple[str, Callable[[], None]]:
        """Does a fault of `nemesis.LEADER_FAULTS`; answers to which member, and how it is undone."""
        member = self._cluster.leader()
        return f"m{member.number}", self._do(kind, member)

    def _do(self, kind: str, member: Member) -> Callable[[], None]:
        if kind == "leader killed":
            member.kill()
            return member.start
        if kind == "leader paused":
            member.signal(signal.SIGSTOP)
            return lambda: member.signal(signal.SIGCONT)
        (self._topology.cut if kind == "leader cut off" else self._topology.cut_from_peers)(member.number)
        return lambda: self._topology.heal(member.number)
