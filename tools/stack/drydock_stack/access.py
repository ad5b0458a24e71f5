"""Principals and their tokens: made once per checkout, readable only by its owner."""

import json
import secrets
from pathlib import Path

from drydock_stack import files

HOST_OPERATOR = ["host/PackageUpdate", "host/Reimage", "host/CleanDisk", "host/PowerCycle"]
PRINCIPALS = (
    {"name": "admin", "team": "drydock", "role": "admin"},
    {"name": "sre", "team": "sre", "role": "operator"},
    {"name": "viewer", "team": "sre", "role": "viewer"},
    {"name": "web-team", "team": "web", "role": "owner"},
    {"name": "search-team", "team": "search", "role": "owner"},
    {"name": "static-adapter", "team": "sre", "role": "consumer", "topics": ["scheduler/static"]},
    {"name": "host-operator", "team": "sre", "role": "consumer", "topics": HOST_OPERATOR},
    {"name": "simulated-site", "team": "sre", "role": "consumer", "topics": ["scheduler/simulated", "host/PackageUpdate"]},
    {"name": "foreign", "team": "kernel", "role": "operator"},
    {"name": "updater", "team": "kernel", "role": "consumer", "topics": ["fleetlock"]},
)


def tokens_file(state: Path) -> Path:
    return state / "tokens.json"


def token_file(state: Path, principal: str) -> Path:
    """The file with one principal's token and nothing else, as clients want it."""
    return state / "token" / principal


def write(state: Path) -> None:
    """Creates what is missing. Tokens that exist stay as they are, also when a later version knows more principals, or more
    topics of one."""
    path = tokens_file(state)
    known = {entry["name"]: entry for entry in json.loads(path.read_text())["principals"]} if path.exists() else {}
    made = {entry["name"]: {**entry, "token": secrets.token_urlsafe(32)} for entry in PRINCIPALS}
    topics = {name: {"topics": made[name]["topics"]} if "topics" in made.get(name, {}) else {} for name in known}
    principals = {**made, **{name: {**entry, **topics[name]} for name, entry in known.items()}}
    if principals != known:
        files.write(path, json.dumps({"principals": list(principals.values())}, indent=2) + "\n", 0o600)
    for name, principal in principals.items():
        files.write_if_changed(token_file(state, name), principal["token"] + "\n", 0o600)
