"""Plans, stages or makes the upgrade of a host to what one dnf repository holds: refresh|reread|plan|stage|upgrade ORDER.

Runs on hosts, with their own dnf. The repository is the only one that is read, with a cache of its own. `plan` prints what family.Plan
reads; `upgrade` looks again and removes no package, whatever was planned. Exit codes: 4 a script of a package failed; else those of
channel_on_host.
"""

from __future__ import annotations

import configparser
import fnmatch
import json
import sys
from pathlib import Path
from typing import Any

import dnf
import dnf.callback
import dnf.subject
import hawkey

from drydock_remediation import others_on_host
from drydock_remediation.channel_on_host import (
    CANNOT,
    NOT_REACHED,
    NothingBegun,
    Order,
    adopt,
    apart,
    forget,
    forget_others,
    guarded,
    kept_back,
    mark_staged,
    missing,
    say,
    space,
    staged,
)

REPOSITORY = "/etc/yum.repos.d/fleet.repo"
LOCKS_CONFIGURED, LOCKS = "/etc/dnf/plugins/versionlock.conf", "/etc/dnf/plugins/versionlock.list"
SCRIPT_FAILED = 4


class Display(dnf.callback.TransactionProgress):  # type: ignore[misc]
    """Without one dnf swallows what scripts of packages say when they fail, and calls the transaction a success."""

    def __init__(self) -> None:
        super().__init__()
        self.errors: list[str] = []

    def error(self, message: str) -> None:
        self.errors.append(message)


def opened(order: Order, *, refresh: bool) -> Any:
    """A base that knows what is installed and what this repository holds, and no other."""
    base = dnf.Base()
    base.conf.read()
    # Otherwise dnf leaves out what it cannot resolve, upgrades the rest and calls that success.
    base.conf.best = True
    base.conf.cachedir = str(order.folder / "dnf")
    base.conf.keepcache = True
    base.conf.substitutions.update_from_etc(base.conf.installroot)
    base.conf.substitutions["releasever"] = base.conf.substitutions.get("releasever") or "0"
    repository = base.repos.add_new_repo("fleet", base.conf, baseurl=[order.channel], skip_if_unavailable=False, gpgcheck=False)
    repository.metadata_expire = -1  # it is read anew by `refresh` and by nothing else
    if refresh:
        repository._repo.expire()  # noqa: SLF001 - dnf's own command line has no other way
    base.fill_sack()
    for pattern in locks():
        lock(base, pattern)
    return base


def locks() -> list[str]:
    """Patterns of the plugin versionlock, which its command line obeys and its library does not."""
    configured = configparser.ConfigParser()
    configured.read(LOCKS_CONFIGURED)
    if configured.get("main", "enabled", fallback="1").strip() in ("0", "false", "no"):
        return []
    file = Path(configured.get("main", "locklist", fallback=LOCKS))
    lines = file.read_text(errors="replace").splitlines() if file.is_file() else []
    return [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]


def lock(base: Any, pattern: str) -> None:
    """As the plugin does: of the names it is about only what it names is there, and with a '!' all but that."""
    named = base.sack.query().available().filterm(pkg=dnf.subject.Subject(pattern.lstrip("!")).get_best_query(base.sack))
    names = locked_names(base, pattern)
    all_of_them = base.sack.query().available().filterm(name=sorted(names))
    base.sack.add_excludes(named if pattern.startswith("!") else all_of_them.difference(named))


def locked_names(base: Any, pattern: str) -> set[str]:
    possibilities = dnf.subject.Subject(pattern.lstrip("!")).get_nevra_possibilities()
    wanted = [nevra.name for nevra in possibilities if nevra.name]
    return {package.name for package in base.sack.query() if any(fnmatch.fnmatchcase(package.name, name) for name in wanted)}


def planned(base: Any, order: Order) -> dict[str, Any]:
    """A package that is replaced by another of its name is no removal."""
    transaction = base.transaction
    install_set = list(transaction.install_set) if transaction else []
    remove_set = list(transaction.remove_set) if transaction else []
    installs = {package.name: package.evr for package in install_set}
    gone = {package.name for package in remove_set}
    has = installed(base)
    wrong = missing(order, {**has, **installs})
    growth = sum(package.installsize for package in install_set) - sum(package.installsize for package in remove_set)
    download = sum(package.downloadsize for package in install_set if not Path(package.localPkg()).is_file())
    largest = max((package.installsize for package in install_set), default=0)
    return {
        "installs": installs,
        "removals": sorted(gone - installs.keys()),
        "keptBack": stays(base, installs),
        "held": held(base, order, has) if wrong else [],
        "newer": [name for name, want in order.packages.items() if name in has and base.sack.evr_cmp(has[name].split()[-1], want) > 0],
        "space": space(order, download, max(0, growth) + largest),
    }


def installed(base: Any) -> dict[str, str]:
    found: dict[str, set[str]] = {}
    for package in dnf.sack._rpmdb_sack(base).query().installed():  # noqa: SLF001 - the sack of before does not see what was just done
        found.setdefault(package.name, set()).add(package.evr)
    return {name: " ".join(sorted(versions)) for name, versions in found.items()}


def stays(base: Any, installs: dict[str, str]) -> list[str]:
    """What is installed, and is there in a newer version that will not be installed."""
    everything = base.sack.query(flags=hawkey.IGNORE_EXCLUDES)
    return sorted({package.name for package in everything.upgrades() if package.name not in installs})


def held(base: Any, order: Order, has: dict[str, str]) -> list[dict[str, str]]:
    """Packages of the release that somebody said should stay as they are, and how."""
    wrong = [name for name, want in order.packages.items() if want not in has.get(name, "").split()]
    excluded = list(base.conf.excludepkgs)
    found = [
        {"package": name, "by": "excluded (excludepkgs of /etc/dnf/dnf.conf)"}
        for name in wrong
        if any(fnmatch.fnmatchcase(name, dnf.subject.Subject(one).get_nevra_possibilities()[0].name or one) for one in excluded)
    ]
    locked = {name for pattern in locks() for name in locked_names(base, pattern)}
    return found + [{"package": name, "by": "locked (dnf versionlock)"} for name in wrong if name in locked]


def download(base: Any) -> None:
    base.download_packages(list(base.transaction.install_set) if base.transaction else [])


def upgrade(base: Any, order: Order) -> int:
    plan = planned(base, order)
    if plan["removals"]:
        raise NothingBegun(f"removal: refused: it would remove {', '.join(plan['removals'])}")
    try:
        download(base)
    except (dnf.exceptions.Error, OSError) as error:
        raise NothingBegun(f"source-unreadable: {error}") from error
    if left := others_on_host.wait(order.seconds):
        raise NothingBegun(f"lock-held: {others_on_host.sentence(left)}")
    display = Display()
    try:
        if base.transaction:
            base.do_transaction(display)
    except (dnf.exceptions.Error, OSError) as error:
        say(f"dnf: {str(error).strip()}\n", error=True)
        return CANNOT
    say("".join(f"{name} {version}\n" for name, version in sorted(plan["installs"].items())) or "nothing to do\n")
    if display.errors:
        say("".join(f"{error}\n" for error in display.errors), error=True)
        return SCRIPT_FAILED
    if wrong := missing(order, installed(base)):
        say(f"the release was not reached: {'; '.join(wrong)}\n", error=True)
        return NOT_REACHED
    say(kept_back([name for name in plan["keptBack"] if name not in order.packages]))
    adopt(Path(REPOSITORY), f"[fleet]\nname=fleet\nbaseurl={order.channel}\ngpgcheck=0\nskip_if_unavailable=0\n")
    forget(order)
    return 0


def carry_out(verb: str, order: Order) -> int:
    if verb == "refresh" and staged(order):
        say("the index was staged\n")
        return 0
    if verb in ("refresh", "reread"):
        forget_others(order)
    try:
        base = opened(order, refresh=verb in ("refresh", "reread"))
        try:
            if verb in ("refresh", "reread"):
                return 0
            if order.downgrade:
                base.distro_sync()
            else:
                base.upgrade_all()
            base.resolve()
            if verb == "plan":
                say(json.dumps(planned(base, order)) + "\n")
                return 0
            if verb == "stage":
                download(base)
                mark_staged(order)
                return 0
            return upgrade(base, order)
        finally:
            base.close()
    except (dnf.exceptions.Error, OSError) as error:
        if verb == "upgrade":
            raise NothingBegun(f"unresolvable: {error}") from error
        say(f"dnf: {str(error).strip()}\n", error=True)
        return 0 if verb == "reread" and staged(order) else CANNOT


def main(verb: str, text: str) -> int:
    order = Order.read(text)
    if verb == "upgrade":
        return guarded(order, lambda order: carry_out(verb, order))
    return apart(order, lambda order: carry_out(verb, order))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
