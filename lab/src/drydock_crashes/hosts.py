"""Simulated hosts: each a file that says what was done to it, under a lock, as the wrapper on a real host would keep it."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class OlderToken(Exception):
    """Somebody newer was here: this attempt may do nothing any more."""


@dataclass(frozen=True)
class Effect:
    """What one attempt did to a host. ``job`` is one step of one grant in one round."""

    host: str
    job: str
    step: str
    grant: str


class Hosts:
    """All hosts of a run. Safe for use by many processes; each effect survives the death of whoever has it."""

    def __init__(self, folder: Path, twice: bool = False) -> None:
        """``twice`` plants the fault that an attempt does not look at what the one before it did."""
        self._folder = folder
        self._twice = twice
        folder.mkdir(parents=True, exist_ok=True)

    def apply(self, job: dict[str, Any], token: str, begun: Callable[[], None]) -> None:
        """Does the job unless it is done, or finishes what was begun. ``begun`` is called between its two halves."""
        with self._locked(job["host"]) as file:
            known = {line["what"] for line in _lines(file) if line["job"] == job["id"]}
            line = _seen(file, job, token)
            if "begin" not in known or self._twice:
                _append(file, {**line, "what": "begin"})
            if "end" not in known or self._twice:
                begun()
                _append(file, {**line, "what": "end"})

    def first(self, job: dict[str, Any], token: str) -> bool:
        """Whether no other job did this step of the host before, which nothing is done to."""
        with self._locked(job["host"]) as file:
            _seen(file, job, token)
            return bool(next(line["job"] for line in _lines(file) if line["step"] == job["step"]) == job["id"])

    def serves(self, host: str) -> bool:
        """Whether its instances are up: not between the begin of a Drain and the end of a Recover."""
        up = True
        with self._locked(host) as file:
            for line in _lines(file):
                if line["step"] == "Drain" and line["what"] == "begin":
                    up = False
                if line["step"] == "Recover" and line["what"] == "end":
                    up = True
        return up

    def effects(self) -> list[Effect]:
        """Each as often as it happened."""
        found = []
        for path in sorted(self._folder.glob("*.jsonl")):
            with self._locked(path.stem) as file:
                lines = _lines(file)
            found += [Effect(path.stem, line["job"], line["step"], line["grant"]) for line in lines if line["what"] == "begin"]
        return found

    @contextlib.contextmanager
    def _locked(self, host: str) -> Iterator[int]:
        file = os.open(self._folder / f"{host}.jsonl", os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
        finally:
            os.close(file)


def _seen(file: int, job: dict[str, Any], token: str) -> dict[str, Any]:
    """Takes note of an attempt that is not older than another one; answers what its lines begin with."""
    newest = max((tuple(line["token"]) for line in _lines(file)), default=())
    mine = [int(part) for part in token.split(".")]
    if tuple(mine) < newest:
        raise OlderToken(f"{job['id']}: token {token} is older than {newest}")
    line = {"job": job["id"], "step": job["step"], "grant": job["grant"], "token": mine}
    _append(file, {**line, "what": "seen"})
    return line


def _lines(file: int) -> list[dict[str, Any]]:
    text = os.pread(file, os.fstat(file).st_size, 0).decode()
    return [json.loads(line) for line in text.splitlines()]


def _append(file: int, line: dict[str, Any]) -> None:
    os.write(file, (json.dumps(line) + "\n").encode())
    os.fsync(file)
