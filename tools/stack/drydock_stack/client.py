"""Drydock's own command line, as a person would use it."""

import json
import os
import subprocess
from typing import Any

from drydock_stack.access import token_file
from drydock_stack.failure import StackError
from drydock_stack.instance import Instance
from drydock_stack.server import Server

SECONDS = 60


class Client:
    """Runs ``cli/drydock`` as one principal of this checkout."""

    def __init__(self, instance: Instance, principal: str) -> None:
        self._program = str(instance.root / "cli" / "drydock")
        self._environment = {
            **os.environ,
            "DRYDOCK_URL": Server(instance).url,
            "DRYDOCK_TOKEN_FILE": str(token_file(instance.state, principal)),
        }

    def run(self, *arguments: str, seconds: float = SECONDS) -> int:
        """With the terminal's own input and output, as if it had been typed; the exit code."""
        try:
            return subprocess.run([self._program, *arguments], env=self._environment, timeout=seconds, check=False).returncode
        except subprocess.TimeoutExpired as slow:
            raise StackError(f"`drydock {' '.join(arguments)}` did not end within {seconds:.0f} s.") from slow

    def must(self, *arguments: str) -> None:
        code = self.run(*arguments)
        if code != 0:
            raise StackError(f"`drydock {' '.join(arguments)}` ended with code {code}.")

    def host_states(self, rollout: str) -> dict[str, str]:
        """What Drydock says of each host of a rollout."""
        return {upgrade["host"]: upgrade["state"] for upgrade in self.ask("rollout", "get", rollout)["hostUpgrades"]}

    def ask(self, *arguments: str) -> Any:
        """The answer of a reading command as JSON."""
        command = [self._program, *arguments, "-o", "json"]
        done = subprocess.run(command, env=self._environment, capture_output=True, text=True, timeout=SECONDS, check=False)
        if done.returncode != 0:
            raise StackError(f"`drydock {' '.join(arguments)}` ended with code {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout)
