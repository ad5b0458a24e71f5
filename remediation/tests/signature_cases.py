"""Of each signature facts it fits, and facts that come close and it does not fit, with what those are instead."""

from __future__ import annotations

from dataclasses import dataclass

from drydock_remediation.triage.facts import Facts
from drydock_remediation.triage.table import UNKNOWN

POSTINST = (
    "h02: apt-get ended with 100: installed fleet-agent package post-installation script subprocess returned error exit status 1"
    " Errors were encountered while processing: fleet-agent"
)
UNMET = (
    "h02: apt-get cannot plan the upgrade: The following packages have unmet dependencies:"
    " fleet-os : Depends: fleet-nowhere but it is not installable"
)
LOCKED = (
    "h02: channel http://10.0.0.1/v2 could not be read: E: Could not get lock /var/lib/apt/lists/lock. It is held by process 931 (python3)"
)
SUM = "E: Failed to fetch http://10.0.0.1/v2/Packages  Hash Sum mismatch"
GONE = "h02: channel http://10.0.0.1/v2 could not be read: E: Failed to fetch http://10.0.0.1/v2/Packages  404  Not Found"
NO_BOOT = "h02 could not be read after the last effect: await: 10.0.0.2 did not come back with a new boot id within 300 s"
NEW_KERNEL: Facts = {"kernel.wanted": "6.2.0.0-fleet", "packages.wrong": "", "packages.audit": "", "ssh": "answers"}
RECOVER: Facts = {"failure.step": "Recover", "ssh": "answers"}
BMC_DEAD: Facts = {"bmc.asked": 3, "bmc.answered": 0, "bmc.lost": 3}
BMC_WELL: Facts = {"bmc.asked": 6, "bmc.answered": 6, "bmc.lost": 0, "bmc.seconds": 0.1, "power": "On", "sel.since": "power on"}
OFF: Facts = {**BMC_WELL, "power": "Off"}
NO_EFFECT = "h02: power on had no effect 5 times"
BY_BMC: Facts = {"failure.step": "Update", "failure.says": "h02: its BMC did not answer for 300 s"}


DAMAGED = "installer: FAILED: checksum mismatch: the image has 1, the medium says 2"
# The event log tells of every round since the update began.
MENDED_SINCE: Facts = {**RECOVER, "sel.since": DAMAGED}

NO_KERNEL_NO_WEB: Facts = {**NEW_KERNEL, **RECOVER, "kernel.running": "6.1", "boot.since": True, "services.down": "web down"}


@dataclass(frozen=True)
class Case:
    name: str
    fits: Facts
    near: Facts
    instead: str = UNKNOWN


CASES = (
    Case("wrong-host-key", {"ssh": "wrongKey"}, {"ssh": "denied"}),
    Case("sshd-hang", {"ssh": "noBanner"}, {"ssh": "silent"}, "unreachable"),
    Case("disk-full", {"ssh": "answers", "disk.freePercent": 0}, {"ssh": "answers", "disk.freePercent": 1}),
    Case("disk-full", {"reading.says": "the host could not be read: [Errno 28] No space left on device"}, {"reading.says": "timed out"}),
    Case("disk-full", {"packages.audit": "[Errno 28] No space left on device: '/var/cache/dnf/x.pid'"}, {"packages.audit": "[Errno 13] x"}),
    Case(
        "disk-full",
        {"failure.says": "E: You don't have enough free space in /var/cache/apt/archives/.", "disk.freePercent": 4},
        {"failure.says": "E: You don't have enough free space in /var/cache/apt/archives/.", "disk.freePercent": 5},
    ),
    Case(
        "lock-held",
        {"failure.step": "Update", "others": "4711 unattended-upgr, since 17:02:11"},
        {"failure.step": "Update", "others": ""},
    ),
    Case(
        "lock-held",
        {"failure.step": "Health", "others": "4711 dpkg, since 17:02:11"},
        {"failure.step": "Recover", "others": "4711 dpkg, since 17:02:11"},
    ),
    Case(
        "lock-held",
        {"failure.step": "Update", "failure.says": LOCKED},
        {"failure.step": "Update", "failure.says": "ended with 100: E: lock"},
    ),
    Case(
        "packages-held",
        {"failure.step": "Update", "failure.says": "h02 was not touched: fleet-agent is on hold (apt-mark)"},
        {"failure.step": "Recover", "failure.says": "h02: fleet-agent is on hold (apt-mark)"},
    ),
    Case(
        "source-unreadable",
        {"failure.step": "Update", "failure.says": GONE},
        {"failure.step": "Health", "failure.says": GONE},
    ),
    Case(
        "source-unreadable",
        {"failure.step": "Update", "failure.says": f"channel http://10.0.0.1/v2 could not be read: {SUM}"},
        {"failure.step": "Update", "failure.says": "h02: the sum of nothing"},
    ),
    Case(
        "package-conflict",
        {"failure.step": "Update", "failure.says": "h02: upgrade refused before anything was installed: fleet-os would be 1.0 and not 2.0"},
        {"failure.step": "Health", "failure.says": "h02: fleet-os would be 1.0 and not 2.0"},
    ),
    Case(
        "package-conflict",
        {"failure.step": "Update", "failure.says": UNMET},
        {"failure.step": "Update", "failure.says": "h02: apt-get ended with 100: E: Broken packages"},
    ),
    Case(
        "package-conflict",
        {"failure.step": "Update", "failure.says": "h02: upgrade refused before anything was installed: it would remove adduser"},
        {"failure.step": "Health", "failure.says": "h02 is not healthy on release 2: it would remove adduser"},
    ),
    Case(
        "post-install-failure",
        {"failure.step": "Update", "failure.says": POSTINST},
        {"failure.step": "Update", "failure.says": "h02: apt-get ended with 100: E: Sub-process /usr/bin/dpkg returned an error code (1)"},
    ),
    Case(
        "post-install-failure",
        {"packages.audit": "The following packages are only half configured, probably due to problems"},
        {"packages.audit": ""},
    ),
    Case(
        "checksum-mismatch",
        {"failure.step": "Update", "sel.since": f"power on; {DAMAGED}"},
        {"failure.step": "Update", "sel.since": "power on; memory: checksum mismatch"},
    ),
    Case("checksum-mismatch", {"failure.step": "Update", "sel.since": DAMAGED}, {"failure.step": "Health", "sel.since": DAMAGED}),
    Case(
        "failed-installer",
        {"failure.step": "Update", "sel.since": "installer: FAILED: mkfs"},
        {"failure.step": "Recover", "sel.since": "installer: FAILED: mkfs"},
    ),
    Case(
        "checksum-mismatch",
        {"failure.says": "h02: the installer says checksum mismatch: the image has 1, the medium says 2"},
        {"failure.says": "h02: apt-get ended with 100: E: checksum mismatch of a package"},
    ),
    Case(
        "failed-installer",
        {"failure.step": "Update", "failure.says": "h02: the installer left it powered off 2 times"},
        {"failure.step": "Update", "failure.says": "h02: the record on its data partition is gone"},
    ),
    Case("lost-memory", {"memory.percent": 94, "ssh": "answers"}, {"memory.percent": 95, "ssh": "answers"}),
    Case(
        "wrong-kernel",
        {**NEW_KERNEL, "kernel.running": "6.1.0.0-fleet", "boot.since": True},
        {**NEW_KERNEL, "kernel.running": "6.1.0.0-fleet", "boot.since": False},
    ),
    Case(
        "wrong-kernel",
        {**NEW_KERNEL, "kernel.running": "6.1.0.0-fleet", "boot.since": True},
        {**NEW_KERNEL, "kernel.running": "6.2.0.0-fleet", "boot.since": True},
    ),
    Case(
        "application-does-not-start",
        {**RECOVER, "services.down": "web starts"},
        {"failure.step": "Health", "services.down": "web"},
    ),
    Case("application-does-not-start", {**MENDED_SINCE, "services.down": "web down"}, {**MENDED_SINCE, "services.down": ""}),
    Case(
        "application-unhealthy",
        {**RECOVER, "services.down": "", "failure.says": "web/h02 does not become healthy: its health page says 500"},
        {**RECOVER, "services.down": "", "failure.says": "h02 still shows a cordon after it was lifted"},
    ),
    Case(
        "drain-stuck",
        {"failure.step": "Drain", "failure.says": "web/h02 still has 3 open requests in the balancer; nothing was stopped"},
        {"failure.step": "Drain", "failure.says": "the balancer did not answer"},
    ),
    Case("no-power-on", {"ssh": "silent", **OFF, "sel.since": "does not power on"}, {"ssh": "silent", **OFF}, "unreachable"),
    Case("no-power-on", {**OFF, "failure.says": NO_EFFECT}, {**BMC_WELL, "failure.says": NO_EFFECT}),
    Case("bmc-down", {"ssh": "silent", **BMC_DEAD}, {"ssh": "silent", **BMC_WELL}, "unreachable"),
    Case("bmc-down", {"ssh": "answers", **BY_BMC, **BMC_DEAD}, {"ssh": "answers", **BMC_DEAD}),
    Case("bmc-down", {"ssh": "answers", **BY_BMC, **BMC_DEAD}, {"ssh": "answers", **BY_BMC, **BMC_DEAD, "bmc.asked": 2}),
    Case(
        "bmc-flapping",
        {**BY_BMC, "bmc.asked": 6, "bmc.answered": 4, "bmc.lost": 2, "bmc.seconds": 0.1},
        {**BY_BMC, "bmc.asked": 6, "bmc.answered": 5, "bmc.lost": 1, "bmc.seconds": 0.1},
    ),
    Case("bmc-slow", {**BY_BMC, **BMC_WELL, "bmc.seconds": 1.5}, {**BY_BMC, **BMC_WELL, "bmc.seconds": 1.4}),
    Case("bmc-slow", {**BY_BMC, **BMC_WELL, "bmc.seconds": 1.5}, {**BMC_WELL, "bmc.seconds": 1.5, "failure.says": "is not healthy"}),
    Case(
        "reboot-never-returned",
        {"ssh": "refused", "failure.says": NO_BOOT, **BMC_WELL},
        {"ssh": "answers", "failure.says": NO_BOOT, **BMC_WELL},
    ),
    Case("unreachable", {"ssh": "noRoute"}, {"ssh": "denied"}),
)

# What fits two signatures, and that the first of them is it.
BOTH: tuple[tuple[str, str, Facts], ...] = (
    ("disk-full", "package-conflict", {"disk.freePercent": 0, "failure.step": "Update", "failure.says": UNMET}),
    ("disk-full", "post-install-failure", {"disk.freePercent": 0, "failure.step": "Update", "failure.says": POSTINST}),
    ("lock-held", "source-unreadable", {"failure.step": "Update", "failure.says": LOCKED}),
    (
        "lock-held",
        "post-install-failure",
        {
            "failure.step": "Update",
            "others": "931 dpkg, since 17:02:11",
            "packages.audit": "only half configured, probably due to problems",
        },
    ),
    ("disk-full", "lock-held", {"disk.freePercent": 0, "failure.step": "Update", "others": "931 dpkg, since 17:02:11"}),
    (
        "packages-held",
        "package-conflict",
        {"failure.step": "Update", "failure.says": "upgrade refused before anything was installed: fleet-agent is on hold"},
    ),
    (
        "source-unreadable",
        "package-conflict",
        {"failure.step": "Update", "failure.says": f"apt-get cannot plan the upgrade: {SUM}"},
    ),
    ("checksum-mismatch", "failed-installer", {"failure.step": "Update", "sel.since": DAMAGED}),
    ("lost-memory", "checksum-mismatch", {"failure.step": "Update", "sel.since": DAMAGED, "memory.percent": 50}),
    ("no-power-on", "checksum-mismatch", {**OFF, "failure.step": "Update", "sel.since": f"{DAMAGED}; does not power on"}),
    ("failed-installer", "bmc-flapping", {**BY_BMC, "bmc.lost": 2, "bmc.answered": 4, "sel.since": "installer: FAILED: mkfs"}),
    ("lost-memory", "wrong-kernel", {**NEW_KERNEL, "kernel.running": "6.1", "boot.since": True, "memory.percent": 50}),
    (
        "wrong-kernel",
        "application-does-not-start",
        NO_KERNEL_NO_WEB,
    ),
    ("bmc-down", "reboot-never-returned", {"ssh": "silent", "failure.says": NO_BOOT, **BMC_DEAD}),
    ("reboot-never-returned", "unreachable", {"ssh": "silent", "failure.says": NO_BOOT}),
)
