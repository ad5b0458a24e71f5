"""By which settings of a host with dnf packages of a repository are not to be had, as rules with names. Runs on hosts, with their dnf."""

from __future__ import annotations

import configparser
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dnf
import dnf.exceptions
import dnf.subject

LOCKS_CONFIGURED, LOCKS = "/etc/dnf/plugins/versionlock.conf", "/etc/dnf/plugins/versionlock.list"


@dataclass(frozen=True)
class Rule:
    """By which settings packages of the repository are not to be had: how and where in words, and which."""

    by: str
    away: Any


@dataclass(frozen=True)
class Filters:
    """What the host's settings exclude and include, and what the file of its own source excludes."""

    excluded: list[str]
    included: list[str]
    of_source: list[str]
    source: Path

    @staticmethod
    def taken(conf: Any, source: Path) -> Filters:
        """Out of the settings: what dnf itself leaves out, nobody can name."""
        off, excluded, included = {"all", "main"} & set(conf.disable_excludes), list(conf.excludepkgs), list(conf.includepkgs)
        conf.excludepkgs = conf.includepkgs = []
        of_source = [
            word
            for section in parsed(source).values()
            for name in ("excludepkgs", "exclude")
            for word in section.get(name, "").replace(",", " ").split()
        ]
        return Filters([] if off else excluded, [] if off else included, of_source, source)


def parsed(file: Path | str) -> configparser.ConfigParser:
    """Of what is not there nothing; what cannot be read is dnf's own error of its settings."""
    found = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        found.read(file)
    except (configparser.Error, ValueError) as error:
        raise dnf.exceptions.ConfigError(f"Parsing file {file} failed: {error}") from error
    return found


def filter_rules(base: Any, filters: Filters) -> list[Rule]:
    available, none = base.sack.query().available(), base.sack.query().filterm(empty=True)

    def meant(patterns: list[str]) -> Any:
        found = none
        for pattern in patterns:
            subject = dnf.subject.Subject(pattern)
            found = found.union(subject.get_best_query(base.sack, with_nevra=True, with_provides=False, with_filenames=False))
        return available.intersection(found)

    file = base.conf.config_file_path
    rules = [
        Rule(f"excluded (excludepkgs of {file})", meant(filters.excluded)),
        Rule(f"excluded (excludepkgs of {filters.source})", meant(filters.of_source)),
    ]
    others = available.difference(meant(filters.included)) if filters.included else none
    return [*rules, Rule(f"excluded (not among includepkgs of {file})", others)]


def lock_rules(base: Any) -> list[Rule]:
    """As the plugin versionlock does, which dnf's command line loads and its library does not: of the names that locks are about only what
    they name is to be had; and nothing that one with a '!' names."""
    file, patterns = locks()
    available, none = base.sack.query().available(), base.sack.query().filterm(empty=True)
    excluded = locked = none
    names: set[str] = set()
    for pattern in patterns:
        for nevra in dnf.subject.Subject(pattern.lstrip("!")).get_nevra_possibilities():
            meant = nevra.to_query(base.sack)
            if pattern.startswith("!"):
                excluded = excluded.union(meant)
            else:
                names |= {nevra.name} if nevra.name else set()
                locked = locked.union(meant)
    others = base.sack.query().filterm(name__glob=sorted(names)).difference(locked) if names else none
    replacing = base.sack.query().filterm(obsoletes=locked).difference(locked) if names else none
    return [
        Rule(f"locked (dnf versionlock, {file})", available.intersection(others.union(replacing))),
        Rule(f"excluded (dnf versionlock, {file})", available.intersection(excluded)),
    ]


def locks() -> tuple[Path, list[str]]:
    """The file of version locks, and its patterns."""
    configured = parsed(LOCKS_CONFIGURED)
    file = Path(configured.get("main", "locklist", fallback=LOCKS))
    off = configured.get("main", "enabled", fallback="1").strip().lower() in ("0", "false", "no")
    lines = file.read_text(errors="replace").splitlines() if file.is_file() and not off else []
    return file, [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]
