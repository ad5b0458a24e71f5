"""A second checkout of the same sources, with a stack and a lab of its own: what happens to those is nobody else's."""

import shutil
from pathlib import Path

from drydock_stack import files, instance, ports, stack
from drydock_stack.instance import Instance

# What a checkout has built and a second one of the same sources need not build again.
BUILT = (".drydock/venv", ".drydock/programs", "web-ui/node_modules")
NOT_COPIED = ("target", ".git", ".drydock", "node_modules", "__pycache__", ".hypothesis", ".ruff_cache")


def checkout(root: Path, name: str) -> Path:
    """Makes ``.drydock/NAME`` anew, without data. What still runs of the one before it is stopped first.

    The sources are copied: all that looks for its checkout from where it lies finds this one. They keep their times, so
    that the programs built of the others are those of these, if they are built by now.
    """
    this = instance.load(root)
    there = root / ".drydock" / name
    down(root, name)
    if there.exists():
        shutil.rmtree(there)
    shutil.copytree(root, there, symlinks=True, ignore=shutil.ignore_patterns(*NOT_COPIED))
    for built in BUILT:
        if (root / built).exists():  # What nobody built yet the second one builds for itself.
            files.link(there / built, root / built)
    instance.keep(ports.free_instance(there, this, *_kept(root)))
    return there


def down(root: Path, name: str = "*") -> None:
    """Stops everything of it, or of all of them; their data stay."""
    for this in _kept(root, name):
        with stack.alone(this):
            stack.down(this)


def _kept(root: Path, name: str = "*") -> list[Instance]:
    return [instance.load(kept.parents[1]) for kept in sorted((root / ".drydock").glob(f"{name}/.drydock/instance.json"))]
