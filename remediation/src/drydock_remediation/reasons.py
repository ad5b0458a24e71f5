"""Why an upgrade was not begun, from what a task of its play reported: in words, by its cause, and what can mend it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from drydock_remediation import others_on_host
from drydock_remediation.facts import HostFacts
from drydock_remediation.records import FAMILIES, Mend, Release
from drydock_remediation.simulation import objections
from drydock_remediation.task_reports import TaskReports

# Exit codes of hostrun.
NO_STATE, OLDER_TOKEN, STILL_RUNNING, INTERRUPTED, YIELDS, LATE = 74, 75, 76, 77, 78, 124
UNSIGNED = re.compile(
    r"is not signed|NO_PUBKEY|BADSIG|GPG check FAILED|GPG signature|verifying signature|Missing key|is expired", re.IGNORECASE
)
NO_SPACE = re.compile(r"No space left on device|enough free space|needs? [0-9.]+ ?[kKMG]i?B (?:more space )?on the .+ filesystem")
# Matters of the host, which its package manager tells when it is to read the channel. Of the network no error of the system has a file.
CLOCK = re.compile(r"not (?:yet valid|valid yet)|created [0-9]+ seconds in the future|time warp or clock problem")
UNWRITABLE = re.compile(r"Read-only file system|\[Errno \d+\] [^:\n]+: '/")
SETTINGS = re.compile(
    r"(?:Syntax error|Extra junk|Unsupported directive|Directives can only|Unable to parse|Invalid record|Malformed|Parsing file)"
    r"[^\n]*/etc/"
)
UNREADABLE, LOCK_HELD = "source-unreadable", "lock-held"
# The words by which a program on the host begins what it says when it began nothing, and what can mend that.
SAID: Mapping[str, Mend] = {
    LOCK_HELD: Mend.TIME,
    UNREADABLE: Mend.TIME,
    "space": Mend.PEOPLE,
    "removal": Mend.PEOPLE,
    "unresolvable": Mend.PEOPLE,
    "unwritable": Mend.PEOPLE,
    "not-begun": Mend.PEOPLE,
}


@dataclass(frozen=True)
class Reason:
    says: str
    cause: str = ""
    mend: Mend | None = None


def of_fence(fence: TaskReports) -> Reason:
    if fence.code == OLDER_TOKEN:
        return Reason(f"it refused the token of this attempt: {fence.tail()}", "fenced-off", Mend.TIME)
    return Reason(f"it refused the token of this attempt: {fence.tail() or fence.status}", "fence", Mend.PEOPLE)


def of_lock(quiet: TaskReports) -> Reason | None:
    """`quiet` waited for whoever else works there."""
    left = (others_on_host.told(quiet.out) if quiet.ran else None) or []
    return Reason(f"somebody else works there: {others_on_host.sentence(left)}", LOCK_HELD, Mend.TIME) if left else None


def of_channel(channel: TaskReports, release: Release) -> Reason | None:
    if not channel.ran or channel.code == 0:
        return None
    if channel.code == STILL_RUNNING:
        return Reason(f"something else still runs there: {channel.tail()}", LOCK_HELD, Mend.TIME)
    return unreadable(release, channel.tail())


def unreadable(release: Release, said: str) -> Reason:
    if of_host := _of_host(said, f"what channel {release.channel} has"):
        return of_host
    says = f"channel {release.channel} could not be read: {said}"
    return Reason(says, "unsigned", Mend.PEOPLE) if UNSIGNED.search(said) else Reason(says, UNREADABLE, Mend.TIME)


def _of_host(said: str, what: str) -> Reason | None:
    """What is a matter of the host, and not of where its packages come from."""
    if CLOCK.search(said):
        return Reason(f"its clock is behind that of its source: {said}", "clock", Mend.PEOPLE)
    if NO_SPACE.search(said):
        return Reason(f"there is no space for {what}: {said}", "space", Mend.PEOPLE)
    if UNWRITABLE.search(said):
        return Reason(f"it cannot write {what} where that is kept: {said}", "unwritable", Mend.PEOPLE)
    if SETTINGS.search(said):
        return Reason(f"settings of its own package manager cannot be read: {said}", "settings", Mend.PEOPLE)
    return None


def of_plan(plan: TaskReports, release: Release, before: HostFacts) -> Reason | None:
    if not plan.ran:
        return None
    if plan.code in (LATE, STILL_RUNNING):
        return Reason(f"{FAMILIES[release.family].tool} made no plan in time: {plan.tail()}", "late", Mend.TIME)
    if plan.code != 0:
        if of_host := _of_host(plan.tail(), "the plan of the upgrade"):
            return of_host
        return Reason(f"{FAMILIES[release.family].tool} cannot plan the upgrade: {plan.tail()}", "unresolvable", Mend.PEOPLE)
    if found := objections(plan.out, release, before.packages):
        says = "upgrade refused before anything was installed: " + "; ".join(one.says for one in found)
        return Reason(says, found[0].cause, found[0].mend)
    return None


def of_nothing_begun(upgrade: TaskReports, release: Release) -> Reason:
    """The program on the host ended before it changed anything, and says why."""
    last = upgrade.tail().splitlines()[-1:] or [""]
    cause, _, says = last[0].partition(": ")
    if cause not in SAID:
        return Reason(f"the upgrade was not begun: {upgrade.tail()}", "not-begun", Mend.PEOPLE)
    if cause == UNREADABLE:
        return unreadable(release, says)
    if NO_SPACE.search(says):
        cause = "space"
    return Reason(f"the upgrade was not begun: {says}", cause, SAID[cause])
