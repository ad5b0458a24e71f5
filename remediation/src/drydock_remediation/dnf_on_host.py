"""Plans or makes the upgrade of a host to what one dnf repository holds: refresh|plan|upgrade URL [downgrade]

Runs on the host as `python3 -c TEXT`, with the host's own dnf and the standard library only. `plan` prints
{"installs": {name: version}, "removals": [name]}; `upgrade` looks again and removes no package, whatever was planned.
With `downgrade` packages that are newer than those of the repository go back to them.
Exit codes: 1 dnf cannot do it, and says why; 3 it would remove packages; 4 a script of a package failed.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import dnf
import dnf.callback


class Display(dnf.callback.TransactionProgress):  # type: ignore[misc]
    """Without one dnf swallows what scripts of packages say when they fail, and calls the transaction a success."""

    def __init__(self) -> None:
        super().__init__()
        self.errors: list[str] = []

    def error(self, message: str) -> None:
        self.errors.append(message)


def opened(url: str, *, refresh: bool) -> Any:
    """A base that knows what is installed and what this repository holds, and no other."""
    base = dnf.Base()
    base.conf.read()
    # Otherwise dnf leaves out what it cannot resolve, upgrades the rest and calls that success.
    base.conf.best = True
    base.conf.substitutions.update_from_etc(base.conf.installroot)
    base.conf.substitutions["releasever"] = base.conf.substitutions.get("releasever") or "0"
    repository = base.repos.add_new_repo("fleet", base.conf, baseurl=[url], skip_if_unavailable=False, gpgcheck=False)
    if refresh:
        repository._repo.expire()  # noqa: SLF001 - dnf's own command line has no other way
    base.fill_sack()
    return base


def planned(transaction: Any) -> dict[str, Any]:
    """A package that is replaced by another of its name is no removal."""
    installs = {package.name: package.evr for package in transaction.install_set} if transaction else {}
    gone = {package.name for package in transaction.remove_set} if transaction else set()
    return {"installs": installs, "removals": sorted(gone - installs.keys())}


def upgrade(base: Any) -> int:
    if not base.transaction:
        sys.stdout.write("nothing to do\n")
        return 0
    plan = planned(base.transaction)
    if plan["removals"]:
        sys.stderr.write(f"refused: it would remove {', '.join(plan['removals'])}\n")
        return 3
    base.download_packages(list(base.transaction.install_set))
    display = Display()
    base.do_transaction(display)
    sys.stdout.write("".join(f"{name} {version}\n" for name, version in sorted(plan["installs"].items())))
    sys.stderr.write("".join(f"{error}\n" for error in display.errors))
    return 4 if display.errors else 0


def main(verb: str, url: str, way: str = "") -> int:
    try:
        base = opened(url, refresh=verb == "refresh")
        try:
            if verb == "refresh":
                return 0
            if way == "downgrade":
                base.distro_sync()
            else:
                base.upgrade_all()
            base.resolve()
            if verb == "upgrade":
                return upgrade(base)
            sys.stdout.write(json.dumps(planned(base.transaction)) + "\n")
            return 0
        finally:
            base.close()
    except (dnf.exceptions.Error, OSError) as error:
        sys.stderr.write(f"dnf: {str(error).strip()}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
