"""The table of signatures: what each fits, what it does not, in which order, and that nothing is guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from drydock_remediation.triage import page
from drydock_remediation.triage.facts import KINDS, Facts
from drydock_remediation.triage.table import FILE, UNKNOWN, Signature, read, table
from drydock_remediation.triage.triage import triage

from .signature_cases import BOTH, CASES, Case

DOCS = Path(__file__).parents[2] / "docs" / "triage.md"
ASKED_FOR = """
unreachable wrong-host-key sshd-hang package-conflict post-install-failure disk-full reboot-never-returned wrong-kernel lost-memory
bmc-down bmc-slow bmc-flapping failed-installer checksum-mismatch application-does-not-start application-unhealthy drain-stuck
no-power-on lock-held packages-held source-unreadable
"""


def one(**changes: object) -> str:
    record = {"name": "a", "means": "b", "evidence": "c", "first": "d", "rungs": ["RetryStep"], "when": [[{"fact": "ssh", "is": "cut"}]]}
    return f"signatures: [{record | changes}]"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_signature_is_known_by_its_facts_and_not_by_what_comes_close(case: Case) -> None:
    found = triage(case.fits)
    assert found.name == case.name
    assert found.evidence, "it says by what"
    assert triage(case.near).name == case.instead


def test_every_signature_has_its_cases() -> None:
    assert {case.name for case in CASES} == {signature.name for signature in table()} == set(ASKED_FOR.split())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_no_signature_is_needless(case: Case) -> None:
    """The control: without its signature the same facts are something else."""
    assert triage(case.fits, [signature for signature in table() if signature.name != case.name]).name != case.name


@pytest.mark.parametrize(("first", "second", "facts"), BOTH, ids=[f"{first} before {second}" for first, second, _ in BOTH])
def test_of_two_that_fit_the_first_is_it(first: str, second: str, facts: Facts) -> None:
    by_name = {signature.name: signature for signature in table()}
    assert triage(facts).name == first
    assert triage(facts, [by_name[first], by_name[second]]).name == first
    assert triage(facts, [by_name[second], by_name[first]]).name == second, "the control: it is the order that decides"


def test_what_is_not_known_makes_nothing_fit() -> None:
    found = triage({})
    assert (found.name, found.recoverable, found.rungs, found.evidence) == (UNKNOWN, UNKNOWN, ("RetryStep",), ())
    assert dict(found.undecided)["lost-memory"] == ("memory.percent",)
    assert [name for name, _ in found.undecided] == [signature.name for signature in table()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_no_fact_of_a_signature_can_be_missing(case: Case) -> None:
    """Of what it was recognised by, anything taken away leaves another signature or none."""
    for evidence in triage(case.fits).evidence:
        assert triage({name: fact for name, fact in case.fits.items() if name != evidence.fact}).name != case.name


def test_what_could_not_be_decided_is_told_along_with_what_was() -> None:
    found = triage({"ssh": "silent"})
    assert found.name == "unreachable"
    assert ("bmc-down", ("bmc.answered", "bmc.asked", "failure.says")) in found.undecided
    assert "wrong-host-key" not in dict(found.undecided), "that was decided: it is not"


def test_the_evidence_says_got_and_want() -> None:
    found = triage({"disk.freePercent": 0})
    assert found.sentence() == "disk-full (disk.freePercent: got 0, want under 1)"
    long = triage({"failure.says": "x" * 3000 + " installer: checksum mismatch: the image has 1" + "y" * 3000})
    assert "checksum mismatch: the image has 1" in long.evidence[0].got, "of a long text the part it was recognised by"
    assert len(long.evidence[0].got) <= 200


def test_a_signature_without_rungs_is_for_people() -> None:
    assert {signature.name for signature in table() if not signature.recoverable} == {
        *("wrong-host-key", "packages-held", "package-conflict", "lost-memory", "drain-stuck", "no-power-on", "bmc-down")
    }
    assert triage({"ssh": "wrongKey"}).recoverable == "false"
    assert triage({"ssh": "noBanner"}).recoverable == "true"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (one(when=[[{"fact": "weather", "is": "bad"}]]), "'weather' is no fact"),
        (one(when=[[{"fact": "ssh", "resembles": "cut"}]]), "needs one of"),
        (one(when=[[{"fact": "ssh", "under": 3}]]), "nothing that ssh can be held against"),
        (one(when=[[{"fact": "memory.percent", "is": "x", "under": 3}]]), "needs one of"),
        (one(when=[[{"fact": "kernel.running", "differsFrom": "weather"}]]), "which is no fact"),
        (one(when=[[{"fact": "ssh", "matches": "("}]]), "signature a: "),
        (one(when=[[]]), "would always hold"),
        (one(when=[]), "without conditions"),
        (one(rungs=["Pray"]), "Pray is no rung"),
        (one(color="red"), "color: too much"),
        (one(name=UNKNOWN), "unknown is none"),
    ],
)
def test_a_table_with_a_mistake_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match="a") as refused:
        read(text)
    assert why in str(refused.value)
    assert isinstance(read(one())[0], Signature)


def test_every_fact_is_asked_for_or_shown() -> None:
    shown_only = {"disk.fullest", "update.begun"}
    asked = {name for signature in table() for all_of in signature.when for condition in all_of for name in condition.unknown({})}
    assert asked == set(KINDS) - shown_only


def test_the_page_says_what_the_table_does() -> None:
    assert DOCS.read_text() == page.page(table()), "tools/python -m drydock_remediation.triage.page > docs/triage.md"
    assert page.page(read(FILE.read_text().replace("under: 1}", "under: 2}"))) != DOCS.read_text(), "the control"
