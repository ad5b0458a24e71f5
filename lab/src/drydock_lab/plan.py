"""What the lab consists of: hosts, the applications they carry, zones. Pure: instance in, plan out."""

from __future__ import annotations

from dataclasses import dataclass

from drydock_lab.errors import LabError
from drydock_lab.instance import Instance
from drydock_lab.release import Family, Metal

HOSTS_MAX = 50
MEMORY_MIB = 4096
HOSTS_PER_ZONE = 2


@dataclass(frozen=True)
class Application:
    """A service of the lab; its front-end is one port of the balancer."""

    name: str
    port: int
    front_end: int


@dataclass(frozen=True)
class HostPlan:
    """One host as it is ordered, not as it is."""

    index: int
    name: str
    address: str
    zone: str
    family: Family
    applications: tuple[Application, ...]

    @property
    def mac(self) -> str:
        return f"02:dd:00:00:00:{self.index:02x}"


@dataclass(frozen=True)
class LabPlan:
    """All hosts and applications of one lab."""

    hosts: tuple[HostPlan, ...]
    applications: tuple[Application, ...]
    metal: Metal = Metal.NAMESPACES

    def hosts_of(self, application: Application) -> tuple[HostPlan, ...]:
        return tuple(host for host in self.hosts if application in host.applications)

    def host(self, name: str) -> HostPlan:
        for host in self.hosts:
            if host.name == name:
                return host
        raise LabError(f"no host {name} in this lab, it has {self.hosts[0].name} to {self.hosts[-1].name}")


def plan(instance: Instance, host_count: int, rpm_count: int = 0, metal: Metal = Metal.NAMESPACES) -> LabPlan:
    """`web` runs everywhere, `search` on the first and `ads` on the last 60 % of the hosts. The hosts with dnf are spread
    evenly, so that every application and some of the zones are of both families."""
    if not 1 <= host_count <= HOSTS_MAX:
        raise LabError(f"--hosts must be between 1 and {HOSTS_MAX}, not {host_count}")
    if not 0 <= rpm_count <= host_count:
        raise LabError(f"--rpm must be between 0 and the {host_count} hosts there are, not {rpm_count}")
    if metal is Metal.QEMU and rpm_count:
        raise LabError("virtual machines install packages by apt: --rpm must be 0")
    base = instance.ports["balancer"]
    web = Application("web", 8101, base)
    search = Application("search", 8102, base + 1)
    ads = Application("ads", 8103, base + 2)
    share = -(-host_count * 6 // 10)
    hosts = []
    for index in range(1, host_count + 1):
        carried = [web]
        if index <= share:
            carried.append(search)
        if index > host_count - share:
            carried.append(ads)
        zone = f"z{1 + (index - 1) // HOSTS_PER_ZONE}"
        family = Family.DNF if index * rpm_count // host_count > (index - 1) * rpm_count // host_count else Family.APT
        hosts.append(HostPlan(index, f"h{index:02d}", instance.address(index), zone, family, tuple(carried)))
    return LabPlan(tuple(hosts), (web, search, ads), metal)
