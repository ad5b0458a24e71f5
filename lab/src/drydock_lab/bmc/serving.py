"""Brings the BMCs to their addresses in the management namespace, over TLS."""

from __future__ import annotations

import asyncio
import ctypes
import os
import secrets
import socket
import ssl
import threading
from collections.abc import Iterable
from pathlib import Path

from drydock_lab import files
from drydock_lab.bmc.service import Bmc
from drydock_lab.commands import run
from drydock_lab.errors import LabError
from drydock_lab.instance import Instance
from drydock_lab.json_server import connections
from drydock_lab.network import management_namespace
from drydock_lab.plan import HOSTS_MAX, LabPlan

PORT = 443
USER = "drydock"
CLONE_NEWNET = 0x40000000


class Access:
    """How the BMCs are reached: `.drydock/lab/bmc.json` says it, the password and the certificate lie beside it."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.config = instance.lab / "bmc.json"
        self.password_file = instance.lab / "bmc" / "password"
        self.certificate = instance.lab / "bmc" / "certificate.pem"
        self.key = instance.lab / "bmc" / "key.pem"

    def ensure(self, plan: LabPlan) -> None:
        """Makes what is missing once for the life of the state folder."""
        if not self.password_file.exists():
            files.write(self.password_file, f"{secrets.token_urlsafe(18)}\n", 0o600)
        if not self.certificate.exists():
            self._certify()
        bmcs = {host.name: {"url": f"https://{self.instance.bmc_address(host.index)}"} for host in plan.hosts}
        access = {"user": USER, "passwordFile": str(self.password_file), "caFile": str(self.certificate), "bmcs": bmcs}
        files.write_json(self.config, access)

    def password(self) -> str:
        return self.password_file.read_text().strip()

    def _certify(self) -> None:
        """One certificate for the addresses of all BMCs there can be, signed by itself."""
        names = ",".join(f"IP:{self.instance.bmc_address(index)}" for index in range(1, HOSTS_MAX + 1))
        temporary = self.certificate.with_suffix(".new")
        new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", str(self.key)]
        subject = ["-subj", "/CN=BMCs of the lab", "-addext", f"subjectAltName={names}"]
        run(["openssl", "req", "-x509", "-days", "3650", *new_key, *subject, "-out", str(temporary)])
        temporary.replace(self.certificate)


async def serve(instance: Instance, bmcs: Iterable[Bmc]) -> list[asyncio.Server]:
    """One listener for each BMC; the caller closes them."""
    access = Access(instance)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(access.certificate, access.key)
    chosen = {instance.bmc_address(bmc.host.plan.index): bmc for bmc in bmcs}
    listeners = await asyncio.to_thread(listen, management_namespace(instance), list(chosen))
    return [
        await asyncio.start_server(connections(bmc.answer), sock=listener, ssl=context)
        for bmc, listener in zip(chosen.values(), listeners, strict=True)
    ]


def listen(namespace: str, addresses: list[str]) -> list[socket.socket]:
    """Listening sockets in another network namespace. Only a thread of its own goes there, and ends there."""
    made: list[socket.socket] = []
    problems: list[OSError] = []

    def enter_and_listen() -> None:
        try:
            _enter(Path("/run/netns") / namespace)
            made.extend(socket.create_server((address, PORT), backlog=32) for address in addresses)
        except OSError as problem:
            problems.append(problem)

    thread = threading.Thread(target=enter_and_listen, name=f"listen in {namespace}")
    thread.start()
    thread.join()
    if problems:
        for one in made:
            one.close()
        raise LabError(f"the BMCs cannot listen in {namespace}: {problems[0]}")
    return made


def _enter(namespace: Path) -> None:
    descriptor = os.open(namespace, os.O_RDONLY | os.O_CLOEXEC)
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.setns(descriptor, CLONE_NEWNET) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(namespace))
    finally:
        os.close(descriptor)
