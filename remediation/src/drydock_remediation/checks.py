"""One question about a host: what was found, what was wanted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    name: str
    ok: bool
    got: object
    want: object

    def sentence(self) -> str:
        return f"{self.name}: got {self.got}, want {self.want}"
