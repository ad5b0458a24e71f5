"""Scheduler adapter and host operator of simulated hosts, in one process: it reports what is up and does every job, by the public API.

It keeps nothing to itself: what was done to a host stands at the host, so that another one goes on where it died.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from drydock_crashes import points
from drydock_crashes.api import Api, Refusal, Silence
from drydock_crashes.hosts import Hosts, OlderToken
from drydock_crashes.orders import Orders

SOURCE = "static"
HOOKS = {"BeforeUndeploy": "quiesce", "AfterUndeploy": "detach", "BeforeDeploy": "attach", "AfterDeploy": "resume"}
TOPICS = {
    "static-adapter": ("scheduler/static",),
    "host-operator": ("host/PackageUpdate",),
    "admin": tuple(f"hook/{name}" for name in HOOKS.values()),
}
READS = {"Cordon", "Recover", "Uncordon"}  # Reported with what runs on the host afterwards.
BEAT_SECONDS, REPORT_SECONDS, REPORTED_SECONDS = 0.1, 0.4, 10.0


# Who has nothing to say but that the host answers, and nothing of ours runs there.
DIAGNOSED = {"diagnosis.reachable": "true", "diagnosis.running": ""}


def kind_of(host: str) -> str:
    return host.split("-", maxsplit=1)[0]


def application_on(host: str) -> str:
    """Hosts whose policies say something of their own have an application of their own."""
    kind = kind_of(host)
    return kind if kind in (points.HOOKED, *points.FAILS_FIRST) else "web"


class Consumer:
    """Everything it does may be done again by the next one."""

    def __init__(self, url: str, state: Path, twice: bool) -> None:
        self._apis = {principal: Api(url, state / "token" / principal) for principal in TOPICS}
        self._adapter = self._apis["static-adapter"]
        self._listed = state / "hosts.json"
        self._hosts = Hosts(state / "hosts", twice)
        self._orders = Orders(state)

    def run(self) -> None:
        reported = 0.0
        while True:
            try:
                if time.monotonic() > reported + REPORT_SECONDS:
                    self._report()
                    reported = time.monotonic()
                for principal, api in self._apis.items():
                    self._work(TOPICS[principal], api)
            except (Refusal, Silence) as error:
                sys.stderr.write(f"{error}\n")
            time.sleep(BEAT_SECONDS)

    def _report(self) -> None:
        names = json.loads(self._listed.read_text())
        mark = self._mark()
        hosts = [{"name": name, "address": "127.0.0.1", "scheduler": SOURCE} for name in names]
        instances = [instance for name in names for instance in self._read(name)]
        self._adapter.post(
            "inventory?action=report",
            {"report": {"source": SOURCE, "mark": mark, "full": True, "hosts": hosts, "instances": instances}},
        )

    def _mark(self) -> int:
        return int(self._adapter.post("inventory?action=mark", {"source": SOURCE})["value"])

    def _read(self, host: str) -> list[dict[str, Any]]:
        health = "Healthy" if self._hosts.serves(host) else "Unhealthy"
        application = application_on(host)
        instance = {"id": f"{application}@{host}", "application": application, "host": host, "zone": host}
        return [{**instance, "health": health, "observedAt": int(time.time() * 1000)}]

    def _work(self, topics: Sequence[str], api: Api) -> None:
        wanted = ",".join(topic.replace("/", "%2F") for topic in topics)
        for job in api.get(f"jobs?q=claimable&topics=List({wanted})&count=20")["elements"]:
            if self._orders.stays(job["host"], job["step"]):
                continue
            try:
                claimed = api.post(f"jobs/{job['id']}?action=claim", {"consumer": f"consumer-{os.getpid()}"})["value"]
            except Refusal:
                continue  # Not now, or not any more: it is offered again if it is still wanted.
            try:
                self._do(api, claimed)
            except (OlderToken, Refusal) as error:  # Not ours any more.
                sys.stderr.write(f"{error}\n")

    def _do(self, api: Api, claimed: dict[str, Any]) -> None:
        job = claimed["job"]
        phase = points.phase_of(job["host"], job["step"], job.get("hook", {}).get("stage", ""))
        self._orders.reach(f"consumer-{phase}-claimed")
        failed = self._fails(job, claimed["token"])
        if not failed or job["step"] == "Drain":
            self._hosts.apply(job, claimed["token"], lambda: self._orders.reach(f"consumer-{phase}-begun"))
        self._orders.reach(f"consumer-{phase}-done")
        self._tell(api, claimed, "Failed" if failed else "Done")

    def _fails(self, job: dict[str, Any], token: str) -> bool:
        """The same for whoever asks. A Drain that fails has taken the host out; an Update that does has done nothing to it."""
        kind = kind_of(job["host"])
        if kind == points.LATE:
            return bool(job["step"] == "Drain")
        return points.FAILS_FIRST.get(kind) == job["step"] and self._hosts.first(job, token)

    def _tell(self, api: Api, claimed: dict[str, Any], outcome: str) -> None:
        """Reports until it is answered: the same result each time, since the answer may be all that was lost."""
        job = claimed["job"]
        result: dict[str, Any] = {"outcome": outcome, "message": f"{job['step']} of {job['host']}: {outcome}"}
        if job["step"] == "Repair":
            result["facts"] = DIAGNOSED
        deadline = time.monotonic() + REPORTED_SECONDS
        while time.monotonic() < deadline:
            try:
                if job["step"] in READS and "mark" not in result:
                    mark = self._mark()
                    result |= {"mark": mark, "instances": self._read(job["host"])}
                api.post(f"jobs/{job['id']}?action=complete", {"claim": claimed["claim"], "result": result})
                return
            except Silence:
                time.sleep(0.2)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        Consumer(os.environ["DRYDOCK_URL"], Path(os.environ["DRYDOCK_STATE_DIR"]), "--twice" in sys.argv).run()
