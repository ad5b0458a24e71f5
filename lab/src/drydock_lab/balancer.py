"""The load balancer: HAProxy in the root namespace on loopback. Its runtime interface is the rotation of the fleet."""

from __future__ import annotations

import asyncio
from pathlib import Path

from drydock_lab import files
from drydock_lab.commands import run_async
from drydock_lab.errors import LabError
from drydock_lab.instance import Instance
from drydock_lab.plan import LabPlan
from drydock_lab.progress import say

ANSWER_SECONDS_MAX = 5.0
SAVE_SECONDS = 2.0


class Balancer:
    """HAProxy's configuration, its process and its runtime interface. Lives on the event loop."""

    def __init__(self, instance: Instance, plan: LabPlan) -> None:
        self.plan = plan
        self.port = instance.ports["balancerStats"]
        self.folder = instance.lab / "haproxy"
        self.state = self.folder / "state"
        self.log = instance.log_file("haproxy")
        self.process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Starts HAProxy with the rotation as it last was, and returns when it answers."""
        configuration = self.folder / "haproxy.cfg"
        files.write(configuration, configuration_text(self.plan, self.port, self.state))
        await run_async(["haproxy", "-c", "-q", "-f", str(configuration)])
        with self.log.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                *["setpriv", "--pdeathsig", "KILL", "haproxy", "-db", "-f", str(configuration)],
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        for _ in range(100):
            if self.process.returncode is not None:
                break
            try:
                await self.command("show info")
                return
            except OSError:
                await asyncio.sleep(0.05)
        raise LabError(f"HAProxy did not start, see {self.log}")

    async def stop(self) -> None:
        if self.process is None or self.process.returncode is not None:
            return
        await self.save()
        self.process.terminate()
        await asyncio.wait_for(self.process.wait(), ANSWER_SECONDS_MAX)

    async def command(self, line: str) -> str:
        """One command of the runtime interface and its answer."""
        reader, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", self.port), ANSWER_SECONDS_MAX)
        try:
            writer.write(f"{line}\n".encode())
            return (await asyncio.wait_for(reader.read(), ANSWER_SECONDS_MAX)).decode().strip()
        finally:
            writer.close()

    async def all_ready(self) -> None:
        """Puts every instance back into rotation."""
        for application in self.plan.applications:
            for host in self.plan.hosts_of(application):
                answer = await self.command(f"set server {application.name}/{host.name} state ready")
                if answer:
                    raise LabError(f"HAProxy refused to put {application.name} on {host.name} into rotation: {answer}")

    async def save(self) -> None:
        """Keeps the rotation, so that a host taken out stays out when the lab is started again."""
        text = await self.command("show servers state")
        await asyncio.to_thread(files.write, self.state, text + "\n")

    async def keep(self) -> None:
        """Endless: saves the rotation, and starts HAProxy again with it should it die."""
        while True:
            await asyncio.sleep(SAVE_SECONDS)
            if self.process is not None and self.process.returncode is not None:
                say(f"lab: HAProxy ended with {self.process.returncode}, starting it again")
                await self.start()
            try:
                await self.save()
            except OSError as problem:
                say(f"lab: the rotation could not be saved: {problem!r}")


def configuration_text(plan: LabPlan, port: int, state: Path) -> str:
    """No health checks, no retries, no redispatch: what fails is seen by the client and counted."""
    text = f"""\
global
    stats socket ipv4@127.0.0.1:{port} level admin
    server-state-file {state}
    nbthread 1
    maxconn 2000

defaults
    mode http
    option http-keep-alive
    # The first request of a client connection never rides on an idle server connection.
    http-reuse safe
    retries 0
    balance roundrobin
    load-server-state-from-file global
    timeout connect 2s
    timeout queue 2s
    timeout server 70s
    timeout http-request 10s
    # Longer than any test: an idle connection is closed by the client, never under its next request.
    timeout client 1h
    timeout http-keep-alive 1h
"""
    for application in plan.applications:
        text += f"\nfrontend {application.name}\n    bind 127.0.0.1:{application.front_end}\n"
        text += f"    default_backend {application.name}\n\nbackend {application.name}\n"
        for host in plan.hosts_of(application):
            text += f"    server {host.name} {host.address}:{application.port}\n"
    return text
