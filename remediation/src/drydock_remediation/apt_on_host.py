"""Plans, stages or makes the upgrade of a host to what one apt channel holds: refresh|reread|plan|stage|upgrade ORDER.

Runs on hosts; standard library only. The channel is the only source that is read, by lists, archives and preferences of its own: what
the host has of others stays as it is, is not asked, and stands nobody in the way. `plan` prints what family.Plan reads. Exit codes:
apt-get's own, and those of channel_on_host.
"""

from __future__ import annotations

import fnmatch
import json
import re
import shutil
import sys
from collections.abc import Mapping
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
    write,
)
from drydock_remediation.complaints import new_complaints

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


def options(order: Order) -> list[str]:
    """Without Error-Mode=any apt-get shrugs off a channel it could not read, or whose signature is wrong, and calls that success."""
    folder = order.folder
    chosen = {
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
    if order.downgrade:
        # By these preferences the versions of the channel are the ones to have, whether older or newer. Only commands that name the file
        # read it: among the host's own ones it would let everybody's apt-get go back.
        own = Path(PREFERENCES).read_text(errors="replace") if Path(PREFERENCES).is_file() else ""
        pin = f'Package: *\nPin: origin "{urlsplit(order.channel).hostname or ""}"\nPin-Priority: 1001\n'
        write(folder / "preferences", f"{own}\n\n{pin}")
    read = get(order, "-o", f"Dir::State::lists={new}", "update", show=True)
    if read.code != 0:
        return 0 if staged(order) else read.code
    # A run that dies between the next two lines leaves no index. The channel must not be called staged then.
    forget_staged(order)
    shutil.rmtree(folder / "lists", ignore_errors=True)
    new.rename(folder / "lists")
    return 0


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
    found["held"] = held(order, versions) if missing(order, {**versions, **found["installs"]}) else []
    found["newer"] = [name for name, want in order.packages.items() if newer(versions.get(name, ""), want)]
    growth = grows({name: version for name, version in wanted.items() if version != versions.get(name)}, sizes, order)
    found["space"] = space(order, downloads(order), growth)
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


def held(order: Order, versions: Mapping[str, str]) -> list[dict[str, str]]:
    """Packages of the release that somebody said should stay as they are, and how."""
    wrong = [name for name, want in order.packages.items() if versions.get(name) != want]
    marked = set(call("apt-mark", "showhold").out.split())
    found = [{"package": name, "by": "on hold (apt-mark)"} for name in wrong if name in marked]
    for file in (Path(PREFERENCES), *sorted(Path(f"{PREFERENCES}.d").glob("*"))):
        patterns = pinned(file.read_text(errors="replace")) if file.is_file() else []
        pins = [name for name in wrong if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)]
        found += [{"package": name, "by": f"pinned ({file})"} for name in pins]
    return found


def pinned(text: str) -> list[str]:
    """Names and patterns of packages for which a file of preferences has pins. Those for all packages say nothing of one."""
    fields = re.findall(r"^Package:[ \t]*(.*(?:\n[ \t].*)*)", text, re.MULTILINE)
    return [word for field in fields for word in field.split() if word != "*"]


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
    return get(order, *NO_LOCKS, FIX, *UPGRADE, "--download-only", show=True)


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
    before = audit_before(order)
    call(*CONFIGURE, show=True)
    locked = ("-o", f"DPkg::Lock::Timeout={int(order.seconds)}")
    done = get(order, *locked, FIX, *UPGRADE, show=True)
    if done.code != 0 and not only_what_was_broken(order, before):
        return done.code
    wrong = missing(order, installed()[0])
    if complaint := new_complaints(before, call(*AUDIT).out):
        wrong.append(complaint)
    if wrong:
        say(f"the release was not reached: {'; '.join(wrong)}\n", error=True)
        return NOT_REACHED
    say(kept_back([name for name in read_plan(done.out)["keptBack"] if name not in order.packages]))
    adopt(Path(SOURCES), source(order))
    forget(order)
    return 0


def only_what_was_broken(order: Order, before: str) -> bool:
    """Whether apt-get complains of nothing but packages that were broken before, and has done all the rest."""
    if not before or new_complaints(before, call(*AUDIT).out):
        return False
    rest = get(order, FIX, *UPGRADE, "-s")
    return rest.code == 0 and not any(line.startswith("Inst ") for line in rest.out.splitlines())


def main(verb: str, text: str) -> int:
    order = Order.read(text)
    if verb == "upgrade":
        return guarded(order, upgrade)
    return apart(order, {"refresh": refresh, "reread": reread, "plan": plan, "stage": stage}[verb])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
