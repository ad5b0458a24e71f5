"""The two witnesses of a demo: requests as users send them, and an observer that judges the budgets by itself."""

import json
import time
from pathlib import Path
from typing import Any

from drydock_stack import python_environment
from drydock_stack.instance import Instance
from drydock_stack.service import Service

FINISH_SECONDS = 40  # A request may last 10 s and wait 10 s more before it counts as failed.


class Witness(Service):
    """A command of the lab that reports to ``lab/NAME.json`` while it runs and, with ``finished``, at its end."""

    lab_command: str
    stop_seconds = FINISH_SECONDS

    def __init__(self, instance: Instance) -> None:
        super().__init__(instance)
        self.report_file = self.state / "lab" / f"{self.name}.json"

    def prepare(self) -> None:
        self.report_file.unlink(missing_ok=True)  # No number of an earlier run may be taken for one of this.

    def command(self) -> list[str]:
        return [str(python_environment.python(self.instance)), "-m", "drydock_lab", self.lab_command]

    def environment(self) -> dict[str, str]:
        return python_environment.variables(self.instance.root)

    def is_ready(self) -> bool:
        return bool(self.report())

    def report(self) -> dict[str, Any]:
        """What it has written last; empty when there is nothing."""
        return read_report(self.report_file)


class Traffic(Witness):
    """Keep-alive connections, some long requests, no retries."""

    name = "traffic"
    lab_command = "traffic"

    def wait_for(self, requests: int, seconds: float) -> None:
        """Lets it go on until enough requests were sent to say something, or the time is over."""
        deadline = time.monotonic() + seconds
        while int(self.report().get("requests", 0)) <= requests and time.monotonic() < deadline and self.process.running():
            time.sleep(0.2)


class Observer(Witness):
    """Probes every instance and reads the policies on its own."""

    name = "observer"
    lab_command = "observe"


def read_report(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(path.read_text()))
    except (FileNotFoundError, ValueError):
        return {}
