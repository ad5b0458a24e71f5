"""Hosts over SSH and BMCs over Redfish, as the settings say."""

from __future__ import annotations

from drydock_remediation.commands import Wrapper
from drydock_remediation.records import Claim
from drydock_remediation.reimage.access import BmcAccess
from drydock_remediation.reimage.bmc import Bmc, RedfishBmc
from drydock_remediation.reimage.host import Host, SshHost
from drydock_remediation.settings import Ssh


class RealMachines:
    def __init__(self, ssh: Ssh, wrapper: Wrapper, access: BmcAccess | None) -> None:
        self._ssh = ssh
        self._wrapper = wrapper
        self._access = access

    def host(self, claim: Claim) -> Host:
        return SshHost(self._ssh, self._wrapper, claim)

    def bmc(self, host: str) -> Bmc | None:
        access = self._access
        place = access.places.get(host) if access else None
        return RedfishBmc(access, place) if access and place else None
