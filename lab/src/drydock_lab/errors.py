"""What the lab raises when it cannot go on: one sentence that names the object and what to do."""

from __future__ import annotations


class LabError(Exception):
    """Shown to the operator as it is, without a stack trace."""
