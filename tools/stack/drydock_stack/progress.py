"""Telling a person what goes on: one line per step on stderr, with the seconds since the command began."""

import sys
import time

_began = time.monotonic()


def say(text: str) -> None:
    sys.stderr.write(f"[{time.monotonic() - _began:6.1f} s] {text}\n")
    sys.stderr.flush()
