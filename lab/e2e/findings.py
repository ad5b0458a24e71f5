"""What hosts and the balancer show of themselves, whatever Drydock says of them."""

import socket
import subprocess
from typing import Any

from fleet import Fleet

from drydock_stack import release_check
from drydock_stack.service import http_json


def found(fleet: Fleet, host: str) -> dict[str, Any]:
    """What the host and the balancer say of it; nothing of Drydock is asked but for its locks."""
    status, lab = http_json(f"http://127.0.0.1:{fleet.instance.port('labControl')}/hosts/{host}", seconds=10)
    assert status == 200 and isinstance(lab, dict)
    ask = "ls /data/drydock/cordon 2>/dev/null; dpkg-query -W 2>/dev/null | sha256sum; rpm -qa 2>/dev/null | sort | sha256sum"
    command = [*release_check.ssh(fleet.lab), fleet.lab.addresses()[host], ask]
    inside = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout
    return {
        **{key: lab[key] for key in ("power", "boots", "bootId", "kernel", "release", "notReady")},
        "cordon and packages": inside,
        "rotation": sorted(line for line in rotation(fleet) if line.split()[0].endswith(f"/{host}")),
        "locks": [lock["kind"] for lock in fleet.listed("locks") if host in lock["hosts"] and lock["state"] == "Held"],
    }


def rotation(fleet: Fleet) -> list[str]:
    """APPLICATION/HOST and the administrative state of each server of the balancer."""
    with socket.create_connection(("127.0.0.1", fleet.instance.port("balancerStats")), timeout=10) as balancer:
        balancer.sendall(b"show servers state\n")
        text = b"".join(iter(lambda: balancer.recv(65536), b"")).decode()
    rows = [line.split() for line in text.splitlines()[2:] if line]
    return [f"{row[1]}/{row[3]} {row[6]}" for row in rows]
