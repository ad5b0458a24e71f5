"""The checks of `make lint` and of the Java compiler can say no: each is given a planted mistake, under the settings of this checkout."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from drydock_stack import prose, toolchain

pytestmark = pytest.mark.gates

ROOT = Path(__file__).resolve().parents[3]
POM = """
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <parent><groupId>dev.drydock</groupId><artifactId>drydock</artifactId><version>0.1.0-SNAPSHOT</version><relativePath>{}</relativePath></parent>
  <artifactId>planted</artifactId>
</project>
"""
PLANTED = """package planted;

import org.jspecify.annotations.NullMarked;

@NullMarked
final class Planted {
  private Planted() {}

  static String answer(String given) {
    given = null;
    new IllegalStateException(given);
    return given;
  }
}
"""


PROSE = {
    "Whoever": "It is granted to whoever asks first.",
    "OfWhich": "A batch of which one host failed waits.",
    "WhatIsThere": "The adapter reports what is there.",
    "Filler": "You simply start it.",
    "LongSentence": f"The host {'is drained and ' * 12}comes back.",
}


def run(*command: str, **variables: str) -> tuple[int, str]:
    environment = {**os.environ, **variables}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout + done.stderr


def in_python(source: str, folder: Path, *check: str) -> tuple[int, str]:
    (folder / "planted.py").write_text(source)
    return run(sys.executable, "-m", *check, str(folder / "planted.py"))


def test_mypy_refuses_a_wrong_type_and_a_missing_one(tmp_path: Path) -> None:
    mypy = ("mypy", "--config-file", str(ROOT / "mypy.ini"), "--cache-dir", str(tmp_path / "cache"))
    code, output = in_python('"""Planted."""\n\n\ndef answer(given):\n    return given\n\n\nNUMBER: int = "one"\n', tmp_path, *mypy)

    assert code == 1, output
    assert "[no-untyped-def]" in output and "[assignment]" in output


def test_ruff_refuses_a_shell_and_another_style(tmp_path: Path) -> None:
    source = '"""Planted."""\n\nimport os\n\nos.system(\'true\')\n'
    code, output = in_python(source, tmp_path, "ruff", "check", "--no-cache", "--config", str(ROOT / "ruff.toml"))
    assert code == 1 and "S605" in output, output

    code, output = in_python(source, tmp_path, "ruff", "format", "--check", "--no-cache", "--config", str(ROOT / "ruff.toml"))
    assert code == 1 and "would be reformatted" in output, output


def test_the_compiler_refuses_a_null_and_a_bug_pattern(tmp_path: Path) -> None:
    (tmp_path / "pom.xml").write_text(POM.format(os.path.relpath(ROOT / "pom.xml", tmp_path)))
    source = tmp_path / "src" / "main" / "java" / "planted" / "Planted.java"
    source.parent.mkdir(parents=True)
    source.write_text(PLANTED)
    maven = (toolchain.maven(), "-B", "-ntp", "-q", "-f", str(tmp_path / "pom.xml"), "compile")
    # MAVEN_BASEDIR is where .mvn lies with what the compiler needs.
    code, output = run(*maven, **toolchain.java_environment(), MAVEN_BASEDIR=str(ROOT))

    assert code == 1, output
    assert "[NullAway]" in output and "[DeadException]" in output, output


@pytest.mark.parametrize("rule", PROSE)
def test_vale_refuses_a_sentence_against_each_rule(tmp_path: Path, rule: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n\nThe host is drained. {PROSE[rule]}\n")
    code, output = prose.read(ROOT, [page])

    assert code == 1, output
    assert [line.split(":")[3] for line in output.splitlines()] == [f"Drydock.{rule}"], output


def test_vale_has_no_rule_without_a_planted_sentence() -> None:
    assert set(PROSE) == {rule.stem for rule in (ROOT / "tools" / "vale" / "styles" / "Drydock").glob("*.yml")}


def test_vale_takes_plain_sentences_and_does_not_read_code(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Page\n\nThe host is drained: `simply`.\n\n```\nwhoever, of which, what is there\n```\n")

    assert prose.read(ROOT, [page]) == (0, "")


def test_vale_reads_what_people_wrote_for_people() -> None:
    pages = {str(page.relative_to(ROOT)) for page in prose.pages(ROOT)}

    assert {"README.md", "cli/README.md", "docs/architecture.md"} <= pages
    assert not {page for page in pages if page.startswith("docs/adr/") or page == "docs/exits.md" or "node_modules" in page}
