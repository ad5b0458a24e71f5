"""What can befall a host, by name: how it comes about, and whether a person is needed to mend it. Pure.

`lab fault HOST NAME` makes one happen; `lab faults` prints the table. All of them are over after `lab reset`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from drydock_lab.release import Family


@dataclass(frozen=True)
class HostFault:
    """`faults` go to the control interface, `script` is run on the host's console, `undo` there after a reset (data partitions
    survive it). `recoverable`: what the host, its BMC and its release offer is enough to bring it to the release, once the
    mishap itself is over; else a person has to go there, or has to mend what is not the host's. `family`: none: any."""

    says: str
    recoverable: bool
    faults: tuple[Mapping[str, Any], ...] = ()
    script: str = ""
    undo: str = ""
    family: Family | None = None


def _all_sshd(command: str) -> str:
    """`command` of each process of it, as $pid."""
    return f"for p in /proc/[0-9]*; do grep -qx sshd $p/comm 2>/dev/null || continue; pid=${{p#/proc/}}; {command}; done; true"


def _apt_hook(when: str, command: str) -> str:
    """What apt runs around dpkg."""
    return f"""echo 'DPkg::{when}-Invoke {{"{command}";}};' > {HOOK}"""


def _fill(path: str, file: str, left: int, age: str = "now") -> str:
    """All but `left` bytes of a file system in one file; what the file itself needs beside its bytes differs."""
    return f"""size=$(($(stat -f -c '%f * %S' {path}) - {left}))
until fallocate -l $size {file} 2>/dev/null; do size=$((size - 65536)); [ $size -gt 0 ] || exit 1; done
touch -d '{age}' {file}"""


def _applications(body: str) -> str:
    """Every application begins with `body` from its next start on."""
    return f"""for sv in /etc/sv/*/; do
  name=$(basename $sv)
  [ $name = sshd ] && continue
  mv $sv/run $sv/run.well
  cat > $sv/run <<'END'
#!/bin/sh
name=$(basename "$PWD")
port=$(sed -n '$s/.* //p' run.well)
once=/run/once.$name
{body}
exec ./run.well
END
  chmod +x $sv/run
done"""


HOOK = "/etc/apt/apt.conf.d/99-mishap"
WRITES = "echo >> /var/lib/dpkg/status"  # So that it has begun: an upgrade that changed nothing is nobody's fault but the hook's.
MIB = 1 << 20
ON_RELEASE_2 = "grep -q '^RELEASE=2' /etc/fleet-release"
ANSWERS_503 = r"""exec python3 -I -S -c '
import http.server
class Sick(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_error(503)
http.server.HTTPServer(("", int('$port')), Sick).serve_forever()'"""
ONCE = f"{ON_RELEASE_2} && [ ! -e $once ] && touch $once &&"


def _switch(name: str) -> Mapping[str, Any]:
    return {"kind": name, "value": True}


def _bmc(fault: str, times: int | None = None) -> Mapping[str, Any]:
    return {"kind": "bmc", "value": fault, **({} if times is None else {"times": times})}


MISHAPS: Mapping[str, HostFault] = {
    # The network and SSH
    "linkFlaps": HostFault("its cable is out for 25 s", True, ({"kind": "link", "value": "down", "seconds": 25},)),
    "linkDead": HostFault("its cable is out", False, ({"kind": "link", "value": "down"},)),
    "slow": HostFault("its network is down to 64 KiB a second", True, ({"kind": "link", "value": "slow"},)),
    "sshdDead": HostFault("its SSH server was switched off", True, script=f"sv down sshd; {_all_sshd('kill -KILL $pid')}"),
    "sshdHangs": HostFault(
        "its SSH server takes connections and says nothing",
        True,
        script=f"""listener=$(cat /run/sshd.pid); {_all_sshd('[ $pid = "$listener" ] || kill -KILL $pid')}; kill -STOP $listener""",
    ),
    "wrongHostKey": HostFault(
        "somebody with another host key answers",
        False,
        script=f"""cd /run/lab && rm -f *_key-cert.pub ssh_host_ed25519_key* && ssh-keygen -q -t ed25519 -N '' -f ssh_host_ed25519_key
sed -i /HostCertificate/d /etc/ssh/sshd_config; {_all_sshd("kill -KILL $pid")}""",
    ),
    # Power and machine
    "powerCut": HostFault("its power is cut, and it stays off", True, ({"kind": "power", "value": "cut"},)),
    "powerReset": HostFault("somebody presses its reset button", True, ({"kind": "power", "value": "reset"},)),
    "rebootHangs": HostFault("a restart from inside ends with it off", True, (_switch("rebootHang"),)),
    "shutdownHangs": HostFault("it does not heed its power button", True, (_switch("shutdownHang"),)),
    "noPowerOn": HostFault("it does not power on any more", False, (_switch("rebootHang"), _switch("noPowerOn"))),
    "lostMemory": HostFault("half of its memory is gone", False, (_switch("lostMemory"),)),
    "wrongKernel": HostFault("whatever is installed, it boots another kernel", False, ({"kind": "wrongKernel", "value": "6.0.0.0-wrong"},)),
    "doesNotBoot": HostFault(
        "what its update leaves on its disk does not start any more",
        False,
        script=f'sed -i "1a {ON_RELEASE_2} && exec sleep infinity" /etc/runit/1',
    ),
    # Packages and disks
    "updateFailsOnce": HostFault(
        "the first run of its package manager fails", True, script=_apt_hook("Pre", f"{WRITES}; rm -f {HOOK}; false"), family=Family.APT
    ),
    "packageManagerGone": HostFault(
        "its package manager is damaged", True, script=r"printf '#!/bin/sh\nexit 1\n' > /usr/bin/apt-get", family=Family.APT
    ),
    "packageConflict": HostFault(
        "a package of its own does not go with the release",
        False,
        script=r"""d=$(mktemp -d) && mkdir $d/DEBIAN && printf '%s\n' 'Package: own-tool' 'Version: 1' 'Architecture: all' \
'Maintainer: its owner <owner@localhost>' 'Description: a tool of its owner' 'Breaks: fleet-os (>= 2)' > $d/DEBIAN/control &&
dpkg-deb -b $d /tmp/own-tool.deb && dpkg -i /tmp/own-tool.deb""",
        family=Family.APT,
    ),
    "postInstallFails": HostFault("the script of a package fails", True, script="mkdir -p /boot/default-kernel.new/in-the-way"),
    "oldKernelStays": HostFault(
        "something on its disk puts an old kernel back",
        True,
        script=_apt_hook("Post", "echo 6.0.0.0-stale > /boot/default-kernel"),
        family=Family.APT,
    ),
    "logsFillDisk": HostFault("old logs fill its disk", True, script=_fill("/", "/var/log/old.log.1", MIB, "-3 hours")),
    "filesFillDisk": HostFault("files that nobody may remove fill its disk", False, script=_fill("/", "/srv/precious", MIB)),
    "dataDiskFull": HostFault("its data disk is full", False, script=_fill("/data", "/data/precious", 0), undo="rm -f /data/precious"),
    # Applications
    "applicationSickOnce": HostFault(
        "its applications answer 503 after the update, until somebody restarts them", True, script=_applications(f"{ONCE} {ANSWERS_503}")
    ),
    "applicationSleepsOnce": HostFault(
        "its applications do nothing after the update, until somebody restarts them", True, script=_applications(f"{ONCE} exec sleep 900")
    ),
    "applicationSick": HostFault(
        "its applications answer 503 with the new release", False, script=_applications(f"{ON_RELEASE_2} && {ANSWERS_503}")
    ),
    "applicationDies": HostFault(
        "its applications do not start with the new release", False, script=_applications(f"{ON_RELEASE_2} && exit 1")
    ),
    # BMC and installer
    "bmcBusy": HostFault("its BMC answers 503 for a while", True, (_bmc("503", 20),)),
    "bmcSlow": HostFault("its BMC takes two seconds for each answer", True, (_bmc("slow"),)),
    "bmcFlaps": HostFault("its BMC breaks off every other connection", True, (_bmc("flapping"),)),
    "bmcHangs": HostFault("its BMC leaves some requests without an answer", True, (_bmc("hang", 3),)),
    "bmcForgets": HostFault("its BMC forgets sessions", True, (_bmc("dropSessions"),)),
    "bmcMute": HostFault("its BMC does what it is told and does not say so", True, (_bmc("mute", 2),)),
    "bmcDead": HostFault("its BMC answers nothing but 503", False, (_bmc("503"),)),
    "imageDamagedOnce": HostFault("what its installer fetches is damaged, once", True, (_switch("damagedOnce"),)),
    "imageDamaged": HostFault("what its installer fetches is damaged", False, (_switch("damagedImage"),)),
}
