"""Looks at machines through their BMCs: how these answer, and what they say of the machine. Changes nothing."""

from __future__ import annotations

import logging
import statistics
import time
from collections.abc import Callable
from typing import Protocol

import redfish

from drydock_remediation.health.machine import Asked, OutOfBandReading
from drydock_remediation.reimage.access import BmcAccess, BmcPlace
from drydock_remediation.reimage.bmc import LOGOUT_SECONDS, RedfishBmc, within
from drydock_remediation.reimage.session import NO_ANSWER, NO_PROXY, NotUsable, Silent

LOG = logging.getLogger(__name__)
ASKS, ASK_SECONDS, ASKING_SECONDS_MAX, ASKS_MIN = 6, 5.0, 15.0, 3
READ_SECONDS = 60.0
PAUSE_SECONDS = 5.0
LOOK_SECONDS_MAX = ASKING_SECONDS_MAX + ASK_SECONDS + 2 * READ_SECONDS + LOGOUT_SECONDS


class MachineReader(Protocol):
    """How machines are looked at from outside."""

    def look(self, host: str, *, asks: int, patience: float = 0.0) -> OutOfBandReading | None:
        """Its BMC is asked a simple question `asks` times first. One that tells nothing of its machine is asked again until
        `patience` seconds are over: BMCs restart, and are busy. Ends within LOOK_SECONDS_MAX after that. None: nobody said where
        it is."""


class RedfishMachineReader:
    """Safe for several threads: nothing is kept between looks."""

    def __init__(self, access: BmcAccess, pause: float = PAUSE_SECONDS) -> None:
        self._access = access
        self._pause = pause

    def look(self, host: str, *, asks: int, patience: float = 0.0) -> OutOfBandReading | None:
        place = self._access.places.get(host)
        if place is None:
            return None
        give_up = time.monotonic() + patience
        seen = self._once(place, asks)
        while seen.machine is None and time.monotonic() < give_up:
            time.sleep(self._pause)
            seen = self._once(place, asks)
        return seen

    def _once(self, place: BmcPlace, asks: int) -> OutOfBandReading:
        asked = ask(self._access, place.url, asks) if asks else None
        if asked and not asked.answered:
            return OutOfBandReading(asked, None, f"its BMC answered none of {asked.asked} questions")
        bmc = RedfishBmc(self._access, place)
        try:
            return OutOfBandReading(asked, bmc.describe(READ_SECONDS))
        except (Silent, NotUsable, *NO_ANSWER, OSError) as error:
            return OutOfBandReading(asked, None, f"its BMC could not be read: {error or type(error).__name__}")
        finally:
            bmc.close()


def ask(access: BmcAccess, url: str, times: int = ASKS, clock: Callable[[], float] = time.monotonic) -> Asked:
    """The root of the service, which everybody may read, over a connection of its own each time. Ends early when time is over."""
    began, asked, took = clock(), 0, list[float]()
    while asked < times and (asked < ASKS_MIN or clock() - began < ASKING_SECONDS_MAX):
        at = clock()
        asked += 1
        try:
            within(ASK_SECONDS, lambda: _greet(access, url))
            took.append(clock() - at)
        except (Silent, *NO_ANSWER, OSError) as error:
            LOG.info("%s: no answer: %s", url, error or type(error).__name__)
    return Asked(asked, len(took), statistics.median(took) if took else None)


def _greet(access: BmcAccess, url: str) -> None:
    """The client reads the root by itself, and fails where it cannot."""
    redfish.redfish_client(
        url, access.user, access.password(), cafile=str(access.ca_file), timeout=ASK_SECONDS, max_retry=0, proxies=NO_PROXY
    )
