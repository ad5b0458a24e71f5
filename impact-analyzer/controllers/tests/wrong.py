"""Controllers that are wrong, each in one way: `python wrong.py WAY TOPIC`. What `right` does is the example's rule."""

import dataclasses
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from drydock_controller.loop import board_from_environment, serve
from drydock_controller.questions import ApprovalQuestion, Refusal, answer
from drydock_controller.shards import decide

NO = Refusal("No", "because")


def forgets_an_instance(ask: ApprovalQuestion) -> Mapping[str, Any]:
    said = decide(ask)
    return {**said, "approved": said["approved"][:-1]}


def names_a_stranger(ask: ApprovalQuestion) -> Mapping[str, Any]:
    said = decide(ask)
    return {**said, "approved": [*said["approved"], "stranger@h9"]}


def lists_twice(ask: ApprovalQuestion) -> Mapping[str, Any]:
    said = decide(ask)
    return {**said, "denied": [*said["denied"], *said["approved"][:1]]}


def splits_groups(ask: ApprovalQuestion) -> Mapping[str, Any]:
    said = decide(ask)
    kept = said["approved"][:-1] if any(len(group.ids) > 1 for group in ask.groups) else said["approved"]
    return {**said, "approved": kept, "denied": [*said["denied"], *said["approved"][len(kept) :]]}


def says_another_word(ask: ApprovalQuestion) -> Mapping[str, Any]:
    return {**decide(ask), "decision": "Wait"}


def approves_only_if_much_is_down(ask: ApprovalQuestion) -> Mapping[str, Any]:
    return answer(ask, {} if len(ask.presumed_down) > 1 else dict.fromkeys(range(len(ask.groups)), NO))


def judges_each_group_alone(ask: ApprovalQuestion) -> Mapping[str, Any]:
    alone = [decide(dataclasses.replace(ask, groups=(group,))) for group in ask.groups]
    return answer(ask, {number: NO for number, said in enumerate(alone) if not said["approved"]})


def approves_what_has_passed(ask: ApprovalQuestion) -> Mapping[str, Any]:
    return {**decide(ask), "expiresAt": 1}


def comes_late(ask: ApprovalQuestion) -> Mapping[str, Any]:
    time.sleep(3)
    return decide(ask)


def approves_only_once(ask: ApprovalQuestion, seen: set[ApprovalQuestion] = set()) -> Mapping[str, Any]:  # noqa: B006
    if ask in seen:
        return answer(ask, dict.fromkeys(range(len(ask.groups)), NO))
    seen.add(ask)
    return decide(ask)


def leaves_a_lock_when_it_is_killed(ask: ApprovalQuestion, held: list[int] = []) -> Mapping[str, Any]:  # noqa: B006
    if not held:
        held.append(os.open(os.environ["DRYDOCK_TOKEN_FILE"] + ".lock", os.O_CREAT | os.O_EXCL))
    return decide(ask)


def dies_of_the_second_question(ask: ApprovalQuestion) -> Mapping[str, Any]:
    if ask.presumed_down:
        os._exit(1)
    return decide(ask)


WAYS: tuple[Callable[[ApprovalQuestion], Mapping[str, Any]], ...] = (
    forgets_an_instance,
    names_a_stranger,
    lists_twice,
    splits_groups,
    says_another_word,
    approves_only_if_much_is_down,
    judges_each_group_alone,
    approves_what_has_passed,
    comes_late,
    dies_of_the_second_question,
    approves_only_once,
    leaves_a_lock_when_it_is_killed,
)

if __name__ == "__main__":
    chosen = {way.__name__: way for way in WAYS}[sys.argv[1]]
    serve(board_from_environment(), sys.argv[2], chosen, threading.Event(), pause_seconds=0.02)
