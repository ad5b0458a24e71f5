"""Whatever befalls hosts in the middle of their upgrade: what can be mended is, without a person, and what cannot be is told apart."""

import inspect
import itertools
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import fault_injection
import hosts_afterwards
import pytest
import soak_remediation
from consumers import Consumers
from fault_injection import (
    ALSO_CALLED,
    KINDS,
    LADDER,
    LIVE,
    MAY_PASS_UNSEEN,
    SELDOM_UNSEEN,
    SIGNATURES,
    TOLD_BY_THE_MACHINE,
    Ending,
    Injection,
)
from fleet import Fleet, apply, eventually

from drydock_lab.host import DATA_CHANGED, DATA_UNCHANGED, INSTALLER_FAILED, Host
from drydock_lab.host_faults import MISHAPS
from drydock_lab.release import Family
from drydock_stack import release_check
from drydock_stack.client import Client

pytestmark = pytest.mark.e2e

HOSTS = 10
FOUR = ("sshdDead", "wrongHostKey", "logsFillDisk", "updateFailsOnce")


@pytest.fixture(scope="module")
def prepared(installation: Fleet) -> Iterator[None]:
    installation.ready()
    with fault_injection.prepared(installation):
        yield


@pytest.fixture
def ready(prepared: None, installation: Fleet) -> Iterator[Fleet]:
    installation.ready()
    before = installation.rollouts()
    yield installation
    fault_injection.clean_up(installation)
    for rollout in sorted(installation.rollouts() - before):
        assert installation.violated(rollout) == [], f"the auditor found violations in rollout {rollout}"


def befallen(fleet: Fleet, mode: str, kinds: tuple[str, ...]) -> list[Ending]:
    """Each of the kinds on a host of its own."""
    free = dict(fleet.lab.families())
    injections = []
    for kind in sorted(kinds, key=lambda kind: MISHAPS[kind].family is None):  # those first that not every host can have
        host = next(host for host, family in free.items() if MISHAPS[kind].family in (None, Family(family)))
        del free[host]
        injections.append(Injection(host, kind, 1.0 if kind in LIVE else None))
    return fault_injection.run(fleet, "mishaps", mode, injections)


@contextmanager
def ladder(fleet: Fleet, instead: str) -> Iterator[None]:
    """Another one than that of the round."""
    policies = sorted((fleet.lab.folder / "policies").glob("*.yaml"))
    kept = {path: path.read_text() for path in policies}
    for path, text in kept.items():
        path.write_text(text.replace(f"  {LADDER}\n", instead))
    apply(fleet, *policies)
    try:
        yield
    finally:
        for path, text in kept.items():
            path.write_text(text)
        apply(fleet, *policies)


def judge(endings: list[Ending], kinds: tuple[str, ...]) -> None:
    assert [ending.told() for ending in endings if not ending.right] == []
    assert sorted(ending.injection.kind for ending in endings if not ending.missed) == sorted(kinds), "each came about"


def test_each_that_needs_a_person_has_a_signature_and_each_comes_about_in_some_mode() -> None:
    assert set(SIGNATURES) == {kind for kind, mishap in MISHAPS.items() if not mishap.recoverable}
    assert {kind for kinds in KINDS.values() for kind in kinds} == set(MISHAPS)
    assert set(ALSO_CALLED) <= set(SIGNATURES)


def test_only_what_comes_at_a_random_moment_and_is_recoverable_may_pass_unseen() -> None:
    """What lies in wait is in the way of every upgrade, and what needs a person is right only where it was diagnosed."""
    assert set(MAY_PASS_UNSEEN) < {kind for kind in LIVE if MISHAPS[kind].recoverable}


@pytest.mark.parametrize(
    ("kind", "state", "signature", "truth", "right", "false_success"),
    [
        ("sshdHangs", "Upgraded", "", "", True, False),
        ("sshdHangs", "Quarantined", "sshd-hang", "", False, False),
        ("sshdHangs", "Upgraded", "", "kernel 6.1 instead of 6.2", False, True),
        ("linkDead", "Quarantined", "unreachable", "no answer", True, False),
        ("linkDead", "Quarantined", "bmc-down", "no answer", False, False),
        ("linkDead", "Upgraded", "", "no answer", False, True),
        ("linkDead", "Upgraded", "", "", False, True),
        ("lostMemory", "Upgraded", "", "", False, True),
        ("doesNotBoot", "Quarantined", "reboot-never-returned", "no answer", True, False),
        ("doesNotBoot", "Quarantined", "unreachable", "no answer", True, False),
        ("doesNotBoot", "Quarantined", "no-power-on", "no answer", False, False),
        ("linkDead", "Quarantined", "reboot-never-returned", "no answer", False, False),
    ],
)
def test_the_judge_can_say_no(kind: str, state: str, signature: str, truth: str, right: bool, false_success: bool) -> None:
    ending = Ending(Injection("h01", kind, None), state, signature, "", truth)
    assert (ending.right, ending.false_success) == (right, false_success)
    told = fault_injection.summary([ending])
    assert (told["false_success"], len(list(told["wrong"]))) == (int(false_success), int(not right))  # type: ignore[call-overload]


@pytest.mark.parametrize("kind", ["sshdHangs", "linkDead"])
def test_no_ending_is_right_that_did_harm(kind: str) -> None:
    """Also where a person is needed, and was called by the right name."""
    injection = Injection("h01", kind, None)
    state = "Upgraded" if injection.recoverable else "Quarantined"
    signature, truth = SIGNATURES.get(kind, ""), "" if injection.recoverable else "no answer"
    assert Ending(injection, state, signature, "", truth).right
    harmed = Ending(injection, state, signature, "", truth, "data files changed: ./records/owner.txt")
    assert (harmed.right, harmed.false_success) == (False, injection.recoverable)


@pytest.mark.parametrize(
    ("state", "truth", "right", "false_success"),
    [
        ("Upgraded", "", True, False),
        ("Upgraded", "web@h01", False, True),
        ("Skipped", "", False, False),
        ("Quarantined", "", False, False),
        ("Cancelled", "", False, False),
    ],
)
def test_a_host_that_nothing_befell_has_to_be_upgraded(state: str, truth: str, right: bool, false_success: bool) -> None:
    """Whatever was to befall it."""
    for kind in ("sshdHangs", "linkDead"):
        missed = Ending(Injection("h01", kind, 1.0), state, SIGNATURES.get(kind, ""), "", truth, missed=True)
        assert (missed.right, missed.false_success) == (right, false_success)
        told = fault_injection.summary([missed])
        assert (told["injected"], told["missed"], len(list(told["wrong"]))) == (0, 1, int(not right))  # type: ignore[call-overload]


def test_what_nobody_is_known_to_have_met_is_injected_and_not_bitten() -> None:
    well = Ending(Injection("h01", "bmcSlow", None), "Upgraded", "", "", "")
    endings = [well, replace(well, bitten=True), replace(well, bitten=True, missed=True)]
    told = fault_injection.summary(endings)
    assert (told["injected"], told["bitten"], told["missed"]) == (2, 1, 1)


def upgraded(kind: str, *, bitten: bool) -> Ending:
    return Ending(Injection("h01", kind, None), "Upgraded", "", "", "", bitten=bitten)


@pytest.mark.parametrize("kind", [kind for kind, mishap in MISHAPS.items() if mishap.recoverable])
def test_what_cannot_pass_unseen_and_was_not_met_was_not_resolved(kind: str) -> None:
    """Else a fault that never takes effect would be called resolved."""
    unmet, met = upgraded(kind, bitten=False), upgraded(kind, bitten=True)
    assert (unmet.right, met.right) == (kind in MAY_PASS_UNSEEN, True)
    told = fault_injection.summary([unmet, met], violations=[])
    assert (told["unbitten"], told["auto_resolved_share"]) == ([kind], 1.0 if unmet.right else 0.5)
    if unmet.right:
        judge([unmet], (kind,))
    else:
        with pytest.raises(AssertionError, match=kind):
            judge([unmet], (kind,))
    assert soak_remediation.verdict(told, 2) == (0 if unmet.right else 1)
    assert soak_remediation.verdict(fault_injection.summary([met], violations=[]), 1) == 0
    judge([met], (kind,))


@pytest.mark.parametrize("kind", SELDOM_UNSEEN)
def test_the_soak_does_not_believe_that_ssh_servers_die_unseen(kind: str) -> None:
    unmet, met = upgraded(kind, bitten=False), upgraded(kind, bitten=True)
    assert soak_remediation.verdict(fault_injection.summary([unmet, met], violations=[]), 2) == 0
    assert soak_remediation.verdict(fault_injection.summary([unmet, unmet, met], violations=[]), 3) == 1
    assert soak_remediation.verdict(fault_injection.summary([replace(unmet, missed=True), met], violations=[]), 1) == 0


def test_what_nothing_befell_is_not_unbitten() -> None:
    missed = replace(upgraded("powerCut", bitten=False), missed=True)
    assert (missed.right, fault_injection.summary([missed])["unbitten"]) == (True, [])


@pytest.mark.parametrize("kind", sorted(TOLD_BY_THE_MACHINE))
def test_what_the_installation_itself_gets_over_is_told_by_the_machine(kind: str) -> None:
    told = f"{TOLD_BY_THE_MACHINE[kind]}: and more"
    events = [{"at": 9.0, "event": told}, {"at": 20.0, "event": "power on"}]
    assert not fault_injection.machine_tells(kind, events, since=10.0), "it was somebody before"
    assert fault_injection.machine_tells(kind, [*events, {"at": 21.0, "event": told}], since=10.0)
    assert not fault_injection.machine_tells("bmcBusy", [{"at": 21.0, "event": told}], since=10.0), "it does not tell of others"


def test_the_lab_says_what_is_looked_for() -> None:
    assert TOLD_BY_THE_MACHINE["imageDamagedOnce"] == INSTALLER_FAILED
    assert TOLD_BY_THE_MACHINE["shutdownHangs"] in inspect.getsource(Host)


WELL = {"image": "2.0", "notReady": [], "medium": None, "override": "Disabled", "events": [{"at": 20.0, "event": DATA_UNCHANGED}]}


@pytest.mark.parametrize(
    ("difference", "changes", "audit", "image", "says"),
    [
        ("", {}, "", "2.0", ""),
        ("", {"image": "1.0"}, "", None, ""),
        ("", {"image": "1.0"}, "", "2.0", "image 1.0 instead of 2.0"),
        ("kernel 6.1 instead of 6.2", {}, "", None, "kernel 6.1 instead of 6.2"),
        ("", {"notReady": ["web@h01"]}, "", None, "web@h01"),
        ("", {}, "half configured", None, "half configured"),
    ],
)
def test_a_host_is_well_if_nothing_at_all_is_the_matter(
    difference: str, changes: dict[str, Any], audit: str, image: str | None, says: str
) -> None:
    assert hosts_afterwards.not_well(difference, {**WELL, **changes}, audit, image) == says


SUMS = "aa  ./records/owner.txt\nbb  ./records/records.bin"
LEFT = {"medium": "http://images/2.tar", "override": "Once"}


@pytest.mark.parametrize(
    ("after", "changes", "says"),
    [
        (SUMS, {}, ""),
        (SUMS.replace("aa", "cc"), {}, "data files changed: ./records/owner.txt"),
        ("", {}, "data files changed: ./records/owner.txt, ./records/records.bin"),
        (f"{SUMS}\ncc  ./new", {}, "data files changed: ./new"),
        (None, {}, "its data cannot be read"),
        (SUMS, {"events": [{"at": 20.0, "event": DATA_CHANGED}]}, DATA_CHANGED),
        (SUMS, {"events": [{"at": 9.0, "event": DATA_CHANGED}]}, ""),
        (SUMS, LEFT, "an installer is left: http://images/2.tar, boot override Once"),
        (SUMS, {**LEFT, "override": "Disabled"}, "an installer is left: http://images/2.tar, boot override Disabled"),
        (SUMS, {"override": "Continuous"}, "an installer is left: an empty drive, boot override Continuous"),
    ],
)
def test_harm_is_seen(after: str | None, changes: dict[str, Any], says: str) -> None:
    assert hosts_afterwards.harm(SUMS, after, {**WELL, **changes}, since=10.0) == says


def test_where_the_bmc_is_silent_nobody_can_take_an_installer_out_and_data_have_to_be_as_they_were() -> None:
    assert hosts_afterwards.harm(SUMS, SUMS, {**WELL, **LEFT}, since=10.0, bmc_answers=False) == ""
    assert hosts_afterwards.harm(SUMS, "", {**WELL, **LEFT}, since=10.0, bmc_answers=False).startswith("data files changed")


def test_the_soak_can_say_no(capsys: pytest.CaptureFixture[str]) -> None:
    met, unmet = ({"injected": 9, "bitten": bitten} for bitten in (5, 4))
    told: dict[str, object] = {"injected": 252, "seldom_unseen": met, "wrong": [], "false_success": 0, "violations": []}
    assert soak_remediation.verdict(told, 280) == 0
    spoilt: list[dict[str, object]] = [
        {"wrong": [{}]},
        {"false_success": 1},
        {"violations": ["I2"]},
        {"injected": 251},
        {"seldom_unseen": unmet},
    ]
    assert [soak_remediation.verdict({**told, **worse}, 280) for worse in spoilt] == [1] * len(spoilt)
    said = capsys.readouterr().err
    assert "only 251 of 280 hosts" in said and "only 4 of 9 of sshdDead, sshdHangs were met" in said


class Rollouts:
    """Stands for a fleet in which the auditor does not find each as it should be."""

    def __init__(self) -> None:
        self.known = ["r1", "r2"]

    def ready(self) -> None:
        """It is."""

    def rollouts(self) -> set[str]:
        return set(self.known)

    def violated(self, rollout: str) -> list[str]:
        return [] if rollout == "r3" else [f"I2 in {rollout}"]


def test_the_soak_asks_the_auditor_of_its_own_rollouts(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    fleet, coming = Rollouts(), ["r3", "r4"]
    fleet.lab = SimpleNamespace(families=dict)  # type: ignore[attr-defined]
    monkeypatch.setattr(fault_injection, "run", lambda *_: fleet.known.append(coming.pop(0)) or [])  # type: ignore[func-returns-value]
    monkeypatch.setattr(fault_injection, "clean_up", lambda _: None)
    assert [soak_remediation.one(cast("Fleet", fleet), seed) for seed in (1, 2)] == [([], []), ([], ["I2 in r4"])]
    assert [json.loads(line)["violations"] for line in capsys.readouterr().out.splitlines()] == [[], ["I2 in r4"]]


def test_data_that_nobody_reaches_are_read_once_the_lab_has_mended_their_host(monkeypatch: pytest.MonkeyPatch) -> None:
    mended: list[bool] = []
    fleet = SimpleNamespace(lab=SimpleNamespace(reset=lambda: mended.append(True)))
    reachable = {"h01": "sums"}
    monkeypatch.setattr(hosts_afterwards, "data_of", lambda _, hosts: {host: sums for host, sums in reachable.items() if host in hosts})
    assert fault_injection.data_afterwards(cast("Fleet", fleet), ["h01"]) == {"h01": "sums"}
    assert mended == [], "others are judged by hosts as they are"
    fleet.lab.reset = lambda: reachable.update(h01="of release 1", h02="more")
    assert fault_injection.data_afterwards(cast("Fleet", fleet), ["h01", "h02", "h03"]) == {"h01": "sums", "h02": "more"}


@pytest.mark.full
def test_without_a_ladder_what_could_be_mended_is_quarantined(ready: Fleet) -> None:
    """The control."""
    with ladder(ready, ""):
        endings = befallen(ready, "PackageUpdate", ("sshdHangs", "logsFillDisk"))
    assert [(ending.state, ending.right) for ending in endings] == [("Quarantined", False)] * 2, endings


@pytest.mark.full
def test_an_operator_that_takes_an_answer_for_health_is_told_by_false_success(ready: Fleet) -> None:
    """The control."""
    with Consumers(ready).planted("trusting_operator.py"):
        endings = befallen(ready, "PackageUpdate", ("wrongKernel",))
    fault_injection.again(ready)
    assert fault_injection.summary(endings)["false_success"] == 1, endings


@pytest.mark.full
def test_what_the_new_release_broke_goes_back_to_the_one_before(ready: Fleet) -> None:
    host, earlier = ready.lab.hosts()[0], ready.lab.folder / "releases" / "1.json"
    ready.sre.must("release", "add", str(earlier))
    # Which release a host has is known once Drydock brought it there.
    there = ready.start([host], "there")
    assert ready.ended(there, 300)["state"] == "Succeeded", ready.upgrades(there)
    back = ready.sre.ask("rollout", "revert", there, "--release", "1", "--reason", "as it was")["id"]
    assert ready.ended(back, 300)["state"] == "Succeeded", ready.upgrades(back)
    with ladder(ready, "  remediation: {ladder: [RetryStep, RollBack], then: Quarantine}\n"):
        (ending,) = fault_injection.run(ready, "back", "PackageUpdate", [Injection(host, "applicationDies", None)])
    assert (ending.state, "taken back to release 1" in ending.reason) == ("Reverted", True), ending
    assert release_check.upgraded(ready.lab, earlier)[host] == ""
    assert hosts_afterwards.lab_says(ready, host)["notReady"] == [], "its applications answer"


def test_four_of_them_and_a_ticket_for_the_one_that_needs_a_person(ready: Fleet, tickets: Callable[[], list[dict[str, Any]]]) -> None:
    endings = befallen(ready, "PackageUpdate", FOUR)
    judge(endings, FOUR)
    broken = next(ending.injection.host for ending in endings if not ending.injection.recoverable)
    (opened,) = tickets()  # and none that closes it
    assert (opened["action"], opened["key"], opened["title"]) == ("open", f"drydock/{broken}", f"{broken}: wrong-host-key")
    # Who looks first may come while the host takes on its new key, and be cut off.
    assert any("wrong-host-key" in tried["message"] for tried in opened["evidence"]["failure"]["tried"]), opened
    fault_injection.clean_up(ready)
    eventually("the ticket is closed", lambda: {"open", "close"} == {one["action"] for one in tickets() if one["key"] == opened["key"]}, 30)


@pytest.fixture
def tickets(ready: Fleet, tmp_path: Path) -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """All that a team's repair desk was given so far; it takes tickets as files."""
    team, name = Client(ready.instance, "web-team"), f"repairs-{time.time_ns()}"
    team.must("subscription", "create", name, "--event", "Quarantined,Back")

    def taken() -> list[dict[str, Any]]:
        team.must("subscription", "deliver", name, "--once", "--as", "ticket", "--to", tmp_path.as_uri())
        told = [json.loads(file.read_text()) for file in tmp_path.glob("*.json")]
        return [
            ticket
            for ticket in told
            if ticket["action"] == "open" or ticket["key"] in {one["key"] for one in told if one["action"] == "open"}
        ]

    yield taken
    team.must("subscription", "delete", name)


def chunks(mode: str) -> list[tuple[str, tuple[str, ...]]]:
    """Of those that only hosts with apt can have, no more than there are such hosts."""
    apt = [kind for kind in KINDS[mode] if MISHAPS[kind].family]
    rest = [kind for kind in KINDS[mode] if not MISHAPS[kind].family]
    ordered = [kind for pair in itertools.zip_longest(rest, apt) for kind in pair if kind]
    return [(mode, tuple(ordered[first : first + HOSTS])) for first in range(0, len(ordered), HOSTS)]


@pytest.mark.full
@pytest.mark.parametrize(("mode", "kinds"), [*chunks("PackageUpdate"), *chunks("Reimage")])
def test_each_of_them(ready: Fleet, mode: str, kinds: tuple[str, ...]) -> None:
    judge(befallen(ready, mode, kinds), kinds)
