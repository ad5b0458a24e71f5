"""Where this program finds the board and the hosts: environment variables, all checked at start."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from drydock_remediation.health import custom
from drydock_remediation.health.custom import HostCheck
from drydock_remediation.lanes import CLEANED, CYCLED, IMAGES, PACKAGES
from drydock_remediation.reimage.access import AccessError, BmcAccess, read_access
from drydock_remediation.repairs import clean_rules

WRAPPER = Path(__file__).parents[3] / "proto" / "src" / "main" / "host" / "hostrun"


class SettingsError(Exception):
    """A setting is missing or wrong; names it and says what to do."""


@dataclass(frozen=True)
class Ssh:
    """How hosts are reached. Host keys are always checked, against `known_hosts_file` alone."""

    user: str
    key_file: Path
    known_hosts_file: Path

    def options(self) -> list[str]:
        chosen = {
            "BatchMode": "yes",
            "ConnectTimeout": "5",
            "GlobalKnownHostsFile": "/dev/null",
            "IdentitiesOnly": "yes",
            "IdentityFile": str(self.key_file),
            "ServerAliveCountMax": "3",
            "ServerAliveInterval": "5",
            "StrictHostKeyChecking": "yes",
            "UserKnownHostsFile": str(self.known_hosts_file),
        }
        return ["-F", "none", *(word for name, value in chosen.items() for word in ("-o", f"{name}={value}"))]


@dataclass(frozen=True)
class Waits:
    """How many seconds are normal; after them something is wrong. Big machines need more than the defaults."""

    boot: int = 300  # from the end of one boot until the next one answers
    install: int = 600  # from power-on until what was installed answers
    bmc: int = 300  # for which a BMC says nothing
    sums: int = 300  # for which a host compares its data with the manifest it has of them


WAITS = {
    "boot": "DRYDOCK_BOOT_SECONDS",
    "install": "DRYDOCK_INSTALL_SECONDS",
    "bmc": "DRYDOCK_BMC_SECONDS",
    "sums": "DRYDOCK_DATA_SUMS_SECONDS",
}
WAIT_SECONDS_MIN, WAIT_SECONDS_MAX = 10, 7200


@dataclass(frozen=True)
class Settings:
    url: str
    token_file: Path
    ssh: Ssh
    consumer: str
    wrapper: Path = WRAPPER
    sets_at_once: int = 6  # of plays in each lane
    machines_at_once: int = 150
    hosts_per_set: int = 25
    forks: int = 10
    poll_seconds: float = 0.3
    metrics: tuple[str, int] | None = None
    bmcs: BmcAccess | None = None  # without them nothing is re-imaged, nor switched off and on
    clean_rules: clean_rules.Rules = field(default_factory=clean_rules.default)
    waits: Waits = Waits()
    health_checks: Mapping[str, HostCheck] = field(default_factory=dict)
    watch_seconds: int = 30  # how old a reading of a host's packages may become; 0: they are not read beside jobs
    watch_at_once: int = 8

    @property
    def topics(self) -> tuple[str, ...]:
        """What this operator is able to do."""
        return (PACKAGES, CLEANED, *((IMAGES, CYCLED) if self.bmcs else ()))


def read_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """All problems at once."""
    names = ("DRYDOCK_URL", "DRYDOCK_TOKEN_FILE", "DRYDOCK_SSH_CONFIG")
    problems = [f"{name} is not set" for name in names if not environment.get(name)]
    if problems:
        raise SettingsError("; ".join(problems))
    token_file, ssh_file = Path(environment["DRYDOCK_TOKEN_FILE"]), Path(environment["DRYDOCK_SSH_CONFIG"])
    problems = [f"{file} is not a file" for file in (token_file, ssh_file, WRAPPER) if not file.is_file()]
    if problems:
        raise SettingsError("; ".join(problems))
    metrics = _read_address(environment.get("DRYDOCK_METRICS_ADDRESS", ""))
    consumer = environment.get("DRYDOCK_CONSUMER") or f"host-operator-{socket.gethostname()}-{os.getpid()}"
    bmcs = _read_bmcs(environment.get("DRYDOCK_BMC_CONFIG", ""))
    rules = _read_rules(environment.get("DRYDOCK_CLEAN_RULES", ""))
    waits = _read_waits(environment)
    ssh = _read_ssh(ssh_file)
    watch_seconds = _read_number(environment, "DRYDOCK_PACKAGE_WATCH_SECONDS", Settings.watch_seconds, (0, 3600))
    watch_at_once = _read_number(environment, "DRYDOCK_PACKAGE_WATCH_AT_ONCE", Settings.watch_at_once, (1, 100))
    checks = _read_checks(environment.get("DRYDOCK_HEALTH_CHECKS", ""))
    return Settings(
        environment["DRYDOCK_URL"],
        token_file,
        ssh,
        consumer,
        metrics=metrics,
        bmcs=bmcs,
        clean_rules=rules,
        waits=waits,
        health_checks=checks,
        watch_seconds=watch_seconds,
        watch_at_once=watch_at_once,
    )


def _read_waits(environment: Mapping[str, str]) -> Waits:
    given = {field: environment.get(name, "") for field, name in WAITS.items()}
    wrong = [
        f"{WAITS[field]} must be a whole number from {WAIT_SECONDS_MIN} to {WAIT_SECONDS_MAX}, not {text!r}"
        for field, text in given.items()
        if text and not (text.isdecimal() and WAIT_SECONDS_MIN <= int(text) <= WAIT_SECONDS_MAX)
    ]
    if wrong:
        raise SettingsError("; ".join(wrong))
    return Waits(**{field: int(text) for field, text in given.items() if text})


def _read_number(environment: Mapping[str, str], name: str, otherwise: int, limits: tuple[int, int]) -> int:
    text = environment.get(name, "")
    if text and not (text.isdecimal() and limits[0] <= int(text) <= limits[1]):
        raise SettingsError(f"{name} must be a whole number from {limits[0]} to {limits[1]}, not {text!r}")
    return int(text) if text else otherwise


def _read_rules(file: str) -> clean_rules.Rules:
    try:
        return clean_rules.read(Path(file).read_text()) if file else clean_rules.default()
    except (OSError, ValueError) as error:
        raise SettingsError(f"DRYDOCK_CLEAN_RULES: {file}: {error}") from None


def _read_checks(folder: str) -> Mapping[str, HostCheck]:
    if not folder:
        return {}
    if not Path(folder).is_dir():
        raise SettingsError(f"DRYDOCK_HEALTH_CHECKS: {folder} is not a folder")
    try:
        return custom.read_folder(Path(folder))
    except ValueError as error:
        raise SettingsError(f"DRYDOCK_HEALTH_CHECKS: {folder}: {error}") from None


def _read_bmcs(file: str) -> BmcAccess | None:
    try:
        return read_access(Path(file)) if file else None
    except AccessError as error:
        raise SettingsError(f"DRYDOCK_BMC_CONFIG: {error}") from None


def _read_address(text: str) -> tuple[str, int] | None:
    """Where `/metrics` is offered; nowhere when the text is empty."""
    host, _, port = text.rpartition(":")
    if text and not (host and port.isdecimal() and 0 < int(port) < 1 << 16):
        raise SettingsError(f"DRYDOCK_METRICS_ADDRESS must be HOST:PORT, like 127.0.0.1:9100, not {text!r}")
    return (host, int(port)) if text else None


def _read_ssh(file: Path) -> Ssh:
    try:
        record = json.loads(file.read_text())
        ssh = Ssh(record["user"], Path(record["keyFile"]).absolute(), Path(record["knownHostsFile"]).absolute())
    except (ValueError, KeyError, TypeError) as error:
        raise SettingsError(f'{file} must be {{"user","keyFile","knownHostsFile"}} in JSON: {error!r}') from None
    problems = [f"{file} names {path}, which is not a file" for path in (ssh.key_file, ssh.known_hosts_file) if not path.is_file()]
    if problems:
        raise SettingsError("; ".join(problems))
    return ssh
