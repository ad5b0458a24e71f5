"""Text that everybody takes further: what packages, hooks and BMCs print may have anything in it."""

from __future__ import annotations

from typing import Any

REPLACEMENT = "\ufffd"


def plain(value: Any) -> Any:
    """The same value, in all its texts REPLACEMENT for halves of characters (bytes that are no text come as such) and for NUL, which
    PostgreSQL cannot store."""
    if isinstance(value, str):
        whole = value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return whole.replace("\0", REPLACEMENT)
    if isinstance(value, dict):
        return {plain(name): plain(one) for name, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list) else value
