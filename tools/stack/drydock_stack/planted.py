"""Violations planted on purpose: they show that the demo's line and exit code can say no."""

import contextlib
import os
import threading
from collections.abc import Iterator

from drydock_stack.failure import StackError
from drydock_stack.lab import Lab
from drydock_stack.progress import say
from drydock_stack.witnesses import Observer

APPLICATION = "search"
HOSTS = ("h06", "h05", "h04")  # One more than its policy lets go, and late in the list, so not yet in maintenance.
AFTER_SECONDS = 3.0
SEEN_SECONDS = 30.0


def wanted() -> str | None:
    """What ``DRYDOCK_DEMO_PLANT`` asks for; refused when it is nothing we know."""
    what = os.environ.get("DRYDOCK_DEMO_PLANT") or None
    if what not in (None, "violation"):
        raise StackError(f"DRYDOCK_DEMO_PLANT is {what!r}; the only thing to plant is `violation`.", exit_code=2)
    return what


@contextlib.contextmanager
def planted(what: str | None, lab: Lab, observer: Observer) -> Iterator[None]:
    """Does ``what`` beside the body: nothing, or a ``violation`` of one budget, undone as soon as the observer saw it."""
    if not what:
        yield
        return
    over = threading.Event()
    gardener = threading.Thread(target=_violate, args=(lab, observer, over), daemon=True)
    gardener.start()
    try:
        yield
    finally:
        over.set()
        gardener.join(SEEN_SECONDS + 60)


def _violate(lab: Lab, observer: Observer, over: threading.Event) -> None:
    if over.wait(AFTER_SECONDS):
        return
    say(f"planting: {APPLICATION} of {', '.join(HOSTS)} is stopped")
    stopped = []
    try:
        for host in HOSTS:
            lab.service(host, APPLICATION, "down")
            stopped.append(host)
        waited = 0.0
        while not observer.report().get("violations") and waited < SEEN_SECONDS and not over.wait(0.5):
            waited += 0.5
    finally:
        for host in stopped:
            lab.service(host, APPLICATION, "up")
        say(f"planting: {APPLICATION} runs again")
