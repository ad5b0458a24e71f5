"""Checks of an operator's own, which policies ask for by name: what they are, and how they are judged. Commands come from files beside
the operator only: who may write a policy may not have hosts run what he likes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from drydock_remediation.checks import Check
from drydock_remediation.health.judge import Verdict
from drydock_remediation.records import Job, Step

NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")  # as policies may spell it
ALWAYS = "default"  # policies name by it what is looked at anyway
SECONDS_DEFAULT, SECONDS_MAX = 10, 60
SHOWN_MAX = 300


@dataclass(frozen=True)
class HostCheck:
    """A command that changes nothing on a host. It passes if it ends with 0 within `seconds` and, without the white space around it,
    all that it writes is like `want`."""

    command: tuple[str, ...]
    seconds: int
    want: re.Pattern[str] | None

    def passes(self, ran: Ran) -> bool:
        return ran.code == 0 and (self.want is None or self.want.fullmatch(ran.out.strip()) is not None)

    @property
    def wanted(self) -> str:
        return "exit code 0" if self.want is None else f"exit code 0, output like {self.want.pattern!r}"


@dataclass(frozen=True)
class Ran:
    """What became of one on a host. `code` is None where it was not started or did not end in time; `problem` says which."""

    code: int | None
    out: str
    problem: str

    @staticmethod
    def read(record: Mapping[str, Any]) -> Ran:
        code = record["code"]
        return Ran(None if code is None else int(code), str(record["out"]), str(record["problem"]))

    @property
    def said(self) -> str:
        return self.problem or f"exit code {self.code}, output {self.out.strip()[:SHOWN_MAX]!r}"


def read_folder(folder: Path) -> dict[str, HostCheck]:
    """One from each file NAME.yaml. A ValueError names every file that is wrong, and how."""
    found, wrong = {}, []
    for file in sorted(folder.glob("*.yaml")):
        try:
            found[_name(file)] = read(file.read_text())
        except (OSError, ValueError) as error:
            wrong.append(f"{file.name}: {error}")
    if wrong:
        raise ValueError("; ".join(wrong))
    return found


def _name(file: Path) -> str:
    if file.stem == ALWAYS:
        raise ValueError("this name stands for what every Health looks at")
    if not NAME.fullmatch(file.stem):
        raise ValueError("a check's name has lower-case letters, digits and '-' only, at most 63")
    return file.stem


def read(text: str) -> HostCheck:
    try:
        record = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"no YAML: {error}") from None
    if not isinstance(record, Mapping) or not {"command"} <= set(record) <= {"command", "seconds", "want"}:
        raise ValueError("a mapping with command, and seconds and want where they are needed, and nothing else is wanted")
    command, seconds, want = record["command"], record.get("seconds", SECONDS_DEFAULT), record.get("want")
    if not isinstance(command, list) or not command or not all(isinstance(word, str) and word for word in command):
        raise ValueError("command is no list of words: quote what YAML takes for something else")
    if isinstance(seconds, bool) or not isinstance(seconds, int) or not 1 <= seconds <= SECONDS_MAX:
        raise ValueError(f"seconds is {seconds!r}, must be a whole number from 1 to {SECONDS_MAX}")
    if not isinstance(want, str | None):
        raise ValueError(  # noqa: TRY004 - the file is wrong, as with all of these
            f"want is {want!r}, must be a text: a regular expression for the whole output"
        )
    try:
        return HostCheck(tuple(command), seconds, None if want is None else re.compile(want, re.DOTALL))
    except re.error as error:
        raise ValueError(f"want {want!r} is no regular expression: {error}") from None


def judge(names: Sequence[str], known: Mapping[str, HostCheck], ran: Mapping[str, Ran] | None) -> Verdict:
    """What is wanted and nobody knows here, or did not run, is a question without an answer."""
    checks, unread = [], []
    for name in names:
        if name not in known:
            unread.append(f"check {name}, which this host operator does not know")
        elif ran is None or name not in ran:
            unread.append(f"check {name}: it did not run")
        else:
            checks.append(Check(f"check {name}", known[name].passes(ran[name]), ran[name].said, known[name].wanted))
    return Verdict(tuple(checks), tuple(unread))


def unjudged(job: Job, known: Mapping[str, HostCheck]) -> list[str]:
    """Why a host is better not updated: nobody here could tell afterwards that it is well."""
    unknown = [name for name in job.checks if name not in known] if job.step is Step.UPDATE else []
    return [f"its policies want it to pass {', '.join(unknown)} afterwards, which this host operator does not know"] if unknown else []
