"""Words that once had two meanings have one in everything public: schemas, policies, commands, metrics. The glossary says which."""

import re
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SCHEMAS = ROOT / "proto" / "src" / "main" / "pegasus"
POLICY = ROOT / "impact-analyzer" / "readers" / "src" / "main" / "resources" / "policy.schema.json"
PAGES = [ROOT / "docs" / "reference" / f"{page}.md" for page in ("cli", "metrics")]
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)

# By the beginning of a word: where it may stand. Another place needs the meaning that the glossary gives it.
FLEET = "a freeze is that of the fleet"
HOST = "a host is cordoned"
LOCK = "what is held is a lock"
SENSES = {
    "freez|froz": {
        FLEET: "Freeze.Freeze Freeze.frozen FreezeRequest.FreezeRequest EventKind.FleetFrozen LockChange.Frozen "
        "cli.freeze cli.freeze-status"
    },
    "unfreez|unfroz": {FLEET: "EventKind.FleetUnfrozen LockChange.Unfrozen cli.unfreeze"},
    "cordon|uncordon": {HOST: "JobStep.Cordon JobStep.Uncordon policy.cordon"},
    "thaw": {},
    "hold|held": {
        LOCK: "BreakGlassReason.HolderGone Lock.holder LockHistoryEntry.holder LockState.Held TicketRequest.hold",
        "an invariant held": "AuditVerdict.Held",
    },
    "restor": {},
    "recover": {
        "a host recovers": "HostPhase.Recover JobStep.Recover policy.recover",
        "recovery mode is what follows a restore": "EventKind.RecoveryEnded EventKind.RecoveryStarted Recovery.Recovery "
        "Recovery.recovering cli.recovery-status metrics.drydock_recovery_mode",
    },
}


def parts(name: str) -> list[str]:
    return [part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def public(schemas: Path, policy: str, pages: Iterable[Path]) -> set[str]:
    """Names and symbols by where they stand: a schema, the policy, or a page of the reference."""
    found = {
        f"{file.stem}.{name}" for file in schemas.rglob("*.pdl") for name in re.findall(r"[A-Za-z]\w+", COMMENT.sub("", file.read_text()))
    }
    found |= {f"policy.{name}" for name in re.findall(r'"([A-Za-z]\w+)"', policy)}
    for page in pages:
        text = page.read_text()
        names = re.findall(r"--[a-z][\w-]+|drydock_\w+", text) + re.findall(r"^## drydock ([\w -]+)$", text, re.MULTILINE)
        found |= {f"{page.stem}.{name.replace(' ', '-')}" for name in names}
    return found


def misused(names: Iterable[str]) -> list[str]:
    """Names with one of the words in another sense than the one it has."""
    found = []
    for name in names:
        for word, senses in SENSES.items():
            begins = re.compile(f"({word})")
            allowed = {one for places in senses.values() for one in places.split()}
            if any(begins.match(part) for part in parts(name.partition(".")[2])) and name not in allowed:
                found.append(name)
    return sorted(found)


def test_each_word_has_one_meaning() -> None:
    names = public(SCHEMAS, POLICY.read_text(), PAGES)

    assert {"JobStep.Drain", "policy.maxUnavailable", "cli.--watch"} <= names
    assert misused(names) == []


def test_every_place_that_is_listed_is_there() -> None:
    names = public(SCHEMAS, POLICY.read_text(), PAGES)
    listed = {one for senses in SENSES.values() for places in senses.values() for one in places.split()}

    assert sorted(listed - names) == []


def test_planted_senses_are_found(tmp_path: Path) -> None:
    (tmp_path / "JobStep.pdl").write_text("namespace x\n\n/** Freeze, Thaw. */\nenum JobStep {\n  Freeze\n  Drain\n  Recover\n  Thaw\n}\n")
    (tmp_path / "HostEvent.pdl").write_text("namespace x\n\nenum HostEvent {\n  HostHeld\n  HostRestored\n}\n")
    page = tmp_path / "metrics.md"
    page.write_text("| `drydock_frozen_hosts` | gauge |\n| `drydock_threshold` | gauge |\n")

    assert misused(public(tmp_path, '{"unfreeze": {}, "recover": {}}', [page])) == [
        "HostEvent.HostHeld",
        "HostEvent.HostRestored",
        "JobStep.Freeze",
        "JobStep.Thaw",
        "metrics.drydock_frozen_hosts",
        "policy.unfreeze",
    ]
