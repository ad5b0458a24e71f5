"""Programs that run on hosts, each as one text: hosts have none of this package, and get no archive."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
PYTHON = "/usr/bin/python3"  # the system's, which has the system's dnf and is there as long as its packages are


def program(main: str, *modules: str) -> str:
    """The module `main`, and before it those it needs, in the order in which they need each other."""
    sources = {name: (FOLDER / f"{name}.py").read_text() for name in (*modules, main)}
    return f"""\
import sys, types
package = sys.modules["drydock_remediation"] = types.ModuleType("drydock_remediation")
package.__path__ = []
for name, text in {sources!r}.items():
    module = types.ModuleType("drydock_remediation." + name)
    sys.modules[module.__name__] = module
    if name == {main!r}:
        module.__dict__["__name__"] = "__main__"
    exec(compile(text, name + ".py", "exec"), module.__dict__)
"""
