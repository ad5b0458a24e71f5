"""Killing, stopping and restarting the consumers of a fleet, and what tells whether they did something twice."""

import collections
import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fleet import Fleet, eventually

from drydock_stack import identity, release_check, stack
from drydock_stack.consumers import Operator
from drydock_stack.processes import Process

PLAY = b"DRYDOCK_PLAY="  # Every process of a play of the host operator carries it, with the play's own cookie.


class Consumers:
    """The consumers of one fleet by the names of the stack: adapter, adapter2, operator, operator2."""

    def __init__(self, fleet: Fleet) -> None:
        self.fleet = fleet
        self.state = fleet.instance.state

    def process(self, name: str) -> Process:
        return Process(self.state, name)

    def up(self, name: str, crash_at: tuple[str, ...] = ()) -> None:
        """Starts it, as `make up` does when it crashed. Armed, it may be dead again before it is ready."""
        environment = {**os.environ, "DRYDOCK_CRASH_AT": ",".join(crash_at)}
        command = ["python3", str(self.fleet.instance.root / "tools" / "stack"), "up", "--only", name]
        before = self.hit(crash_at)
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=180, check=False)
        assert done.returncode == 0 or self.hit(crash_at) != before, done.stdout + done.stderr

    def again(self, name: str, crash_at: tuple[str, ...] = ()) -> None:
        """A fresh process, whatever ran before."""
        self.down(name)
        self.up(name, crash_at)

    def down(self, *names: str) -> None:
        with stack.alone(self.fleet.instance):
            stack.down(self.fleet.instance, names)

    def signal(self, name: str, number: signal.Signals) -> None:
        running = self.process(name).running()
        assert running is not None, f"{name} does not run"
        os.kill(running.pid, number)
        if number == signal.SIGKILL:
            eventually(f"{name} is dead", lambda: not identity.is_alive(running), 10)

    @contextlib.contextmanager
    def planted(self, script: str, crash_at: str = "") -> Iterator["subprocess.Popen[bytes]"]:
        """A host operator with a planted bug instead of the real one; its log is that of ``planted``."""
        operator = Operator(self.fleet.instance)
        environment = {**os.environ, **operator.environment(), "DRYDOCK_CRASH_AT": crash_at}
        self.down("operator")
        with self.process("planted").log_file.open("ab") as log:
            program = subprocess.Popen(
                [operator.command()[0], str(Path(__file__).parent / "planted" / script)],
                env=environment,
                stdin=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
            )
        try:
            yield program
        finally:
            program.send_signal(signal.SIGCONT)
            program.kill()
            program.wait(timeout=30)

    # ---- crash points

    def forget(self, points: tuple[str, ...]) -> None:
        for point in points:
            self.fleet.crash_file(point).unlink(missing_ok=True)

    def hit(self, points: tuple[str, ...]) -> dict[str, float]:
        """When each point was hit, in seconds since 1970."""
        marks = {point: self.fleet.crash_file(point) for point in points}
        return {point: mark.stat().st_mtime for point, mark in marks.items() if mark.exists()}

    def kept_alive(self, rollout: str, seconds: float, points: dict[str, tuple[str, ...]]) -> dict[str, Any]:
        """The end of the rollout; whichever consumer of ``points`` dies meanwhile is started again, still armed with its points."""

        def over() -> dict[str, Any] | None:
            for name, armed in points.items():
                if self.process(name).running() is None:
                    self.up(name, armed)
            answer = self.fleet.http(f"rollouts/{rollout}")
            return answer if answer and answer["state"] != "Running" else None

        return eventually(f"{rollout} has ended", over, seconds)

    # ---- claims

    def silence_seconds(self) -> int:
        """Lease and margin as the server has them: nobody is given a job sooner after its last sign of life."""
        configuration = json.loads((self.state / "server.yaml").read_text())
        return int(configuration["jobLeaseSeconds"]) + int(configuration["jobMarginSeconds"])

    # ---- what consumers say

    def log(self, name: str, since: int = 0) -> list[dict[str, Any]]:
        """Its log lines from an offset on, those that are JSON."""
        with self.process(name).log_file.open("rb") as log:
            log.seek(since)
            lines = log.read().splitlines()
        return [json.loads(line) for line in lines if line.startswith(b"{")]

    def log_size(self, name: str) -> int:
        file = self.process(name).log_file
        return file.stat().st_size if file.exists() else 0

    def says(self, name: str, text: str, since: int, seconds: float = 60) -> dict[str, Any]:
        """The first line with that text in it."""

        def found() -> dict[str, Any] | None:
            return next((line for line in self.log(name, since) if text in str(line["message"])), None)

        return eventually(f"{name} says: {text}", found, seconds)

    # ---- what hosts say

    def ask(self, host: str, command: str) -> str:
        """Runs a command on a host by this test's own ssh."""
        done = subprocess.run(
            [*release_check.ssh(self.fleet.lab), self.fleet.lab.addresses()[host], command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        return done.stdout.strip()

    def runs(self, host: str, grant: str) -> dict[str, dict[str, Any]]:
        """What ran on the host for a grant under the wrapper, by key: JOB.NAME of the operator, JOB.ATTEMPT.NAME of the adapter."""
        text = self.ask(host, "python3 $(ls -t /data/drydock/bin/hostrun-* | head -1) state")
        return {key: run for key, run in json.loads(text)["runs"].items() if key.startswith(f"{grant}.")}

    def effects(self, host: str, grant: str) -> dict[str, int]:
        """How often each effect happened on the host for the grant: `Drain.stop`, `Update.upgrade` and so on."""
        return collections.Counter(f"{key.split('.')[1]}.{key.rpartition('.')[2]}" for key in self.runs(host, grant))

    def starts(self, host: str) -> dict[str, int]:
        """How often the supervisor of the host started each application since its partition was made."""
        return {name: int(count) for name, count in (line.split() for line in self.ask(host, STARTS).splitlines())}


STARTS = "for log in /var/log/fleet/*.starts; do echo $(basename $log .starts) $(wc -l < $log); done"


def plays() -> Iterator[tuple[int, bytes]]:
    """Pid and cookie of every process of a play on this machine."""
    for process in Path("/proc").iterdir():
        try:
            environment = (process / "environ").read_bytes().split(b"\0") if process.name.isdigit() else []
        except OSError:
            continue
        yield from ((int(process.name), entry) for entry in environment if entry.startswith(PLAY))


def passed(seconds: float) -> Callable[[], bool]:
    """A condition that becomes true by time alone."""
    until = time.monotonic() + seconds
    return lambda: time.monotonic() > until
