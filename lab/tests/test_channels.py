"""Package channels are the same bytes whenever they are built."""

from pathlib import Path

import pytest

from drydock_lab.packages import build_channels, channels

pytestmark = pytest.mark.lab


def test_another_build_is_equal_byte_for_byte_and_complete(tmp_path: Path) -> None:
    build_channels(tmp_path)
    first, second = ({path.relative_to(tree): path for path in tree.rglob("*") if path.is_file()} for tree in (channels(), tmp_path))
    assert first.keys() == second.keys()
    assert [str(name) for name in first if first[name].read_bytes() != second[name].read_bytes()] == []
    folders = {str(name.parent) for name in first if name.suffix in (".deb", ".rpm")}
    assert folders == {f"{family}/{name}" for family in ("apt", "dnf") for name in ("v1", "v2", "v2-unresolvable", "v2-removal")}
