"""The host operator with its judgement planted out: a host that answers is healthy. The control of what tells false success."""

import sys
from collections.abc import Mapping

from drydock_remediation import __main__ as program
from drydock_remediation import jobset
from drydock_remediation.facts import HostFacts
from drydock_remediation.health.custom import HostCheck
from drydock_remediation.observations import NOTHING, Observations
from drydock_remediation.records import Job, Outcome, Result, Step
from drydock_remediation.verdict import NO_CHECKS, judge


def trusting(job: Job, facts: HostFacts | None, around: Observations = NOTHING, known: Mapping[str, HostCheck] = NO_CHECKS) -> Result:
    found = judge(job, facts, around, known)
    return Result(Outcome.DONE, f"{job.host} answers", found.facts) if facts and job.step is Step.HEALTH else found


jobset.judge = trusting  # type: ignore[attr-defined]
sys.exit(program.main())
