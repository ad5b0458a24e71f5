"""Every link between our pages leads somewhere, and so does every page that code or a message names."""

import re
import subprocess
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parents[3]
LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\s*\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
HEADING = re.compile(r"^#{1,6} +(.+?) *#* *$", re.MULTILINE)
ANCHOR = re.compile(r'<a +(?:id|name)="([^"]+)"')
FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1`*~*\s*$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"(?<![\w/.])docs/[\w./-]+\.md(?:#[\w-]+)?")
ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)
SOURCES = (".java", ".py", ".ts", ".tsx", ".mjs", ".yaml", ".yml", ".pdl", ".xml", ".json", ".sql", ".txt", "Makefile")


def tracked() -> list[Path]:
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    return [path for name in names.split("\0") if name and (path := ROOT / name).is_file()]


def anchors(page: str) -> set[str]:
    """The names of a page's headings, as GitHub makes them, and of its own anchors."""
    text = FENCE.sub("", page)
    seen: Counter[str] = Counter()
    found = set(ANCHOR.findall(text))
    for heading in HEADING.findall(text):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", words.lower()).strip().replace(" ", "-")
        found.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return found


def links(page: str) -> list[str]:
    text = re.sub(r"`[^`\n]*`", "", FENCE.sub("", page))
    return [first or second for first, second in LINK.findall(text)]


def dead(page: Path, targets: Iterable[str], base: Path) -> list[str]:
    """Of these targets those that lead nowhere, seen from the folder ``base``."""
    found = []
    for target in targets:
        name, _, anchor = unquote(target).partition("#")
        there = page if not name else (base / name).resolve()
        if not there.exists():
            found.append(f"{page}: {target}: there is no such file")
        elif anchor and there.suffix == ".md" and anchor not in anchors(there.read_text()):
            found.append(f"{page}: {target}: no heading of {there.name} has this name")
    return found


def dead_links(page: Path) -> list[str]:
    return dead(page, [link for link in links(page.read_text()) if not ELSEWHERE.match(link)], page.parent)


def test_every_link_of_a_page_leads_somewhere() -> None:
    pages = [path for path in tracked() if path.suffix == ".md"]

    assert len(pages) > 50
    assert [link for page in pages for link in dead_links(page)] == []


def test_every_page_that_code_or_a_message_names_is_there() -> None:
    sources = [path for path in tracked() if path.name.endswith(SOURCES) and path != Path(__file__)]
    named = {path: NAMED.findall(path.read_text(errors="replace")) for path in sources}

    assert sum(map(len, named.values())) > 5
    assert [missing for path, names in named.items() for missing in dead(path, names, ROOT)] == []


def test_a_planted_dead_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# Other page\n\n## What it *says*: `all`\n\n## Twice\n\n## Twice\n\n```\n# no heading\n```\n")
    page = tmp_path / "page.md"
    page.write_text(
        "# Page\n\n[a](other.md) [b](other.md#what-it-says-all) [c](#page) [d](https://example.org/none) [e](other.md#twice-1)\n\n"
        "`[code](none.md)`\n\n```\n[code](none.md)\n```\n\n[f](gone.md) [g](other.md#no-heading) [h](#nothing)\n\n[i]: gone-too.md\n"
    )

    assert [line.split(": ")[1] for line in dead_links(page)] == ["gone.md", "other.md#no-heading", "#nothing", "gone-too.md"]


def test_a_planted_dead_name_in_code_is_found() -> None:
    names = NAMED.findall('throw new Full("see docs/architecture.md#invariants and docs/gone.md"); // lab/docs/other.md')

    assert [line.split(": ")[1] for line in dead(Path("Planted.java"), names, ROOT)] == ["docs/gone.md"]
