"""The programs that Ansible runs on hosts, as modules of these tests."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

LIBRARY = Path(__file__).parents[1] / "src" / "drydock_remediation" / "playbooks" / "library"


def load(name: str) -> ModuleType:
    found = importlib.util.spec_from_file_location(name, LIBRARY / f"{name}.py")
    assert found and found.loader
    made = importlib.util.module_from_spec(found)
    found.loader.exec_module(made)
    return made
