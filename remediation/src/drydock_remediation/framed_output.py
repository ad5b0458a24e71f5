"""Commands over SSH whose answers are told from what else a host says: what its shell prints when it starts or ends is no answer."""

from __future__ import annotations

import secrets
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from drydock_remediation.bundle import PATH
from drydock_remediation.plain_text import plain

LOST = 255  # how ssh says that there was no connection, or that it broke
# Both streams are framed; the command has the input to itself.
SCRIPT = f"""
    begin=$1 end=$2; shift 2
    PATH={PATH}; export PATH
    printf '%s\\n' "$begin"; printf '%s\\n' "$begin" >&2
    "$@"
    code=$?
    printf '\\n%s\\n' "$end"; printf '\\n%s\\n' "$end" >&2
    exit $code
"""


@dataclass(frozen=True)
class Answer:
    """`code` is LOST, and `err` says why, where the command did not run or not to its end as far as is known."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Frame:
    """Lines that nobody else can know."""

    begin: str
    end: str

    @staticmethod
    def fresh() -> Frame:
        nonce = secrets.token_hex(16)
        return Frame(f"begin-{nonce}", f"end-{nonce}")

    def around(self, command: Sequence[str]) -> str:
        """For any shell; it ends with the code of the command."""
        return "exec " + shlex.join(["/bin/sh", "-c", SCRIPT, "framed", self.begin, self.end, *command])

    def open(self, output: bytes) -> str | None:
        """None where the command did not run, or not to its end. What is no text is shown as such."""
        text: str = plain(output.decode(errors="replace"))
        _, begun, rest = text.partition(f"{self.begin}\n")
        inside, ended, _ = rest.rpartition(f"\n{self.end}")
        return inside if begun and ended else None


def ask(ssh: Sequence[str], command: Sequence[str], seconds: float, stdin: str = "") -> Answer:
    """`ssh` with its options and where to; ends within the seconds, and says so if it had to be ended."""
    frame = Frame.fresh()
    # What ends it is a time-out of our own: ssh waits for as long as whoever answers keeps the connection.
    with subprocess.Popen([*ssh, frame.around(command)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            out, err = process.communicate(stdin.encode(), seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            return Answer(LOST, "", f"no end within {seconds:.0f} s")
    said = frame.open(err)
    inside = frame.open(out)
    if inside is None:
        words: str = plain(said or err.decode(errors="replace")).strip()
        return Answer(LOST, "", words or f"its shell ended with {process.returncode} before it had answered")
    return Answer(1 if process.returncode == LOST else process.returncode, inside, said or "")
