"""An example: never two replicas of one shard down together. `python -m drydock_controller.shards TOPIC [FILE]`.

A shard is what stands before the last '-' in an instance's id before '@': search-3-a@h1 and search-3-b@h2 are replicas of
search-3. FILE may name shards, one per line, of which nothing may go down for now, such as while they are rebuilt; it is
read for each question, so the controller changes its mind with it.
"""

from __future__ import annotations

import collections
import logging
import signal
import sys
import threading
from collections.abc import Set
from pathlib import Path
from typing import Any

from drydock_controller.loop import board_from_environment, serve
from drydock_controller.questions import ApprovalQuestion, Refusal, answer


def shard(instance: str) -> str:
    return instance.partition("@")[0].rpartition("-")[0]


def decide(ask: ApprovalQuestion, closed: Set[str] = frozenset()) -> dict[str, Any]:
    """Approves group after group as long as each shard keeps all replicas but one."""
    down: dict[str, set[str]] = collections.defaultdict(set)
    for instance in ask.presumed_down:
        down[shard(instance.id)].add(instance.id)
    refused: dict[int, Refusal] = {}
    for number, group in enumerate(ask.groups):
        then = {name: down[name] | {one for one in group.ids if shard(one) == name} for name in map(shard, group.ids)}
        two = sorted(name for name, ids in then.items() if len(ids) > 1)
        shut = sorted(name for name in then if name in closed)
        if shut:
            refused[number] = Refusal("ShardClosed", f"shard {shut[0]} is being rebuilt")
        elif two:
            refused[number] = Refusal(
                "ReplicaDown", f"two replicas of shard {two[0]} would be down: {', '.join(sorted(then[two[0]]))}", True
            )
        else:
            down.update(then)
    return answer(ask, refused)


def main(arguments: list[str]) -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    topic, closed = arguments[0], Path(arguments[1]) if arguments[1:] else None
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())

    def now(ask: ApprovalQuestion) -> dict[str, Any]:
        return decide(ask, frozenset(closed.read_text().split()) if closed and closed.exists() else frozenset())

    serve(board_from_environment(), topic, now, stop)


if __name__ == "__main__":
    main(sys.argv[1:])
