"""Plans, stages or makes the upgrade of a host to what one apt channel holds: refresh|reread|plan|stage|upgrade ORDER.

Runs on hosts; standard library only. The channel is the only source that is read, by lists, archives and preferences of its own: what
the host has of others stays as it is, is not asked, and stands nobody in the way. `plan` prints what family.Plan reads. Exit codes:
apt-get's own, and those of channel_on_host.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from drydock_remediation import others_on_host
from drydock_remediation.channel_on_host import (
    NOT_REACHED,
    NothingBegun,
    Order,
    Said,
    adopt,
    apart,
    audit_before,
    call,
    forget,
    forget_others,
    forget_staged,
    guarded,
    kept_back,
    mark_staged,
    missing,
    say,
    space,
    staged,
    unwritable,
    write,
)
from drydock_remediation.package_audits import new_complaints

SOURCES = "/etc/apt/sources.list.d/fleet.list"
PREFERENCES = "/etc/apt/preferences"
# What is only to be configured was unpacked before, and dpkg was cut off, or a script of it failed.
INSTALL = re.compile(r"^(?:Inst|Conf) (\S+)(?: \[[^\]]*\])? \(([^\s)]+)")
REMOVE = re.compile(r"^(?:Remv|Purg) (\S+)")
STAYS = ("The following packages have been kept back:", "The following upgrades have been deferred due to phasing:")
SIZES = re.compile(r"^'\S+' \S+ (\d+) ", re.MULTILINE)
# No package is removed. It is not run by Ansible's module, because its process would die with the connection or with the operator, in the
# middle of dpkg, and a second attempt could not tell. Under the wrapper it goes on, ends once, and every later attempt gets its result.
UPGRADE = ("--no-remove", "upgrade", "--with-new-pkgs")
KEEP_FILES = ("-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold")
# Where dpkg was cut off, apt-get upgrades nothing until dpkg has ended what it began, and what is half there may need what was still
# to come; on any other host neither changes anything. How dpkg ends does not count: what fails to be configured may be what the
# channel has another version of, and apt-get tries the rest again and tells by its own code.
CONFIGURE = ("dpkg", "--force-confdef", "--force-confold", "--configure", "-a")
FIX = "--fix-broken"
NO_LOCKS = ("-o", "Debug::NoLocking=true")  # of what changes nothing but its own folder
QUERY = ("dpkg-query", "-W", "-f", "${Package}|${db:Status-Abbrev}|${Version}|${Installed-Size}\n")
AUDIT = ("dpkg", "--audit")
# What an upgrade writes to at least: settings, what packages are made of, their database. `BOOT` where a kernel is among them.
SETTINGS = ("/etc", "/etc/apt", "/etc/apt/apt.conf.d", "/etc/apt/sources.list.d", SOURCES)
PLACES = ("/usr", "/usr/bin", "/usr/sbin", "/usr/lib", "/var/lib/apt", "/var/lib/dpkg", "/var/lib/dpkg/info", "/var/lib/dpkg/status")
# Those of the host are about its own lists, which stay as they are. No option on a command line empties a list of commands.
NO_HOOKS = "".join(f"#clear APT::Update::{name};\n" for name in ("Pre-Invoke", "Post-Invoke", "Post-Invoke-Success"))
LOCKED = re.compile(r"Could not get lock|Unable to acquire the dpkg frontend lock|Unable to lock")
DPKG = Path("/var/lib/dpkg")
SAID_MAX = 800
BOOT, KERNELS = "/boot", re.compile(r"kernel|linux-image|grub|shim")
# Of what dpkg says when it changes something.
CHANGES = re.compile(
    r"^(?:Preparing to unpack|Unpacking|Setting up|Selecting previously|Removing|Purging|Processing triggers|Replacing)", re.MULTILINE
)
# What the host's own settings may say to every apt-get: some would have it do nothing and call that success, fail, or answer in a way
# that is not understood here. A default release has no candidates but its own.
AS_EVERYWHERE = {
    "APT::Default-Release": "",
    "APT::Get::Assume-No": "false",
    "APT::Get::AutomaticRemove": "false",
    "APT::Get::Download": "true",
    "APT::Get::Download-Only": "false",
    "APT::Get::Fix-Missing": "false",
    "APT::Get::Print-URIs": "false",
    "APT::Get::Show-Versions": "false",
    "APT::Get::Simulate": "false",
    "APT::Get::Trivial-Only": "false",
    "quiet": "1",
}


def options(order: Order) -> list[str]:
    """Without Error-Mode=any apt-get shrugs off a channel it could not read, or whose signature is wrong, and calls that success."""
    folder = order.folder
    chosen = {
        **AS_EVERYWHERE,
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": folder / "sources.list.d",
        "Dir::State::lists": folder / "lists",
        "Dir::Cache::archives": folder / "archives",
        "Dir::Cache::pkgcache": "",
        "Dir::Cache::srcpkgcache": "",
        "APT::Get::List-Cleanup": "false",
        "APT::Update::Error-Mode": "any",
        "Acquire::Languages": "none",
        "Acquire::Retries": "2",
        "Acquire::http::Timeout": "20",
        **({"Dir::Etc::preferences": folder / "preferences"} if order.downgrade else {}),
    }
    return [word for name, value in chosen.items() for word in ("-o", f"{name}={value}")]


def get(order: Order, *words: str, show: bool = False) -> Said:
    back = ("--allow-downgrades",) if order.downgrade else ()
    return call("apt-get", "-q", "-y", *KEEP_FILES, *options(order), *back, *words, show=show)


def source(order: Order) -> str:
    return f"deb [trusted=yes] {order.channel} ./\n"


def refresh(order: Order) -> int:
    if staged(order):
        say("the index was staged\n")
        return 0
    return reread(order)


def reread(order: Order) -> int:
    """The index is read into an empty folder: beside an older one a wrong signature would pass. What was staged stays when it fails."""
    folder, new = order.folder, order.folder / "lists.new"
    forget_others(order)
    shutil.rmtree(new, ignore_errors=True)
    for part in (folder / "sources.list.d", folder / "archives" / "partial", new / "partial"):
        part.mkdir(parents=True, exist_ok=True)
    write(folder / "sources.list.d" / "release.list", source(order))
    write(folder / "apt.conf", NO_HOOKS)
    if order.downgrade:
        # By these preferences the versions of the channel are the ones to have, whether older or newer. Only commands that name the file
        # read it: among the host's own ones it would let everybody's apt-get go back.
        own = Path(PREFERENCES).read_text(errors="replace") if Path(PREFERENCES).is_file() else ""
        write(folder / "preferences", f"{own}\n\n{pin_of(order)}")
    read = get(order, "-c", str(folder / "apt.conf"), "-o", f"Dir::State::lists={new}", "update", show=True)
    if read.code != 0:
        say(by_proxy(order), error=True)
        return 0 if staged(order) else read.code
    # A run that dies between the next two lines leaves no index. The channel must not be called staged then.
    forget_staged(order)
    shutil.rmtree(folder / "lists", ignore_errors=True)
    new.rename(folder / "lists")
    return 0


def pin_of(order: Order) -> str:
    """By which the versions of the channel are the ones to have; nothing where newer ones are to be had anyway."""
    host = urlsplit(order.channel).hostname or ""
    return f'Package: *\nPin: origin "{host}"\nPin-Priority: 1001\n' if order.downgrade else ""


def by_proxy(order: Order) -> str:
    """A sentence about the proxy that the host goes through to the channel; nothing where it goes through none."""
    url = urlsplit(order.channel)
    name = f"Acquire::{url.scheme}::Proxy"
    said = call("apt-config", "shell", "all", name, "one", f"{name}::{url.hostname}").out
    set_to = dict(word.split("=", 1) for word in shlex.split(said) if "=" in word)
    proxy = set_to.get("one") or set_to.get("all") or os.environ.get(f"{url.scheme}_proxy", "")
    place = urlsplit(proxy).netloc.rpartition("@")[2]  # none of DIRECT
    return f"It was asked for through the proxy {place}, as settings of this host say.\n" if place else ""


def plan(order: Order) -> int:
    """The last part changes no decision: it names the packages a full upgrade would remove, for the message. Only without --fix-broken
    apt-get says what is unmet. A host whose dpkg was cut off is planned as it is: a refused one stays untouched."""
    plain = get(order, *UPGRADE, "-s")
    safe = plain if plain.code == 0 else get(order, FIX, *UPGRADE, "-s")
    if safe.code != 0:
        say(plain.err, error=True)
        return safe.code
    full = get(order, "dist-upgrade", "-s")
    found = read_plan(safe.out)
    versions, sizes = installed()
    wanted = {**order.packages, **found["installs"]}
    found["inTheWay"] = read_plan(full.out)["removals"]
    found["held"] = held(order, versions, found["keptBack"]) if missing(order, {**versions, **found["installs"]}) else []
    found["newer"] = [name for name, want in order.packages.items() if newer(versions.get(name, ""), want)]
    growth = grows({name: version for name, version in wanted.items() if version != versions.get(name)}, sizes, order)
    found["space"] = space(order, downloads(order), growth)
    boot = (BOOT,) if any(KERNELS.search(name) for name in found["installs"]) else ()
    found["unwritable"] = unwritable(places(*boot)) if found["installs"] else []
    say(json.dumps(found) + "\n")
    return 0


def read_plan(text: str) -> dict[str, Any]:
    """What a simulation says it would do."""
    lines = text.splitlines()
    installs = {match.group(1): match.group(2) for line in lines if (match := INSTALL.match(line))}
    removals = [match.group(1) for line in lines if (match := REMOVE.match(line))]
    stays: list[str] = []
    under = False
    for line in lines:
        stays += line.split() if under and line.startswith(" ") else []
        under = line in STAYS or (under and line.startswith(" "))
    return {"installs": installs, "removals": removals, "keptBack": stays}


def installed() -> tuple[dict[str, str], dict[str, int]]:
    """Versions and sizes in KiB of what is properly installed."""
    rows = [line.split("|") for line in call(*QUERY).out.splitlines() if line.count("|") == 3]
    there = [row for row in rows if row[1].strip() in ("ii", "hi")]
    return {row[0]: row[2] for row in there}, {row[0]: int(row[3] or 0) for row in there}


def newer(has: str, want: str) -> bool:
    return has != "" and call("dpkg", "--compare-versions", has, "gt", want).code == 0


def places(*more: str) -> tuple[str, ...]:
    """What has to be writable. Who keeps packages on a read-only file system has hooks that mount it to be written to meanwhile."""
    hooks = call("apt-config", "dump", "DPkg::Pre-Invoke").out
    return SETTINGS if "remount" in hooks else (*SETTINGS, *PLACES, *more)


def held(order: Order, versions: Mapping[str, str], kept: Sequence[str]) -> list[dict[str, str]]:
    """Packages of the release, and of those that are kept back, that somebody said should stay as they are, and how."""
    wrong = [name for name, want in order.packages.items() if versions.get(name) != want]
    names = list(dict.fromkeys([*wrong, *kept]))
    marked = set(call("apt-mark", "showhold").out.split())
    found = [{"package": name, "by": "on hold (apt-mark)"} for name in names if name in marked]
    return found + [{"package": name, "by": by} for name, by in pinned(order, names)]


def pinned(order: Order, names: Sequence[str]) -> list[tuple[str, str]]:
    """apt itself is asked, file by file: a pin may be of a name, a pattern, a source package, an origin or a release."""
    free, chosen = candidates(order, names, ""), candidates(order, names)
    found: dict[str, str] = {}
    for file in (Path(PREFERENCES), *sorted(Path(f"{PREFERENCES}.d").glob("*"))):
        if file.is_file() and (file.parent != Path(f"{PREFERENCES}.d") or file.suffix in ("", ".pref")):
            by_it = candidates(order, names, file.read_text(errors="replace"))
            pins = [name for name in names if by_it.get(name) != free.get(name) != chosen.get(name)]
            found |= {name: f"pinned ({file})" for name in pins if name not in found}
    together = "pinned (by its preferences together)"
    return sorted((found | {name: together for name in names if free.get(name) != chosen.get(name) and name not in found}).items())


def candidates(order: Order, names: Sequence[str], preferences: str | None = None) -> dict[str, str]:
    """Which version of each apt would have, by the host's own preferences or by these."""
    chosen = options(order)
    if preferences is not None:
        file = order.folder / "pins"
        write(file, f"{preferences}\n\n{pin_of(order)}")
        chosen += ["-o", f"Dir::Etc::preferences={file}", "-o", "Dir::Etc::preferencesparts=/dev/null"]
    said = call("apt-cache", *chosen, "policy", *names).out if names else ""
    return dict(re.findall(r"^(\S+):\n(?:  .*\n)*?  Candidate: (\S+)$", said, re.MULTILINE))


def downloads(order: Order) -> int:
    """Bytes that are still to be fetched."""
    said = get(order, *NO_LOCKS, FIX, *UPGRADE, "--print-uris")
    return sum(int(size) for size in SIZES.findall(said.out))


def grows(changes: Mapping[str, str], sizes: Mapping[str, int], order: Order) -> int:
    """Bytes by which the installed packages become more, and what the largest needs while the old one is still there."""
    if not changes:
        return 0
    shown = call("apt-cache", *options(order), "show", *(f"{name}={version}" for name, version in changes.items())).out
    pairs = re.findall(r"^Package: (\S+)$(?:\n(?!$).*)*?\nInstalled-Size: (\d+)$", shown, re.MULTILINE)
    new = {name: int(size) for name, size in pairs}
    more = sum(max(0, size - sizes.get(name, 0)) for name, size in new.items())
    return (more + max(new.values(), default=0)) * 1024


def download(order: Order) -> Said:
    said = get(order, *NO_LOCKS, FIX, *UPGRADE, "--download-only", show=True)
    if said.code == 0 or not (by := by_proxy(order)):
        return said
    say(by, error=True)
    return Said(said.code, said.out, f"{said.err}{by}")


def stage(order: Order) -> int:
    """Fetches all that the upgrade will need."""
    said = download(order)
    if said.code == 0:
        mark_staged(order)
    return said.code


def upgrade(order: Order) -> int:
    if left := others_on_host.wait(order.seconds):
        raise NothingBegun(f"lock-held: {others_on_host.sentence(left)}")
    if (fetched := download(order)).code != 0:
        raise NothingBegun(f"source-unreadable: {fetched.err.strip()}")
    before, database_before = audit_before(order), database()
    configured = call(*CONFIGURE, show=True)
    locked = ("-o", f"DPkg::Lock::Timeout={int(order.seconds)}")
    done = get(order, *locked, FIX, *UPGRADE, show=True)
    if done.code != 0 and not all_is_done(order, before):
        if database() == database_before and not CHANGES.search(f"{configured.out}\n{done.out}"):
            cause = "lock-held" if LOCKED.search(done.err) else "not-begun"
            raise NothingBegun(f"{cause}: apt-get had nothing changed: {done.err.strip()[-SAID_MAX:]}")
        return done.code
    wrong = missing(order, installed()[0])
    if wrong and database() == database_before:
        raise NothingBegun(f"not-begun: apt-get and dpkg had nothing to say and changed nothing: {'; '.join(wrong)}")
    if complaint := new_complaints(before, call(*AUDIT).out):
        wrong.append(complaint)
    if wrong:
        say(f"the release was not reached: {'; '.join(wrong)}\n", error=True)
        return NOT_REACHED
    say(kept_back([name for name in read_plan(done.out)["keptBack"] if name not in order.packages]))
    adopt(Path(SOURCES), source(order))
    forget(order)
    return 0


def database() -> str:
    """A sum of what dpkg knows of packages, also of those it is in the middle of."""
    whole = hashlib.sha256()
    for file in (DPKG / "status", *sorted((DPKG / "updates").glob("*"))):
        whole.update(file.name.encode() + file.read_bytes())
    return whole.hexdigest()


def all_is_done(order: Order, before: str) -> bool:
    """Whether apt-get complains of nothing but packages that were broken before, or a hook that is run when all is done."""
    if new_complaints(before, call(*AUDIT).out):
        return False
    rest = get(order, FIX, *UPGRADE, "-s")
    return rest.code == 0 and not any(line.startswith("Inst ") for line in rest.out.splitlines())


def main(verb: str, text: str) -> int:
    order = Order.read(text)
    if verb == "upgrade":
        return guarded(order, upgrade, places())
    return apart(order, {"refresh": refresh, "reread": reread, "plan": plan, "stage": stage}[verb])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
