"""Every word of the public schemas and every field of a policy stands in the glossary."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
SCHEMAS = ROOT / "proto" / "src" / "main" / "pegasus"
POLICY = ROOT / "impact-analyzer" / "readers" / "src" / "main" / "resources" / "policy.schema.json"
GLOSSARY = ROOT / "docs" / "glossary.md"
ENUM = re.compile(r"^enum (\w+) \{(.*?)^\}", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def enums(schemas: Path) -> dict[str, list[str]]:
    """The symbols of each enum."""
    found = {}
    for file in sorted(schemas.rglob("*.pdl")):
        for name, body in ENUM.findall(file.read_text()):
            found[name] = re.findall(r"\w+", COMMENT.sub("", body))
    return found


def policy_fields(schema: Mapping[str, Any]) -> set[str]:
    found = set(schema.get("properties", {}))
    for below in [*schema.get("properties", {}).values(), schema.get("items")]:
        if isinstance(below, Mapping):
            found |= policy_fields(below)
    return found


def missing(words: Mapping[str, list[str]], glossary: str) -> list[str]:
    """Enums that the glossary does not name, and symbols that do not stand in the section that names their enum first."""
    sections = re.split(r"^#{2,3} ", glossary, flags=re.MULTILINE)
    found = []
    for name, symbols in words.items():
        named = next((section for section in sections if f"`{name}`" in section), None)
        if named is None:
            found.append(name)
        else:
            found += [f"{name}.{symbol}" for symbol in symbols if f"`{symbol}`" not in named]
    return found


def test_every_symbol_of_the_schemas_is_explained() -> None:
    words = enums(SCHEMAS)

    assert len(words) > 30 and "Quarantined" in words["HostUpgradeState"]
    assert missing(words, GLOSSARY.read_text()) == []


def test_every_field_of_a_policy_is_named() -> None:
    fields = policy_fields(json.loads(POLICY.read_text()))
    section = GLOSSARY.read_text().partition("## Policy fields")[2]

    assert {"maxUnavailable", "soak", "ladder"} <= fields
    assert sorted(field for field in fields if f"`{field}`" not in section) == []


def test_a_planted_missing_word_is_found(tmp_path: Path) -> None:
    (tmp_path / "Tide.pdl").write_text("namespace x\n\n/** High `Ebb`. */\nenum Tide {\n  /** Up. */\n  High\n  Low\n}\n")
    (tmp_path / "Wind.pdl").write_text("namespace x\n\nenum Wind {\n  Calm\n}\n")
    words = enums(tmp_path)

    assert words == {"Tide": ["High", "Low"], "Wind": ["Calm"]}
    assert missing(words, "## Sea\n\n`Tide`: `High`.\n\n## Other\n\n`Low`\n") == ["Tide.Low", "Wind"]
    assert missing(words, "## Sea\n\n`Tide`: `High`, `Low`. `Wind`: `Calm`.\n") == []
    assert policy_fields({"properties": {"a": {"items": {"properties": {"planted": {}}}}}}) == {"a", "planted"}
