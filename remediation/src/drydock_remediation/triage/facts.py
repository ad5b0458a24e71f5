"""The facts a signature may ask for. What was not read, or not understood, is not among them: it is unknown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Fact = str | int | float | bool
Facts = Mapping[str, Fact]


@dataclass(frozen=True)
class Kind:
    """What a fact is, and what it means."""

    type: type
    means: str


KINDS: Mapping[str, Kind] = {
    "failure.step": Kind(str, "the step that failed, as the server says: Drain, Update, Health or Recover"),
    "failure.says": Kind(str, "why it failed, in the words of who did it"),
    "ssh": Kind(str, "what became of connections: answers, wrongKey, noBanner, denied, refused, noRoute, silent or cut"),
    "reading.says": Kind(str, "what a host said that answered and could not be read"),
    "kernel.running": Kind(str, "the release of the running kernel"),
    "kernel.wanted": Kind(str, "that of the release"),
    "boot.since": Kind(bool, "whether the host was started anew since its update began"),
    "packages.wrong": Kind(str, "expected packages of another version than the release's; empty when there are none"),
    "packages.audit": Kind(str, "what the package database complains about; empty when it does not"),
    "update.begun": Kind(bool, "whether a command of this batch that changes the system was begun there, as its wrapper has recorded"),
    "others": Kind(str, "who else works with its packages or holds up its shutdown; empty when nobody does"),
    "disk.freePercent": Kind(
        int, "what is free for root, in bytes or in inodes, on the fullest file system that packages, their cache or state go to"
    ),
    "disk.fullest": Kind(str, "where that is mounted"),
    "memory.percent": Kind(int, "memory now in percent of what it was before the update, or of what the release's health spec wants"),
    "services.down": Kind(str, "applications of the job that do not run, or start again and again; empty when there are none"),
    "power": Kind(str, "On or Off, as the BMC says"),
    "bmc.asked": Kind(int, "how often the BMC was asked"),
    "bmc.answered": Kind(int, "how often it answered"),
    "bmc.lost": Kind(int, "how often it did not"),
    "bmc.seconds": Kind(float, "how long an answer took, as the median"),
    "sel.since": Kind(str, "what the event log of the machine took in since the update began; empty when nothing"),
}
