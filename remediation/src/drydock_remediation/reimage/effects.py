"""Effects sent to a BMC under a lease: each once, and none that could reach it beside the next attempt's."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from drydock_remediation.lease import Lease
from drydock_remediation.reimage.bmc import Bmc, Refused, Unanswered
from drydock_remediation.reimage.decide import Do, Order, Reply
from drydock_remediation.reimage.session import SESSIONS_MAX, SessionLost, Silent

LOG = logging.getLogger(__name__)
LEASE_MARGIN_SECONDS, REQUEST_SECONDS_MIN = 0.5, 1.5


@dataclass(frozen=True)
class SentEffects:
    """What became of an effect; a `refusal` says that it did not come about."""

    reply: Reply = Reply.OVER
    refusal: str = ""


def seconds_for(lease: Lease, most: float, now: float) -> float:
    """How long a request may take; none where the lease is to be renewed first."""
    seconds = min(most, lease.ends_at() - now - LEASE_MARGIN_SECONDS)
    return seconds if seconds >= REQUEST_SECONDS_MIN else 0.0


def send(bmc: Bmc, do: Do, order: Order, allowed: Callable[[], float], name: str) -> SentEffects | None:
    """`allowed` says how long a request may take, and is asked right before each. None: nothing was sent, and the machine is to be
    looked at again."""
    try:
        return _send(bmc, do, order, allowed)
    except Silent as error:
        LOG.info("%s: not done, its BMC is silent: %s", name, error)
        return None
    except Unanswered as error:
        LOG.warning("%s: %s was not answered: %s", name, do, error)
        return SentEffects(Reply.NONE)
    except Refused as error:
        LOG.warning("%s: %s was refused: %s", name, do, error)
        return SentEffects(refusal=str(error))


def _send(bmc: Bmc, do: Do, order: Order, allowed: Callable[[], float]) -> SentEffects | None:
    for _ in range(SESSIONS_MAX):
        if not (seconds := allowed()):
            return None
        try:
            return SentEffects(bmc.act(do, order, seconds))
        except SessionLost:
            if not (seconds := allowed()):
                return None
            bmc.renew(seconds)
    raise SessionLost("one session after the other is gone")
