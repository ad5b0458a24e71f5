"""Removes from a host what its owner's rules call safe. Once per round, under the wrapper: a later attempt gets what the first one did."""

from __future__ import annotations

import json
import logging
import threading
from pathlib import Path

from drydock_remediation import crash
from drydock_remediation.bundle import ALONE
from drydock_remediation.jobset import ClaimedWork
from drydock_remediation.records import Outcome, Result
from drydock_remediation.reimage.host import Host, NoAnswer, NotDone
from drydock_remediation.reimage.run import Machines
from drydock_remediation.repairs.clean_rules import Rules

LOG = logging.getLogger(__name__)
ON_HOST = Path(__file__).with_name("clean_on_host.py")
CLEAN_SECONDS = 300
ATTEMPTS, PAUSE_SECONDS = 3, 2.0


def clean_disk(work: ClaimedWork, machines: Machines, stopping: threading.Event, rules: Rules) -> Result | None:
    """None when its lease was lost or the program is to stop."""
    host, name = machines.host(work.claim), work.claim.job.host
    said = ""
    for _ in range(ATTEMPTS):
        if stopping.is_set() or not work.lease.valid():
            return None
        try:
            return judge(name, _clean(host, rules))
        except NoAnswer as error:
            said = str(error)
            LOG.info("%s does not answer: %s", name, error)
        except NotDone as error:
            return Result(Outcome.UNKNOWN, f"{name}: what was removed there is not known: {error}")
        stopping.wait(PAUSE_SECONDS)
    return Result(Outcome.UNKNOWN, f"{name} does not answer, and what was removed there is not known: {said}")


def _clean(host: Host, rules: Rules) -> str:
    host.fence()
    crash.reach("operator-cleandisk-due")
    command = [*ALONE, "-c", ON_HOST.read_text(), json.dumps([rule.record() for rule in rules])]
    said = host.run("clean", CLEAN_SECONDS, command)
    crash.reach("operator-cleandisk-done")
    return said


def judge(name: str, said: str) -> Result:
    """Done once something was removed; whether that was enough the step says that is done again."""
    try:
        told = json.loads(said)
        removed = {rule: (int(one["files"]), int(one["bytes"])) for rule, one in told["removed"].items()}
        free = ", ".join(f"{percent} % free in {folder}" for folder, percent in sorted(told["free"].items()))
        failed = [str(one) for one in told["failed"]]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return Result(Outcome.UNKNOWN, f"{name}: half a report of what was removed: {error!r}")
    trouble = f"; not removed: {'; '.join(failed)}" if failed else ""
    if not removed:
        return Result(Outcome.FAILED, f"{name} has nothing that its rules call safe to remove{trouble}", evidence=said)
    files, size = (sum(numbers) for numbers in zip(*removed.values(), strict=True))
    what = f"{files} files of {', '.join(sorted(removed))} were removed from {name}, {size >> 20} MiB"
    return Result(Outcome.DONE, f"{what}; now {free}{trouble}", evidence=said)
