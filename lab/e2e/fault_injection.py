"""Rollouts in whose middle something befalls hosts, and what came of each, judged by what the lab knows."""

import json
import os
import random
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import hosts_afterwards
from fleet import FINAL, RELEASE, Fleet, apply

from drydock_lab.host import INSTALLER_FAILED
from drydock_lab.host_faults import MISHAPS
from drydock_stack import stack
from drydock_stack.service import http_json

LADDER = "remediation: {ladder: [RetryStep, RestartService, CleanDisk, PowerCycle, Reimage], then: Quarantine}"
# Machines of the lab start within seconds; an operator that gives a real one five minutes would make each round take ten.
PATIENCE = {"DRYDOCK_BOOT_SECONDS": "60", "DRYDOCK_INSTALL_SECONDS": "120", "DRYDOCK_BMC_SECONDS": "90"}

# What hosts that only a person can mend are quarantined with.
SIGNATURES = {
    "linkDead": "unreachable",
    "wrongHostKey": "wrong-host-key",
    "noPowerOn": "no-power-on",
    "lostMemory": "lost-memory",
    "wrongKernel": "wrong-kernel",
    "doesNotBoot": "reboot-never-returned",
    "packageConflict": "package-conflict",
    "filesFillDisk": "disk-full",
    "dataDiskFull": "disk-full",
    "applicationSick": "application-unhealthy",
    "applicationDies": "application-does-not-start",
    "bmcDead": "bmc-down",
    "imageDamaged": "checksum-mismatch",
}
# Whoever takes the update over once the host is gone does not know that it was told to start anew.
ALSO_CALLED = {"doesNotBoot": "unreachable"}
# While the host is updated; the others lie in wait from before the rollout on, or a host would not get as far as its update.
LIVE = ("linkFlaps", "linkDead", "slow", "sshdDead", "sshdHangs", "wrongHostKey", "powerCut", "powerReset", "lostMemory", "dataDiskFull")
# Between the moment its host is granted and its update: who looks before the grant keeps such a host out.
AT_GRANT = ("logsFillDisk", "filesFillDisk", "packageManagerGone", "packageConflict", "bmcDead")
LIVE_SECONDS = 60.0
# They come at a random moment, and at some there is nobody who minds; any other that can be mended is in the way of every upgrade, or
# stays until somebody does something. What needs a person is only right where it was diagnosed.
SELDOM_UNSEEN = ("sshdDead", "sshdHangs")  # only where the host goes down just then
MAY_PASS_UNSEEN = ("linkFlaps", "slow", "powerReset", *SELDOM_UNSEEN)
# What an installation gets over by itself, by the events of the machine.
TOLD_BY_THE_MACHINE = {"imageDamagedOnce": INSTALLER_FAILED, "shutdownHangs": "does not heed the power button"}
# What an update of packages never meets: nobody presses a button there, nor tells a BMC to do anything, nor installs.
OF_AN_INSTALLATION = ("shutdownHangs", "bmcMute", "imageDamaged", "imageDamagedOnce")
BMC_IS_SILENT = ("bmcDead", "bmcHangs")  # nobody can take anything out of its drive
OF_THE_BMC = ("bmcBusy", "bmcSlow", "bmcFlaps", "bmcHangs", "bmcForgets", "bmcMute", "bmcDead")
KINDS = {
    "PackageUpdate": tuple(kind for kind in MISHAPS if kind not in OF_AN_INSTALLATION),
    "Reimage": (
        *dict.fromkeys((*OF_THE_BMC, *OF_AN_INSTALLATION)),
        "noPowerOn",
        "lostMemory",
        "wrongKernel",
        "linkFlaps",
        "powerReset",
    ),
}


@dataclass(frozen=True)
class Injection:
    """`after` seconds from the beginning of the update on, or, without it, before the update (see `AT_GRANT`)."""

    host: str
    kind: str
    after: float | None

    @property
    def waits(self) -> bool:
        """Whether it comes while the rollout runs."""
        return self.after is not None or self.kind in AT_GRANT

    @property
    def recoverable(self) -> bool:
        return MISHAPS[self.kind].recoverable


@dataclass(frozen=True)
class Ending:
    """What came of one: how the rollout says the host ended, what the host says itself (`truth`, empty: all of the release, all
    answer), and what must not have been done to it (`harm`). `missed`: its host was through before it came, so nothing befell it.
    `bitten`: somebody met it; what has to be met and was not is no proof of anything."""

    injection: Injection
    state: str
    signature: str
    reason: str
    truth: str
    harm: str = ""
    missed: bool = False
    bitten: bool = False

    @property
    def false_success(self) -> bool:
        """What only a person can mend is still the matter when this is judged, also where nothing is seen of it on the host."""
        is_not = self.truth != "" or self.harm != "" or not (self.missed or self.injection.recoverable)
        return self.state in ("Upgraded", "Skipped") and is_not

    @property
    def right(self) -> bool:
        if self.harm:
            return False
        kind = self.injection.kind
        if self.missed or self.injection.recoverable:
            counts = self.missed or self.bitten or kind in MAY_PASS_UNSEEN
            return self.state == "Upgraded" and self.truth == "" and counts
        return self.state == "Quarantined" and self.signature in (SIGNATURES[kind], ALSO_CALLED.get(kind))

    def told(self) -> dict[str, object]:
        kept = ("state", "signature", "reason", "truth", "harm", "missed", "bitten")
        return {"kind": self.injection.kind, "host": self.injection.host, **{name: getattr(self, name) for name in kept}}


def drawn(seed: int, mode: str, families: Mapping[str, str]) -> list[Injection]:
    """One for each host, of different kinds as far as there are enough."""
    draw = random.Random(f"{seed} {mode}")  # noqa: S311 - to repeat it
    bag: list[str] = []
    chosen = []
    for host, family in families.items():
        bag = bag or list(KINDS[mode])
        kind = draw.choice([kind for kind in bag if MISHAPS[kind].family in (None, family)] or ["linkFlaps"])
        if kind in bag:
            bag.remove(kind)
        chosen.append(Injection(host, kind, draw.uniform(0, 5) if kind in LIVE else None))
    return chosen


@contextmanager
def prepared(fleet: Fleet, operators: Sequence[str] = ("operator",)) -> Iterator[None]:
    """What rounds need around them."""
    try:
        with repairable(fleet), impatient(fleet, operators):
            yield
    finally:
        fleet.lab.reset()  # a lab that starts with what befell it is not ready


@contextmanager
def impatient(fleet: Fleet, operators: Sequence[str] = ("operator",)) -> Iterator[None]:
    """Host operators wait as long as machines of the lab need."""
    kept = dict(os.environ)
    try:
        os.environ.update(PATIENCE)
        again(fleet, operators)
        yield
    finally:
        os.environ.clear()
        os.environ.update(kept)
        again(fleet, operators)


def again(fleet: Fleet, operators: Sequence[str] = ("operator",)) -> None:
    """Fresh operators, with the patience there is now."""
    with stack.alone(fleet.instance):
        stack.down(fleet.instance, operators)
        stack.up(fleet.instance, operators)


@contextmanager
def repairable(fleet: Fleet) -> Iterator[None]:
    """Policies that let everything be tried, and all hosts go at once: it is not the budgets that are looked at here."""
    policies = sorted((fleet.lab.folder / "policies").glob("*.yaml"))
    kept = {path: path.read_text() for path in policies}
    for path, text in kept.items():
        rules = "\n".join("    - {maxUnavailable: 100%}" if line.startswith("    - {") else line for line in text.splitlines())
        path.write_text(f"{rules}\n  {LADDER}\n")
    apply(fleet, *policies)
    try:
        yield
    finally:
        for path, text in kept.items():
            path.write_text(text)
        apply(fleet, *policies)


def release_for(fleet: Fleet, injections: list[Injection]) -> str:
    """Release 2; where machines or BMCs are befallen one that also says what machines have to be like."""
    if not any(one.kind in (*OF_THE_BMC, "lostMemory") for one in injections):
        return RELEASE
    release = json.loads(fleet.release_file.read_text())
    release |= {"name": "2-watched", "health": {"default": {"bmc": {"memoryGib": 4, "health": "OK"}}}}
    file = fleet.instance.state / "e2e-watched.json"
    file.write_text(json.dumps(release))
    fleet.sre.must("release", "add", str(file))
    return str(release["name"])


def befall(fleet: Fleet, host: str, kind: str) -> None:
    url = f"http://127.0.0.1:{fleet.instance.port('labControl')}/hosts/{host}/fault"
    status, answer = http_json(url, {"kind": kind}, seconds=30)
    assert status == 200, f"{kind} did not befall {host}: {status} {answer}"


def run(fleet: Fleet, name: str, mode: str, injections: list[Injection], seconds: float = 1500) -> list[Ending]:
    """One rollout over all hosts of the injections."""
    hosts = [injection.host for injection in injections]
    began, data = time.time(), hosts_afterwards.data_of(fleet, hosts)
    assert set(data) == set(hosts), "each tells its data before anything befalls it"
    for injection in injections:
        if not injection.waits:
            befall(fleet, injection.host, injection.kind)
    rollout = fleet.start(hosts, name, "--mode", mode, release=release_for(fleet, injections))
    live = Live(fleet, rollout, [injection for injection in injections if injection.waits])
    live.start()
    summary = fleet.ended(rollout, seconds)
    live.join(LIVE_SECONDS)
    assert not live.due, f"nobody saw whether it came about: {live.due}"
    assert summary["state"] in ("Succeeded", "Degraded", "Failed"), summary
    rows, found, begun = fleet.upgrades(rollout), signatures(fleet, rollout), remediated(fleet, rollout)
    differences, audits = fleet.differences(), hosts_afterwards.audits(fleet, hosts)
    image = str(json.loads(fleet.release_file.read_text())["imageVersion"]) if mode == "Reimage" else None
    lab = {host: hosts_afterwards.lab_says(fleet, host) for host in hosts}
    after = data_afterwards(fleet, hosts)
    return [
        Ending(
            one,
            rows[one.host]["state"],
            found.get(one.host, ""),
            rows[one.host].get("reason", ""),
            hosts_afterwards.not_well(differences[one.host], lab[one.host], audits.get(one.host, "no audit"), image),
            hosts_afterwards.harm(
                data[one.host], after.get(one.host), lab[one.host], began, bmc_answers=one in live.missed or one.kind not in BMC_IS_SILENT
            ),
            missed=one in live.missed,
            bitten=one.host in begun or lab[one.host]["bmcFaultHits"] > 0 or machine_tells(one.kind, lab[one.host]["events"], since=began),
        )
        for one in injections
    ]


def machine_tells(kind: str, events: Sequence[Mapping[str, Any]], since: float) -> bool:
    """Whether one of these kinds was met, which is seen nowhere else. `since` is in seconds since 1970."""
    says = TOLD_BY_THE_MACHINE.get(kind)
    return says is not None and any(one["at"] >= since and says in one["event"] for one in events)


def data_afterwards(fleet: Fleet, hosts: list[str]) -> dict[str, str]:
    """Of those that nobody reaches as what befell them left them: once the lab has mended them, which touches no data."""
    told = hosts_afterwards.data_of(fleet, hosts)
    silent = [host for host in hosts if host not in told]
    if silent:
        fleet.lab.reset()
        told |= hosts_afterwards.data_of(fleet, silent)
    return told


def signatures(fleet: Fleet, rollout: str) -> dict[str, str]:
    """By host, what the last remediation found."""
    return {event["host"]: json.loads(event["data"])["signature"] for event in events(fleet, rollout, "RemediationEnded")}


def remediated(fleet: Fleet, rollout: str) -> set[str]:
    """Hosts that something was the matter with, as Drydock saw."""
    return {event["host"] for event in events(fleet, rollout, "RemediationBegan")}


def events(fleet: Fleet, rollout: str, kind: str) -> list[dict[str, Any]]:
    answer = fleet.http(f"events?q=after&cursor=0&rollout={rollout}&kinds=List({kind})&count=1000")
    assert answer, f"the server does not tell its events of {rollout}"
    return list(answer["elements"])


class Live(threading.Thread):
    """Waits for the grant or the update of each host, and has what it is to have befall it then."""

    def __init__(self, fleet: Fleet, rollout: str, injections: list[Injection]) -> None:
        super().__init__(daemon=True)
        self.fleet, self.rollout = fleet, rollout
        self.due = {injection.host: injection for injection in injections}
        self.missed: list[Injection] = []

    def run(self) -> None:
        at: dict[str, float] = {}
        while self.due:
            rows: dict[str, dict[str, Any]] = self.fleet.upgrades(self.rollout)
            for host, injection in list(self.due.items()):
                row = rows.get(host, {})
                if row.get("state") in FINAL or row.get("step") in ("Health", "BeforeDeploy", "Recover", "End"):
                    self.missed.append(self.due.pop(host))
                elif row.get("step") == "Update" or (row.get("grant") and injection.after is None):
                    at.setdefault(host, time.monotonic() + (injection.after or 0))
                    if time.monotonic() >= at[host]:
                        self._befall(injection)
            time.sleep(0.3)

    def _befall(self, injection: Injection) -> None:
        try:
            befall(self.fleet, injection.host, injection.kind)
        except AssertionError:  # it is starting anew, say; at the next look
            return
        del self.due[injection.host]


def clean_up(fleet: Fleet) -> None:
    """Quarantines are ended, as people do once they have mended a host; `Fleet.ready` resets the lab."""
    fleet.let_go(fleet.lab.hosts())


def summary(endings: list[Ending], **more: object) -> dict[str, object]:
    """`injected` are those that came about; `bitten` of them those that are known to have been met, `unbitten` the kinds of the others."""
    seldom = [ending.bitten for ending in endings if not ending.missed and ending.injection.kind in SELDOM_UNSEEN]
    injected = [ending for ending in endings if not ending.missed]
    recoverable = [ending for ending in injected if ending.injection.recoverable]
    others = [ending for ending in injected if not ending.injection.recoverable]

    def share(of: list[Ending]) -> float | None:
        return round(sum(ending.right for ending in of) / len(of), 4) if of else None

    return {
        "soak": "remediation",
        "injected": len(injected),
        "bitten": sum(ending.bitten for ending in injected),
        "unbitten": sorted(ending.injection.kind for ending in injected if not ending.bitten),
        "seldom_unseen": {"injected": len(seldom), "bitten": sum(seldom)},
        "missed": len(endings) - len(injected),
        "auto_resolved_share": share(recoverable),
        "rightly_quarantined_share": share(others),
        "false_success": sum(ending.false_success for ending in endings),
        "kinds": len({ending.injection.kind for ending in injected}),
        **more,
        "wrong": [ending.told() for ending in endings if not ending.right],
    }
