"""What a controller is asked and what it answers. Pure; the words are those of the wire schemas (ApprovalAsk, ApprovalAnswer)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Instance:
    """One running copy of an application."""

    id: str
    application: str
    zone: str

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Instance:
        return cls(str(record["id"]), str(record["application"]), str(record["zone"]))


@dataclass(frozen=True)
class Group:
    """Instances that go down together or not at all; ``begun``: asked for the last time before they do."""

    instances: tuple[Instance, ...]
    begun: bool

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(instance.id for instance in self.instances)


@dataclass(frozen=True)
class ApprovalQuestion:
    """Which of the groups may go down together while the others are down? Some of a group may be down already."""

    groups: tuple[Group, ...]
    presumed_down: tuple[Instance, ...]

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> ApprovalQuestion:
        groups = tuple(Group(_instances(group["instances"]), bool(group["begun"])) for group in record["groups"])
        return cls(groups, _instances(record["presumedDown"]))


def _instances(records: Sequence[Mapping[str, Any]]) -> tuple[Instance, ...]:
    return tuple(Instance.read(record) for record in records)


@dataclass(frozen=True)
class Refusal:
    """Why a group was not approved; ``wait``: it may be soon."""

    code: str
    message: str
    wait: bool = False


def answer(
    ask: ApprovalQuestion, refused: Mapping[int, Refusal], retry_after_seconds: int = 5, expires_at: int | None = None
) -> dict[str, Any]:
    """The record that answers: all groups are approved but those refused, by their number in the ask."""
    lists: dict[str, list[str]] = {"approved": [], "denied": [], "waiting": []}
    for number, group in enumerate(ask.groups):
        refusal = refused.get(number)
        lists["approved" if refusal is None else "waiting" if refusal.wait else "denied"] += group.ids
    reasons = [{"code": refusal.code, "message": refusal.message} for refusal in dict.fromkeys(refused.values())]
    record = {"decision": _decision(lists), **lists, "reasons": reasons, "retryAfterSeconds": retry_after_seconds}
    return record if expires_at is None else {**record, "expiresAt": expires_at}


def _decision(lists: Mapping[str, Sequence[str]]) -> str:
    if lists["approved"]:
        return "Partial" if lists["denied"] or lists["waiting"] else "Approved"
    return "Denied" if lists["denied"] else "Wait"
