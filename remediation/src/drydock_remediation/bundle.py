"""Programs that run on hosts, each as one text: hosts have none of this package, and get no archive."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
PYTHON = "/usr/bin/python3"  # the system's, which has the system's dnf and is there as long as its packages are
ALONE = (PYTHON, "-I", "-X", "utf8")  # whatever the environment of root tells a Python, such as PYTHONHOME, and whatever its locale is
PATH = "/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin:/usr/local/bin"  # what comes with the system first; scripts may need the rest
# For modules of Ansible, which takes no options of its Python; where they are empty, a Python does as if they were not set.
ENVIRONMENT = {"PATH": PATH, "PYTHONHOME": "", "PYTHONPATH": ""}


# Of the environment of root; all else may make package managers do something else. A proxy may be the only way out.
KEPT = ("HOME", "USER", "LOGNAME", "HOSTRUN_COOKIE")


def program(main: str, *modules: str) -> str:
    """The module `main`, and before it those it needs, in the order in which they need each other."""
    sources = {name: (FOLDER / f"{name}.py").read_text() for name in (*modules, main)}
    return f"""\
import os, sys, types
kept = {{name: os.environ[name] for name in os.environ if name in {KEPT!r} or name.lower().endswith("_proxy")}}
os.environ.clear()
os.environ.update(kept, PATH={PATH!r}, LC_ALL="C")
os.umask(0o022)
package = sys.modules["drydock_remediation"] = types.ModuleType("drydock_remediation")
package.__path__ = []
for name, text in {sources!r}.items():
    module = types.ModuleType("drydock_remediation." + name)
    sys.modules[module.__name__] = module
    if name == {main!r}:
        module.__dict__["__name__"] = "__main__"
    exec(compile(text, name + ".py", "exec"), module.__dict__)
"""
