"""An entry of the build cache is complete or absent."""

import threading
from pathlib import Path

import pytest

from drydock_lab import cache, processes


@pytest.fixture(autouse=True)
def cache_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "drydock"


def test_an_entry_is_built_once_even_by_two_at_a_time() -> None:
    built: list[Path] = []
    began = threading.Event()

    def build(folder: Path) -> None:
        began.set()
        built.append(folder)
        (folder / "file").write_text("x")

    threads = [threading.Thread(target=cache.entry, args=("thing-1", build)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(built) == 1
    assert (cache.entry("thing-1", build) / "file").read_text() == "x"
    assert len(built) == 1


def test_a_failed_build_leaves_nothing(cache_home: Path) -> None:
    def build(folder: Path) -> None:
        (folder / "half").write_text("x")
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        cache.entry("thing-2", build)
    assert [path.name for path in cache_home.iterdir()] == [".thing-2.lock"]


def test_what_a_killed_build_left_is_removed(cache_home: Path) -> None:
    (cache_home / ".thing-3.build-dead" / "half").mkdir(parents=True)
    cache.entry("thing-3", lambda folder: (folder / "whole").touch())
    assert sorted(path.name for path in cache_home.iterdir()) == [".thing-3.lock", "thing-3"]


def test_a_pid_file_names_only_the_process_that_wrote_it(tmp_path: Path) -> None:
    path = tmp_path / "x.pid"
    processes.write_pid_file(path, 1)
    assert processes.living(path) == 1
    path.write_text(path.read_text().replace('"start_ticks": ', '"start_ticks": 9'))
    assert processes.living(path) is None, "a reused pid is a stranger"
    path.write_text("garbage")
    assert processes.living(path) is None
