"""Are the ports we need free, and if not, who has them?"""

import hashlib
import os
import socket
from pathlib import Path

from drydock_stack import instance
from drydock_stack.failure import StackError
from drydock_stack.instance import PORT_OFFSETS, Instance

LISTEN = "0A"
IDS_TRIED = 5


def require_free(wanted: dict[str, int]) -> None:
    """Refuses with one message about all taken ports. ``wanted`` maps what a port is for to its number."""
    taken = {purpose: port for purpose, port in wanted.items() if not _is_free(port)}
    if not taken:
        return
    lines = [f"  port {port} ({purpose}) is taken by {_owner(port)}" for purpose, port in taken.items()]
    raise StackError(
        "Nothing was started, because ports of this checkout are in use:\n"
        + "\n".join(lines)
        + "\nStop that process, or take other ports for this checkout: DRYDOCK_ID=abc make up (any 1 to 5 of 0-9, a-z)."
    )


def free_instance(root: Path, *besides: Instance) -> Instance:
    """The identity of a checkout that is to run at once, beside those and whatever else runs: another one may have the ports
    that its path would give it. The last one that is tried is answered in any case; its start says what is in the way."""
    for number in range(IDS_TRIED):
        found = instance.derive(root, hashlib.sha256(f"{root}{number}".encode()).hexdigest()[:5])
        apart = all(found.port_base != one.port_base and found.subnet != one.subnet for one in besides)
        if apart and all(_is_free(found.port(name)) for name in PORT_OFFSETS):
            break
    return found


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # Connections in TIME_WAIT do not count.
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _owner(port: int) -> str:
    inodes = _listening_inodes(port)
    for descriptor in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if os.readlink(descriptor) in inodes:
                process = descriptor.parent.parent
                return f"process {process.name} ({(process / 'comm').read_text().strip()})"
        except OSError:
            continue  # It was closed meanwhile, or belongs to another user.
    return "a process that cannot be seen from here"


def _listening_inodes(port: int) -> set[str]:
    inodes = set()
    for table in ("tcp", "tcp6"):
        for line in (Path("/proc/net") / table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == LISTEN and int(fields[1].rpartition(":")[2], 16) == port:
                inodes.add(f"socket:[{fields[9]}]")
    return inodes
