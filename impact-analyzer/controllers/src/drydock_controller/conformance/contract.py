"""What an answer has to be, and how answers have to go together. Pure; each finding is one sentence."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

LISTS = ("approved", "denied", "waiting")
RETRY_SECONDS = range(2, 3601)


@dataclass(frozen=True)
class Question:
    """Groups by the ids of their instances, and what is presumed down."""

    groups: tuple[frozenset[str], ...]
    down: frozenset[str]

    @property
    def asked(self) -> frozenset[str]:
        return frozenset(itertools.chain.from_iterable(self.groups))

    def __str__(self) -> str:
        groups = " | ".join(" ".join(sorted(group)) for group in self.groups)
        return f"[{groups}] while down: {' '.join(sorted(self.down)) or 'nothing'}"


def faults(question: Question, answer: Mapping[str, Any], now_millis: int) -> list[str]:
    """What is wrong with the answer by itself; the board would refuse it."""
    lists = {name: list(answer.get(name, [])) for name in LISTS}
    named = [instance for ids in lists.values() for instance in ids]
    found = [f"{instance} was not asked about" for instance in sorted(set(named) - question.asked)]
    found += [f"{instance} is listed twice" for instance in sorted({one for one in named if named.count(one) > 1})]
    found += [f"{instance} is in none of the lists" for instance in sorted(question.asked - set(named))]
    approved = set(lists["approved"])
    found += [f"the group {' '.join(sorted(group))} is split" for group in question.groups if approved & group and group - approved]
    if not found and answer.get("decision") != _decision(lists):
        found.append(f"the decision is {answer.get('decision')}, the lists say {_decision(lists)}")
    if answer.get("retryAfterSeconds", 5) not in RETRY_SECONDS:
        found.append(f"retryAfterSeconds is {answer['retryAfterSeconds']}, must be from 2 to 3600")
    if answer.get("expiresAt", now_millis + 1) <= now_millis:
        found.append("expiresAt has passed")
    return [f"asked {question}: {fault}" for fault in found]


def _decision(lists: Mapping[str, Sequence[str]]) -> str:
    if lists["approved"]:
        return "Partial" if lists["denied"] or lists["waiting"] else "Approved"
    return "Denied" if lists["denied"] else "Wait"


def monotone(answers: Iterable[tuple[Question, Mapping[str, Any]]]) -> list[str]:
    """Whoever approves a group while much is down approves it while less is; only questions about one group tell."""
    single = [(question, bool(answer["approved"])) for question, answer in answers if len(question.groups) == 1]
    return [
        f"approved {more}, but not {less}"
        for (more, yes), (less, no) in itertools.product(single, single)
        if yes and not no and more.groups == less.groups and less.down < more.down
    ]


def together(question: Question, approved: Set[str], alone: Mapping[str, Any]) -> list[str]:
    """What was approved of several groups has to be approved as one group as well."""
    if set(alone["approved"]) == approved:
        return []
    return [f"asked {question}: approved {' '.join(sorted(approved))}, but not when these are one group"]


def same(question: Question, first: Mapping[str, Any], second: Mapping[str, Any], what: str) -> list[str]:
    """The same question has the same answer."""
    differs = any(sorted(first[name]) != sorted(second[name]) for name in LISTS)
    return [f"asked {question}: another answer {what}"] if differs else []
