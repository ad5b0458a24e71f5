"""Whatever befalls hosts in the middle of their upgrade: what can be mended is, without a person, and what cannot be is told apart."""

import itertools
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import mishaps
import pytest
import soak_remediation
from consumers import Consumers
from fleet import Fleet, apply, eventually
from mishaps import KINDS, LADDER, LIVE, SIGNATURES, Ending, Injection

from drydock_lab.mishaps import MISHAPS
from drydock_lab.release import Family
from drydock_stack import release_check
from drydock_stack.client import Client

pytestmark = pytest.mark.e2e

HOSTS = 10
FOUR = ("sshdHangs", "wrongHostKey", "logsFillDisk", "updateFailsOnce")


@pytest.fixture(scope="module")
def prepared(installation: Fleet) -> Iterator[None]:
    installation.ready()
    with mishaps.prepared(installation):
        yield


@pytest.fixture
def ready(prepared: None, installation: Fleet) -> Iterator[Fleet]:
    installation.ready()
    before = installation.rollouts()
    yield installation
    mishaps.clean_up(installation)
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
    return mishaps.run(fleet, f"mishaps-{time.time_ns()}", mode, injections)


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
    assert sorted(ending.injection.kind for ending in endings) == sorted(kinds), "each came about"


def test_each_that_needs_a_person_has_a_signature_and_each_comes_about_in_some_mode() -> None:
    assert set(SIGNATURES) == {kind for kind, mishap in MISHAPS.items() if not mishap.recoverable}
    assert {kind for kinds in KINDS.values() for kind in kinds} == set(MISHAPS)


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
    ],
)
def test_the_judge_can_say_no(kind: str, state: str, signature: str, truth: str, right: bool, false_success: bool) -> None:
    ending = Ending(Injection("h01", kind, None), state, signature, "", truth)
    assert (ending.right, ending.false_success) == (right, false_success)
    told = mishaps.summary([ending])
    assert (told["false_success"], len(list(told["wrong"]))) == (int(false_success), int(not right))  # type: ignore[call-overload]


def test_the_soak_can_say_no(capsys: pytest.CaptureFixture[str]) -> None:
    told: dict[str, object] = {"injected": 252, "wrong": [], "false_success": 0}
    assert soak_remediation.verdict(told, 28) == 0
    spoilt: list[dict[str, object]] = [{"wrong": [{}]}, {"false_success": 1}, {"injected": 251}]
    assert [soak_remediation.verdict({**told, **worse}, 28) for worse in spoilt] == [1, 1, 1]
    assert "only 251 injections in 28 rollouts" in capsys.readouterr().err


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
    mishaps.again(ready)
    assert mishaps.summary(endings)["false_success"] == 1, endings


@pytest.mark.full
def test_what_the_new_release_broke_goes_back_to_the_one_before(ready: Fleet) -> None:
    host, earlier = ready.lab.hosts()[0], ready.lab.folder / "releases" / "1.json"
    ready.sre.must("release", "add", str(earlier))
    # Which release a host has is known once Drydock brought it there.
    there = ready.start([host], f"there-{time.time_ns()}")
    assert ready.ended(there, 300)["state"] == "Succeeded", ready.upgrades(there)
    back = ready.sre.ask("rollout", "revert", there, "--release", "1", "--reason", "as it was")["id"]
    assert ready.ended(back, 300)["state"] == "Succeeded", ready.upgrades(back)
    with ladder(ready, "  remediation: {ladder: [RetryStep, RollBack], then: Quarantine}\n"):
        (ending,) = mishaps.run(ready, f"back-{time.time_ns()}", "PackageUpdate", [Injection(host, "applicationDies", None)])
    assert (ending.state, "taken back to release 1" in ending.reason) == ("Reverted", True), ending
    assert release_check.upgraded(ready.lab, earlier)[host] == ""
    assert mishaps.truth(ready, host, "") == "", "its applications answer"


def test_four_of_them_and_a_ticket_for_the_one_that_needs_a_person(ready: Fleet, tickets: Callable[[], list[dict[str, Any]]]) -> None:
    endings = befallen(ready, "PackageUpdate", FOUR)
    judge(endings, FOUR)
    broken = next(ending.injection.host for ending in endings if not ending.injection.recoverable)
    (opened,) = tickets()  # and none that closes it
    assert (opened["action"], opened["key"], opened["title"]) == ("open", f"drydock/{broken}", f"{broken}: wrong-host-key")
    assert "wrong-host-key" in opened["evidence"]["failure"]["tried"][0]["message"], opened
    mishaps.clean_up(ready)
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
