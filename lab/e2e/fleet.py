"""A whole installation as its users see it: stack, lab and consumers, driven by the command line and public HTTP."""

import contextlib
import http.client
import json
import os
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from drydock_stack import audit, identity, instance, java, release_check, stack
from drydock_stack.client import Client
from drydock_stack.instance import Instance
from drydock_stack.lab import Lab, Machines
from drydock_stack.server import Server
from drydock_stack.service import http_json
from drydock_stack.witnesses import Observer, Traffic

RELEASE = "2"
TEN = Machines()
Answer = TypeVar("Answer")
FINAL = {"Upgraded", "Skipped", "Reverted", "Quarantined", "Cancelled"}


def eventually(what: str, look: Callable[[], Answer | None], seconds: float) -> Answer:
    """The first true answer of ``look``; fails with ``what`` and the last answer when the time is over."""
    deadline = time.monotonic() + seconds
    answer = look()
    while not answer:
        assert time.monotonic() < deadline, f"not within {seconds:.0f} s: {what} (last: {answer!r})"
        time.sleep(0.1)
        answer = look()
    return answer


class Fleet:
    """The hosts of a lab behind one stack. Every method goes through what users have: commands, HTTP, SSH."""

    def __init__(self, instance: Instance, machines: Machines) -> None:
        self.instance = instance
        self.lab = Lab(instance, machines)
        self.sre = Client(instance, "sre")
        self.foreign = Client(instance, "foreign")
        self.server = Server(instance)

    def up(self) -> None:
        with stack.alone(self.instance):
            stack.up(self.instance)
            self.lab.up()
            stack.up(self.instance, ["adapter", "operator"])

    def ready(self) -> None:
        """All hosts on release 1, seen healthy, nothing held; policies and release are in."""
        eventually("no rollout runs", lambda: all(r["state"] != "Running" for r in self.listed("rollouts")), 300)
        self.lab.reset()
        self.prepared()

    def prepared(self) -> None:
        """Hosts as they are, seen healthy, nothing held; policies and release are in."""
        eventually("all hosts are healthy", self._all_healthy, 90)
        admin = Client(self.instance, "admin")
        admin.must("policy", "apply", *map(str, sorted((self.lab.folder / "policies").glob("*.yaml"))))
        self.sre.must("release", "add", str(self.release_file))
        assert self.held() == [], "a hold was left by an earlier rollout"

    @property
    def release_file(self) -> Path:
        return self.lab.folder / "releases" / f"{RELEASE}.json"

    def _all_healthy(self) -> bool:
        hosts = {host["name"]: host["instances"] for host in self.listed("hosts")}
        return all(hosts.get(name) and all(i["health"] == "Healthy" for i in hosts[name]) for name in self.lab.hosts())

    # ---- rollouts

    def start(self, hosts: list[str], name: str, *options: str, release: str = RELEASE) -> str:
        """Submits a new rollout and answers its id."""
        return self.accepted(hosts, f"{name}-{time.time_ns()}", *options, release=release)

    def accepted(self, hosts: list[str], request: str, *options: str, release: str = RELEASE) -> str:
        """Submits until there is an answer: the id. The request id makes it one rollout, however often that takes."""
        return eventually("the rollout is accepted", lambda: self.submit(hosts, request, *options, release=release), 60)

    def submit(self, hosts: list[str], request: str, *options: str, release: str = RELEASE) -> str | None:
        """Submits once; None without an answer, which may have been lost with the server that accepted it."""
        listed = self.instance.state / "e2e-hosts.txt"
        listed.write_text("".join(f"{host}\n" for host in hosts))
        arguments = ["rollout", "start", "--hosts", str(listed), "--release", release, "--request-id", request, "-o", "name", *options]
        done = self.run("sre", *arguments)
        return done.stdout.strip().rpartition("/")[2] if done.returncode == 0 else None

    def run(self, principal: str, *arguments: str, seconds: float = 120) -> subprocess.CompletedProcess[str]:
        """The command line with its output and exit code, whatever it is."""
        environment = {
            **os.environ,
            "DRYDOCK_URL": self.server.url,
            "DRYDOCK_TOKEN_FILE": str(self.instance.state / "token" / principal),
        }
        program = str(self.instance.root / "cli" / "drydock")
        return subprocess.run([program, *arguments], env=environment, capture_output=True, text=True, timeout=seconds, check=False)

    def http(self, path: str, principal: str = "sre", body: dict[str, Any] | None = None) -> Any:
        """GET, or POST with a body, on the public API; None when the server does not answer or answers with an error."""
        token = (self.instance.state / "token" / principal).read_text().strip()
        request = urllib.request.Request(f"{self.server.url}/api/{path}", None if body is None else json.dumps(body).encode())
        request.add_header("Authorization", f"Bearer {token}")
        request.add_header("X-RestLi-Protocol-Version", "2.0.0")
        request.add_header("Content-Type", "application/json")
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=15) as answer:
                text = answer.read()
                return json.loads(text) if text else {"id": answer.headers["X-RestLi-Id"]}
        except (OSError, http.client.HTTPException):
            return None

    def listed(self, resource: str) -> list[dict[str, Any]]:
        """All there are. What is asked again and again is asked here: each command takes a processor for a second."""
        answer = self.http(f"{resource}?start=0&count=500")
        assert answer, f"the server does not list its {resource}"
        return list(answer["elements"])

    def upgrades(self, rollout: str) -> dict[str, dict[str, Any]]:
        answer = self.http(f"hostUpgrades?q=rollout&rollout={rollout}&count=100")
        return {row["host"]: row for row in answer["elements"]} if answer else {}

    def ended(self, rollout: str, seconds: float) -> dict[str, Any]:
        def look() -> dict[str, Any] | None:
            answer = self.http(f"rollouts/{rollout}")
            return answer if answer and answer["state"] != "Running" else None

        return eventually(f"{rollout} has ended", look, seconds)

    def rollouts(self) -> set[str]:
        return {str(rollout["id"]) for rollout in self.listed("rollouts")}

    def violated(self, rollout: str) -> list[str]:
        """What the auditor does not find as it should be, once the history of locks is written down."""
        deadline = time.monotonic() + 15
        while (found := self._faults(rollout)) and time.monotonic() < deadline:
            time.sleep(0.5)
        return found

    def _faults(self, rollout: str) -> list[str]:
        done = self.run("sre", "audit", "verify", rollout, "-o", "json")
        assert done.returncode in (0, 8, 9), (
            f"audit verify {rollout} ended with {done.returncode}: {done.stderr}"
        )  # Held, violated, unknown.
        return audit.faults(rollout, json.loads(done.stdout)["findings"])

    def ticket(self, principal: str, host: str, mode: str) -> str:
        """Asks for exclusive use of a host; the ticket's id."""
        body = {"hosts": [host], "mode": mode, "reason": "end-to-end test", "waitSeconds": 600, "leaseSeconds": 30}
        answer = self.http("locks", principal, body)
        assert answer, f"the ticket for {host} was not accepted"
        return str(answer["id"])

    def lock(self, ticket: str) -> dict[str, Any]:
        answer = self.http(f"locks/{ticket}")
        assert answer, f"ticket {ticket} is not known"
        return dict(answer)

    def held(self) -> list[str]:
        return [f"{lock['id']} on {','.join(lock['hosts'])}" for lock in self.listed("locks") if lock["state"] == "Held"]

    def let_go(self, hosts: list[str]) -> None:
        """Ends the quarantine of hosts, as people do once they have looked at them."""
        admin = Client(self.instance, "admin")
        for lock in self.listed("locks"):
            if lock["kind"] == "Quarantine" and lock["state"] == "Held" and set(lock["hosts"]) & set(hosts):
                admin.must("lock", "release", lock["id"], "--reason", "looked at")

    def carrying(self, application: str) -> list[str]:
        document = json.loads((self.lab.folder / "static.json").read_text())
        return [instance["host"] for instance in document["instances"] if instance["application"] == application]

    # ---- what hosts say of themselves

    def differences(self) -> dict[str, str]:
        return release_check.upgraded(self.lab, self.release_file)

    def package_runs(self, host: str) -> int:
        """How often packages were upgraded on the host since its partition was made, by the own log of apt or dnf."""
        apt, dnf = "grep -c '^Upgrade:' /var/log/apt/history.log", "dnf -q history list | grep -c ' Upgrade '"
        ask = f"{dnf if self.lab.families()[host] == 'dnf' else apt} || true"
        command = [*release_check.ssh(self.lab), self.lab.addresses()[host], ask]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
        return int(done.stdout.strip() or 0)

    def boots(self, host: str) -> int:
        url = f"http://127.0.0.1:{self.instance.port('labControl')}/hosts/{host}"
        status, answer = http_json(url, seconds=10)
        assert status == 200 and isinstance(answer, dict)
        return int(answer["boots"]) if isinstance(answer["boots"], int) else len(answer["boots"])

    # ---- killing the server

    def server_down(self) -> None:
        """kill -9, as the kernel or an operator would."""
        with stack.alone(self.instance):
            running = self.server.process.running()
            assert running is not None, "the server does not run"
            os.kill(running.pid, signal.SIGKILL)
            eventually("the server is dead", lambda: not identity.is_alive(running), 10)

    def server_up(self, crash_at: str | None = None, **variables: str) -> None:
        """`make up`: starts what is dead. Armed with a crash point the server may die before it is ready."""
        environment = {**os.environ, "DRYDOCK_CRASH_AT": crash_at or "", **variables}
        command = ["python3", str(self.instance.root / "tools" / "stack"), "up"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=180, check=False)
        assert done.returncode == 0 or (crash_at and self.crash_file(crash_at).exists()), done.stdout + done.stderr

    def crash_file(self, point: str) -> Path:
        return self.instance.state / "run" / f"crash-hit-{point}"

    def await_crash(self, point: str, seconds: float) -> None:
        eventually(f"the server reached {point}", self.crash_file(point).exists, seconds)
        eventually("the server is dead", lambda: self.server.process.running() is None, 15)

    # ---- witnesses

    @contextlib.contextmanager
    def witnessed(self) -> Iterator[dict[str, dict[str, Any]]]:
        """Traffic and observer around the body; their final reports are in the answer afterwards."""
        reports: dict[str, dict[str, Any]] = {}
        with stack.alone(self.instance):
            stack.up(self.instance, ["traffic", "observer"])
        try:
            yield reports
        finally:
            with stack.alone(self.instance):
                stack.down(self.instance, ["traffic", "observer"])
            reports["traffic"] = Traffic(self.instance).report()
            reports["observer"] = Observer(self.instance).report()


def unharmed(reports: dict[str, dict[str, Any]]) -> None:
    """No promise was broken, and of requests that were really made none failed."""
    observer, traffic = reports["observer"], reports["traffic"]
    assert observer["finished"] and observer["violations"] == 0, observer.get("details")
    assert traffic["finished"] and traffic["failed"] == 0, traffic.get("byKind")
    assert traffic["requests"] > 100, traffic


@contextlib.contextmanager
def installed(root: Path, machines: Machines = TEN) -> Iterator[Fleet]:
    """Stack and lab of a checkout as it is now; stopped afterwards, their data stay."""
    this = instance.load(root)
    java.build(root)
    with stack.alone(this):
        stack.stop_outdated(this)
    fleet = Fleet(this, machines)
    try:
        fleet.up()
        yield fleet
    finally:
        with stack.alone(this):
            stack.down(this)


def apply(fleet: Fleet, *paths: Path) -> None:
    """Puts policies in force."""
    Client(fleet.instance, "admin").must("policy", "apply", *map(str, paths))
