"""Hosts that exist on the wire alone: one plain consumer reports them and does every job of theirs, well or as it is told."""

import concurrent.futures
import contextlib
import dataclasses
import functools
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from fleet import Fleet

PRINCIPAL, SOURCE = "simulated-site", "simulated"
TOPICS = "List(scheduler%2Fsimulated,host%2FPackageUpdate)"
READS = ("Cordon", "Recover", "Uncordon")
BEAT_SECONDS = 0.5
HANDS = 16


@dataclasses.dataclass(frozen=True)
class SimHost:
    """One host with one instance. Its name begins with ``sim``, by which others leave it alone."""

    name: str
    application: str
    hardware_class: str = "simulated"


class Site:
    """Scheduler and operator of simulated hosts over the public API, with faults by (step, host)."""

    def __init__(self, fleet: Fleet, hosts: list[SimHost]) -> None:
        self.fleet = fleet
        self.hosts = {host.name: host for host in hosts}
        self.outcomes: dict[tuple[str, str], str] = {}
        self.crowded: set[str] = set()
        self.deaths: set[tuple[str, str]] = set()
        self.held: Callable[[dict[str, Any]], bool] = lambda _: False
        self.broken: list[str] = []
        self._seen: set[tuple[str, int]] = set()
        self._down: set[str] = set()
        self._over = threading.Event()

    # ---- what goes wrong

    def fails(self, step: str, host: str, outcome: str = "Failed") -> None:
        self.outcomes[step, host] = outcome

    def never_drains(self, host: str) -> None:
        self.crowded.add(host)

    def dies_once(self, step: str, host: str) -> None:
        """Whoever claims it first is never heard of again."""
        self.deaths.add((step, host))

    # ---- what it says

    def call(self, path: str, **body: Any) -> Any:
        return self.fleet.http(path, PRINCIPAL, body or None)

    def report(self, hosts: list[SimHost]) -> None:
        mark = self.call("inventory?action=mark", source=SOURCE)
        if mark is None:
            return  # The server is not there; the next report will find it.
        places = [
            {
                "name": host.name,
                "address": "127.0.0.1",
                "scheduler": SOURCE,
                "hardwareClass": host.hardware_class,
                "labels": {"rack": "simulated"},
            }
            for host in hosts
        ]
        instances = [self.instance(host) for host in hosts]
        whole = {"source": SOURCE, "mark": mark["value"], "full": True, "hosts": places, "instances": instances}
        assert self.call("inventory?action=report", report=whole), "the report was refused"

    def instance(self, host: SimHost) -> dict[str, Any]:
        return {
            "id": f"{host.application}@{host.name}",
            "application": host.application,
            "host": host.name,
            "zone": "simulated",
            "health": "Unhealthy" if host.name in self._down else "Healthy",
            "observedAt": int(time.time() * 1000),
        }

    # ---- what it does

    def work(self, job: dict[str, Any]) -> None:
        claimed = self.call(f"jobs/{job['id']}?action=claim", consumer="simulated")
        if claimed is None:
            self._seen.discard((job["id"], job["attempt"]))  # Not now: it is claimable again if it is still wanted.
            return
        job, claim, attempt = claimed["value"]["job"], claimed["value"]["claim"], claimed["value"]["attempt"]
        step, host = job["step"], job["host"]
        if (step, host) in self.deaths and attempt == 1:
            return
        while self.held(job) and not self._over.is_set():
            self.beat(job, claim)
        result: dict[str, Any] = {"outcome": self.outcomes.get((step, host), "Done"), "message": f"{step} of {host}, simulated"}
        if step == "Drain":
            self.drain(job, claim, result)
        elif step == "Recover":
            self._down.discard(host)
        if step in READS:
            mark = self.call("inventory?action=mark", source=SOURCE)
            result |= {"mark": mark["value"], "instances": [self.instance(self.hosts[host])]}
        if self.call(f"jobs/{job['id']}?action=complete", claim=claim, result=result) is None:
            self.broken.append(f"{job['id']}: the result was not taken")

    def drain(self, job: dict[str, Any], claim: str, result: dict[str, Any]) -> None:
        """Of a crowded host as an adapter does it: tells what is left for as long as policies say, and gives up."""
        if job["host"] not in self.crowded:
            self._down.add(job["host"])
            return
        left = {"count": 3, "what": "requests"}
        end = time.monotonic() + job["drainSecondsMax"]
        while time.monotonic() < end:
            self.beat(job, claim, left=left)
        result |= {"outcome": "Failed", "message": "3 requests stay open", "left": left}

    def beat(self, job: dict[str, Any], claim: str, **more: Any) -> None:
        self.call(f"jobs/{job['id']}?action=heartbeat", claim=claim, **more)
        self._over.wait(BEAT_SECONDS)

    # ---- its life

    def run(self) -> None:
        """Until it is closed: reports twice a second, and does what is there to be done."""
        with concurrent.futures.ThreadPoolExecutor(HANDS + 1) as hands:
            hands.submit(self.repeat, lambda: self.report(list(self.hosts.values())), BEAT_SECONDS)
            self.repeat(lambda: self.look(hands), 0.1)

    def look(self, hands: concurrent.futures.Executor) -> None:
        board = self.call(f"jobs?q=claimable&topics={TOPICS}&count=100")
        for job in board["elements"] if board else []:
            known = (job["id"], job["attempt"])
            if job["host"] in self.hosts and known not in self._seen:
                self._seen.add(known)
                hands.submit(self.guarded, functools.partial(self.work, job))

    def repeat(self, what: Callable[[], None], pause: float) -> None:
        while not self._over.is_set():
            self.guarded(what)
            self._over.wait(pause)

    def guarded(self, what: Callable[[], None]) -> None:
        try:
            what()
        except Exception as fault:  # A thread's fault is the test's.
            self.broken.append(repr(fault))

    def close(self) -> None:
        self._over.set()


@contextlib.contextmanager
def site(fleet: Fleet, hosts: list[SimHost]) -> Iterator[Site]:
    """Known and reported while it lasts; gone from the inventory afterwards, and nothing of it quarantined."""
    one = Site(fleet, hosts)
    one.report(hosts)
    life = threading.Thread(target=one.run)
    life.start()
    try:
        yield one
        assert one.broken == []
    finally:
        one.close()
        life.join(60)
        fleet.let_go([host.name for host in hosts])
        one.report([])
