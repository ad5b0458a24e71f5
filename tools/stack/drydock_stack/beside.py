"""A second checkout of the same sources, with a stack and a lab of its own: what happens to those is nobody else's."""

import shutil
from pathlib import Path

from drydock_stack import files, instance, java, ports, stack

# What a checkout has built and a second one of the same sources need not build again.
BUILT = (".drydock/venv", ".drydock/programs", "web-ui/node_modules")
NOT_COPIED = ("target", ".git", ".drydock", "node_modules", "__pycache__", ".hypothesis")


def checkout(root: Path, name: str) -> Path:
    """Makes ``.drydock/NAME`` anew, without data. What still runs of the one before it is stopped first.

    The sources are copied: all that looks for its checkout from where it lies finds this one. They keep their times, so
    that the programs built of the others are those of these.
    """
    java.build(root)
    there = root / ".drydock" / name
    _down(there)
    shutil.rmtree(there, ignore_errors=True)
    shutil.copytree(root, there, symlinks=True, ignore=shutil.ignore_patterns(*NOT_COPIED))
    for built in BUILT:
        files.link(there / built, root / built)
    instance.keep(ports.free_instance(there, besides=instance.load(root)))
    return there


def down(root: Path) -> None:
    """Stops everything of all of them; their data stay."""
    for kept in sorted((root / ".drydock").glob("*/.drydock/instance.json")):
        _down(kept.parents[1])


def _down(there: Path) -> None:
    if (there / ".drydock" / "instance.json").exists():
        this = instance.load(there)
        with stack.alone(this):
            stack.down(this)
