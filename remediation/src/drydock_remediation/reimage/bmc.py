"""A BMC over Redfish: reads that tell a state, and effects of which each is sent once."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Protocol, TypeVar

from drydock_remediation.health.machine import Machine
from drydock_remediation.health.resources import machine
from drydock_remediation.reimage.access import BmcAccess, BmcPlace
from drydock_remediation.reimage.decide import Do, Order, Reply
from drydock_remediation.reimage.facts import BmcState
from drydock_remediation.reimage.session import NO_ANSWER, Session, SessionLost, Silent

LOG = logging.getLogger(__name__)
ANSWER_SECONDS, LOGOUT_SECONDS = 10.0, 5.0
ACCEPTED, BUSY = 202, 503
Got = TypeVar("Got")


class Unanswered(Exception):
    """An effect was sent, and whether it came about, or will, is not known."""


class GivenUp(Silent):
    """It did not answer in time, and whoever asked still waits for that alone."""


class Refused(Exception):
    """The BMC answered that it did not do it."""


class Bmc(Protocol):
    """Of one machine. Every call ends within the seconds it is given. Silent: nothing was asked that changes anything."""

    def read(self, seconds: float, *, tasks: bool) -> BmcState:
        """Its state; takes several questions."""

    def describe(self, seconds: float) -> Machine:
        """What its machine is like; takes several questions."""

    def act(self, do: Do, order: Order, seconds: float) -> Reply:
        """Sends an effect, once, to the machine as it was read last. SessionLost: it was not done."""

    def renew(self, seconds: float) -> None:
        """Begins another session where one is lost."""

    def close(self) -> None:
        """Ends the session."""


class RedfishBmc:
    """Keeps one session while it is used. Not for use by several threads."""

    def __init__(self, access: BmcAccess, place: BmcPlace) -> None:
        self._access = access
        self._place = place
        self._session: Session | None = None

    def read(self, seconds: float, *, tasks: bool) -> BmcState:
        return self._ask(seconds, lambda session, each: session.read(each, tasks=tasks))

    def describe(self, seconds: float) -> Machine:
        return self._ask(seconds, lambda session, each: machine(session.system, lambda path: session.document(path, each)))

    def _ask(self, seconds: float, question: Callable[[Session, float], Got]) -> Got:
        """`question` gets the session and the seconds for each answer: one that is gone is found out sooner than a slow one is read."""
        each = min(seconds, ANSWER_SECONDS)
        if self._session is None:
            self._session = within(
                seconds, lambda: Session.open(self._access, self._place, each), late=lambda opened: opened.drop() if opened else None
            )
        session = self._session
        return self._in(session, seconds, lambda: question(session, each))

    def _in(self, session: Session, seconds: float, call: Callable[[], Got]) -> Got:
        """One that is lost is followed by another at the next look, and so is one that a thread which was given up goes on with."""
        try:
            return within(seconds, call, late=lambda _: session.drop())
        except (SessionLost, GivenUp):
            self._session = None
            raise

    def act(self, do: Do, order: Order, seconds: float) -> Reply:
        session = self._session
        if session is None:
            raise Silent("there is no session")
        request = session.request(do, order)
        if request is None:
            raise Refused("it does not offer that")
        try:
            status, said = within(seconds, lambda: session.send(request, seconds), late=lambda _: session.drop())
        except SessionLost:
            raise
        except (*NO_ANSWER, Silent) as error:
            if isinstance(error, GivenUp):
                self._session = None
            raise Unanswered(f"{error or type(error).__name__}") from error
        if status == BUSY:
            raise Silent(f"it answers {BUSY}")
        if not 200 <= status < 300:
            raise Refused(f"{status} {said}")
        return Reply.ACCEPTED if status == ACCEPTED else Reply.OVER

    def renew(self, seconds: float) -> None:
        session = self._session
        if session is None:
            raise Silent("there is no session")
        self._in(session, seconds, session.log_in)

    def close(self) -> None:
        session, self._session = self._session, None
        try:
            if session is not None:
                within(LOGOUT_SECONDS, session.close)
        except (*NO_ANSWER, Silent) as error:
            LOG.warning("a session of %s is left to its time-out: %s", self._place.url, error or type(error).__name__)


def within(seconds: float, call: Callable[[], Got], late: Callable[[Got | None], None] = lambda _: None) -> Got:
    """The library's time-outs are for each piece of an answer; this one is for all of it. What comes drop by drop is given
    up, and its thread goes on alone: `late` then puts away what it got, None where it got nothing."""
    done: list[Got] = []
    failed: list[Exception] = []
    given_up = threading.Event()
    either = threading.Lock()

    def run() -> None:
        got: list[Got] = []
        trouble: list[Exception] = []
        try:
            got.append(call())
        except Exception as error:
            trouble.append(error)
        with either:
            if not given_up.is_set():
                done.extend(got)
                failed.extend(trouble)
                return
        late(got[0] if got else None)

    thread = threading.Thread(target=run, name="bmc request", daemon=True)
    thread.start()
    thread.join(seconds)
    with either:
        given_up.set()
    if failed:
        raise failed[0]
    if not done:
        raise GivenUp(f"no whole answer within {seconds:.1f} s")
    return done[0]
