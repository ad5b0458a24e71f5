"""Plans, stages or makes the upgrade of a host to what one dnf repository holds: refresh|reread|plan|stage|upgrade ORDER.

Runs on hosts, with their own dnf. The repository is the only one that is read, with a cache of its own. `plan` prints what family.Plan
reads; `upgrade` looks again and removes no package, whatever was planned. Exit codes: 4 a script of a package failed; else those of
channel_on_host.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import dnf
import dnf.callback
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
    unwritable,
)
from drydock_remediation.dnf_rules_on_host import Filters, Rule, filter_rules, lock_rules

REPOSITORY = "/etc/yum.repos.d/fleet.repo"
SCRIPT_FAILED = 4
# What an upgrade writes to at least. A database that is not there is none of this host.
PLACES = (
    "/etc",
    "/etc/yum.repos.d",
    REPOSITORY,
    "/usr",
    "/usr/bin",
    "/usr/sbin",
    "/usr/lib",
    "/var/lib/dnf",
    "/var/lib/rpm",
    "/usr/lib/sysimage/rpm",
)
BOOT, KERNELS = "/boot", ("kernel", "grub", "shim")


# dnf's own errors, and what the libraries below it raise.
FAILS = (dnf.exceptions.Error, hawkey.Exception, OSError, RuntimeError, ValueError)


class Display(dnf.callback.TransactionProgress):  # type: ignore[misc]
    """Without one dnf swallows what scripts of packages say when they fail, and calls the transaction a success."""

    def __init__(self) -> None:
        super().__init__()
        self.errors: list[str] = []
        self.changed = False

    def progress(self, package: Any, action: int, *done: int) -> None:  # noqa: ARG002 - dnf's own words
        self.changed = self.changed or action != dnf.callback.TRANS_PREPARATION

    def error(self, message: str) -> None:
        self.errors.append(message)


def opened(order: Order, *, refresh: bool) -> tuple[Any, list[Rule]]:
    """A base that knows what is installed and what this repository holds, and no other; and what keeps packages of that away."""
    base = dnf.Base()
    base.conf.read()
    filters = Filters.taken(base.conf, Path(REPOSITORY))
    base.conf.cacheonly = False  # by which nothing is fetched
    base.conf.tsflags = [flag for flag in base.conf.tsflags if flag != "test"]  # by which nothing is installed
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
    for name in ("metadata", "download"):
        empty_left_over(order.folder / "dnf" / f"{name}_lock.pid")
    try:
        base.fill_sack()
    except dnf.exceptions.RepoError as error:
        raise dnf.exceptions.RepoError(f"{error}{by_proxy(base)}") from error
    rules = [*filter_rules(base, filters), *lock_rules(base)]
    for rule in rules:
        base.sack.add_excludes(rule.away)
    return base, rules


def empty_left_over(file: Path) -> None:
    """dnf calls a lock file malformed that a power cut has left full of zeros, and waits for ever where another process has been given
    the number in it. One at a time looks at a lock file and writes to it, as dnf itself does."""
    try:
        descriptor = os.open(file, os.O_RDWR)
    except FileNotFoundError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if others_on_host.written_holder(str(file)) is None:
            os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def planned(base: Any, rules: list[Rule], order: Order) -> dict[str, Any]:
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
    kept = stays(base, installs)
    boot = (BOOT,) if any(word in name for name in installs for word in KERNELS) else ()
    return {
        "installs": installs,
        "removals": sorted(gone - installs.keys()),
        "keptBack": kept,
        "held": held(base, rules, order, has, kept) if wrong else [],
        "unwritable": unwritable((*PLACES, *boot)) if installs else [],
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


def held(base: Any, rules: list[Rule], order: Order, has: dict[str, str], kept: list[str]) -> list[dict[str, str]]:
    """Packages of the release, and of those that are kept back, that somebody said should stay as they are, and how."""
    wrong = {(name, want) for name, want in order.packages.items() if want not in has.get(name, "").split()}
    newer = base.sack.query(flags=hawkey.IGNORE_EXCLUDES).upgrades().filterm(name=kept)
    wrong |= {(package.name, package.evr) for package in newer if package.name not in order.packages}
    found: dict[str, str] = {}
    for rule in rules:
        away = {(package.name, package.evr) for package in rule.away}
        found = {name: rule.by for name, _ in wrong & away} | found
    return [{"package": name, "by": by} for name, by in sorted(found.items())]


def download(base: Any) -> None:
    try:
        base.download_packages(list(base.transaction.install_set) if base.transaction else [])
    except dnf.exceptions.Error as error:
        raise dnf.exceptions.Error(f"{error}{by_proxy(base)}") from error


def by_proxy(base: Any) -> str:
    """A sentence about the proxy that the host goes through; nothing where it goes through none."""
    proxy = base.conf.proxy or os.environ.get("http_proxy", "")
    place = urlsplit(proxy).netloc.rpartition("@")[2]
    return f"; it was asked for through the proxy {place}, as settings of this host say" if place else ""


def upgrade(base: Any, rules: list[Rule], order: Order) -> int:
    plan = planned(base, rules, order)
    if plan["removals"]:
        raise NothingBegun(f"removal: refused: it would remove {', '.join(plan['removals'])}")
    try:
        download(base)
    except (dnf.exceptions.Error, OSError) as error:
        raise NothingBegun(f"source-unreadable: {error}") from error
    if left := others_on_host.wait(order.seconds):
        raise NothingBegun(f"lock-held: {others_on_host.sentence(left)}")
    empty_left_over(Path(base.conf.persistdir) / "rpmdb_lock.pid")
    base.conf.exit_on_lock = True  # otherwise dnf waits, for ever and without a word, for who came after we looked
    display = Display()
    try:
        if base.transaction:
            base.do_transaction(display)
        return ended(base, order, plan, display)
    except dnf.exceptions.LockError as error:
        raise NothingBegun(f"lock-held: {error}") from error
    except FAILS as error:
        if not display.changed and base.transaction:
            cause = "lock-held" if "transaction lock" in str(error) else "not-begun"
            raise NothingBegun(f"{cause}: dnf had nothing changed: {error}") from error
        say(f"dnf: {str(error).strip()}\n", error=True)
        return CANNOT


def ended(base: Any, order: Order, plan: dict[str, Any], display: Display) -> int:
    say("".join(f"{name} {version}\n" for name, version in sorted(plan["installs"].items())) or "nothing to do\n")
    if display.errors:
        say("".join(f"{error}\n" for error in display.errors), error=True)
        return SCRIPT_FAILED
    if wrong := missing(order, installed(base)):
        if base.transaction and not display.changed:
            raise NothingBegun(f"not-begun: dnf had nothing to say and changed nothing: {'; '.join(wrong)}")
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
        base, rules = opened(order, refresh=verb in ("refresh", "reread"))
        try:
            if verb in ("refresh", "reread"):
                return 0
            if order.downgrade:
                base.distro_sync()
            else:
                base.upgrade_all()
            base.resolve()
            if verb == "plan":
                say(json.dumps(planned(base, rules, order)) + "\n")
                return 0
            if verb == "stage":
                download(base)
                mark_staged(order)
                return 0
            return upgrade(base, rules, order)
        finally:
            base.close()
    except FAILS as error:
        if verb == "upgrade":
            raise NothingBegun(f"unresolvable: {error}") from error
        say(f"dnf: {str(error).strip()}\n", error=True)
        return 0 if verb == "reread" and staged(order) else CANNOT


def main(verb: str, text: str) -> int:
    order = Order.read(text)
    if verb == "upgrade":
        return guarded(order, lambda order: carry_out(verb, order), PLACES)
    return apart(order, lambda order: carry_out(verb, order))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
