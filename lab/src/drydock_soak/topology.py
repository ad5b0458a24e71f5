"""Where a soak runs: a namespace for each etcd member, and one with a bridge between them for everybody else.

Nothing of it touches the root namespace. Names derive from the checkout, so that a sweep finds what a killed soak left,
processes included: all of them live in these namespaces, and their command lines name the folder of the checkout's soak.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from drydock_lab.commands import run
from drydock_lab.network import batch, sysctl
from drydock_lab.sweep import sweep_namespaces

CLIENT_PORT, PEER_PORT = 2379, 2380
NET = "10.255.0"  # Seen by nobody outside these namespaces.


@dataclass(frozen=True)
class Topology:
    """The names and addresses of one checkout's soak."""

    id: str
    members: int = 3

    @property
    def hub(self) -> str:
        return f"{self._prefix}hub"

    @property
    def numbers(self) -> range:
        return range(1, self.members + 1)

    def namespace(self, member: int) -> str:
        return f"{self._prefix}m{member}"

    def address(self, member: int) -> str:
        return f"{NET}.{member}"

    def create(self) -> None:
        """Makes the namespaces."""
        run(["ip", "netns", "add", self.hub])
        sysctl(self.hub, "net/ipv6/conf/all/disable_ipv6", "1")
        batch(self.hub, "link set lo up", "link add br0 type bridge", f"addr add {NET}.254/24 dev br0", "link set br0 up")
        for member in self.numbers:
            namespace, port = self.namespace(member), _port(member)
            run(["ip", "netns", "add", namespace])
            sysctl(namespace, "net/ipv6/conf/all/disable_ipv6", "1")
            run(["ip", "link", "add", port, "netns", self.hub, "type", "veth", "peer", "name", "eth0", "netns", namespace])
            batch(self.hub, f"link set {port} master br0", f"link set {port} up")
            batch(namespace, "link set lo up", f"addr add {self.address(member)}/24 dev eth0", "link set eth0 up")

    def remove(self, folder: Path) -> None:
        """Ends what works in this folder, and removes the namespaces; raises when there is anybody else in them."""
        sweep_namespaces(self._prefix, lambda command_line: str(folder) in command_line)

    def cut(self, member: int) -> None:
        """Pulls the member's cable: nobody reaches it, and it reaches nobody."""
        batch(self.hub, f"link set {_port(member)} down")

    def cut_from_peers(self, member: int) -> None:
        """Clients go on reaching the member; the other members do not."""
        rules = "\n".join(
            f"chain {hook} {{ type filter hook {hook} priority 0; tcp dport {PEER_PORT} drop; tcp sport {PEER_PORT} drop; }}"
            for hook in ("input", "output")
        )
        run(["ip", "netns", "exec", self.namespace(member), "nft", "-f", "-"], stdin=f"table inet cut {{\n{rules}\n}}\n")

    def heal(self, member: int) -> None:
        """Undoes both cuts; harmless where there is none."""
        batch(self.hub, f"link set {_port(member)} up")
        run(["ip", "netns", "exec", self.namespace(member), "nft", "flush", "ruleset"])

    @property
    def _prefix(self) -> str:
        return f"ds{self.id}-"


def _port(member: int) -> str:
    return f"port{member}"
