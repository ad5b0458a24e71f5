"""The lab's daemon: owns the network, the package server, the balancer, the BMCs and the power of every host."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from pathlib import Path

from drydock_lab import files, media, network, partitions
from drydock_lab.balancer import Balancer
from drydock_lab.base_image import base_image
from drydock_lab.bmc import serving
from drydock_lab.bmc.service import Bmc
from drydock_lab.control import Control
from drydock_lab.golden_image import golden_image
from drydock_lab.host import Host, PowerAction
from drydock_lab.host_faults import MISHAPS
from drydock_lab.instance import Instance
from drydock_lab.json_server import serve
from drydock_lab.keys import Keys
from drydock_lab.namespace_host import NamespaceHost
from drydock_lab.plan import LabPlan
from drydock_lab.progress import say
from drydock_lab.release import RELEASES, Family, Metal
from drydock_lab.sweep import sweep
from drydock_lab.vm.disk_image import disk_image
from drydock_lab.vm.machine import VirtualMachine
from drydock_lab.vm.releases import releases as virtual_releases

# Hosts that boot at the same time; more would only fight for the processor.
BOOTS_AT_ONCE = 6


class Supervisor:
    """Everything runs on one event loop; slow system calls go to threads."""

    def __init__(self, instance: Instance, plan: LabPlan, hosts: dict[str, Host]) -> None:
        self.instance = instance
        self.plan = plan
        self.hosts = hosts
        self.bmcs: dict[str, Bmc] = {}
        self.listeners: list[asyncio.Server] = []
        self.balancer = Balancer(instance, plan)
        self.package_server: asyncio.subprocess.Process | None = None

    async def run(self) -> None:
        """Brings the lab up, serves until TERM, takes it down. Whatever happens, nothing is left behind."""
        stop = asyncio.Event()
        for sign in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(sign, stop.set)
        for removed in sweep(self.instance):
            say(f"lab: removed {removed} of a dead owner")
        try:
            await self._start()
            control = await serve(self.instance.control_port, Control(self).handle)
            balancing = asyncio.create_task(self.balancer.keep())
            say("lab: up")
            stopped = asyncio.create_task(stop.wait())
            await asyncio.wait({stopped, balancing}, return_when=asyncio.FIRST_COMPLETED)
            control.close()
            if balancing.done():
                balancing.result()
            balancing.cancel()
        finally:
            await self._stop()

    async def power_all(self, action: PowerAction) -> None:
        """All hosts at once, a few at a time; every host is tried before the first problem is raised."""
        gate = asyncio.Semaphore(BOOTS_AT_ONCE)

        async def one(host: Host) -> None:
            async with gate:
                await host.power(action)

        results = await asyncio.gather(*map(one, self.hosts.values()), return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException):
                raise result

    async def reset(self) -> None:
        """Returns every host to release 1 with its data, every instance running and in rotation."""
        gate = asyncio.Semaphore(BOOTS_AT_ONCE)

        async def one(host: Host) -> None:
            async with gate:
                await asyncio.to_thread(network.set_link, self.instance, host.plan)
                self.bmcs[host.plan.name].forget()
                undone = [MISHAPS[name].undo for name in host.befallen if MISHAPS[name].undo]
                host.clear_faults()
                await host.power(PowerAction.CUT)
                await asyncio.to_thread(host.install)
                await host.power(PowerAction.ON)
                for script in undone:
                    await host.inside(["sh", "-c", script])

        await asyncio.gather(*map(one, self.hosts.values()))
        await self.balancer.all_ready()

    async def _start(self) -> None:
        keys = Keys(self.instance)
        await asyncio.to_thread(keys.ensure, self.plan)
        await asyncio.to_thread(network.create, self.instance, self.plan)
        await asyncio.gather(*(asyncio.to_thread(self._provision, keys, host) for host in self.hosts.values()))
        self.package_server = await self._start_package_server()
        await self.balancer.start()
        await self._start_bmcs()
        await self.power_all(PowerAction.ON)

    async def _start_bmcs(self) -> None:
        access = serving.Access(self.instance)
        await asyncio.to_thread(access.ensure, self.plan)
        self.bmcs = {name: Bmc(host, serving.USER, access.password()) for name, host in self.hosts.items()}
        self.listeners = await serving.serve(self.instance, self.bmcs.values())

    def _provision(self, keys: Keys, host: Host) -> None:
        host.folder.path.mkdir(parents=True, exist_ok=True)
        partitions.write_spec(host.folder, host.plan)
        keys.provision(host.plan, host.folder.spec)
        partitions.ensure_data(host.folder, host.plan)
        host.ensure_installed()

    async def _start_package_server(self) -> asyncio.subprocess.Process:
        address, _, port = self.instance.package_server.partition(":")
        command = ["setpriv", "--pdeathsig", "KILL", "ip", "netns", "exec", network.management_namespace(self.instance)]
        command += [sys.executable, "-m", "http.server", port, "--bind", address]
        command += ["--directory", str(await asyncio.to_thread(media.offer, self.instance, self.plan.metal))]
        with self.instance.log_file("packages").open("ab") as log:
            return await asyncio.create_subprocess_exec(
                *command, stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )

    async def _stop(self) -> None:
        for listener in self.listeners:
            listener.close()
        results = await asyncio.gather(
            *(host.power(PowerAction.OFF) for host in self.hosts.values()), self.balancer.stop(), return_exceptions=True
        )
        for result in results:
            if isinstance(result, BaseException):
                say(f"lab: while stopping: {result!r}")
        if self.package_server is not None:
            with contextlib.suppress(ProcessLookupError):
                self.package_server.kill()
            await self.package_server.wait()
        sweep(self.instance)
        say("lab: down")


def build(metal: Metal) -> None:
    """Makes all images that machines of this metal start from, and that media carry."""
    if metal is Metal.QEMU:
        for release in virtual_releases():
            disk_image(release)
        return
    for release in RELEASES:
        for family in Family:
            golden_image(family, release)


def hosts_of(instance: Instance, plan: LabPlan) -> dict[str, Host]:
    """The machines of a plan, off; each starts from the image of release 1."""
    if plan.metal is Metal.QEMU:
        image = disk_image(virtual_releases()[0])
        return {host.name: VirtualMachine(instance, host, image) for host in plan.hosts}
    folder = instance.lab / "images"
    files.write(folder / media.INSTALLER_BASE, str(base_image() / "root"))
    hosts: dict[str, Host] = {}
    for host in plan.hosts:
        golden = golden_image(host.family)
        files.write(folder / golden.name, golden.lower)
        hosts[host.name] = NamespaceHost(instance, host, golden, folder)
    return hosts


def supervise(instance: Instance, plan: LabPlan) -> None:
    """Entry of the daemon."""
    for folder in (instance.lab, instance.log_file("lab").parent):
        Path(folder).mkdir(parents=True, exist_ok=True)
    asyncio.run(_supervise(instance, plan))


async def _supervise(instance: Instance, plan: LabPlan) -> None:
    await Supervisor(instance, plan, hosts_of(instance, plan)).run()
