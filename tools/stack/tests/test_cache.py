import multiprocessing
import os
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from drydock_stack import cache
from drydock_stack.failure import StackError

FORK = multiprocessing.get_context("fork")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def _build_slowly(together: Barrier, log: Path) -> None:
    def build(target: Path) -> None:
        with log.open("a") as stream:
            stream.write(f"{os.getpid()}\n")
        (target / "first").write_text("1")
        (target / "second").write_text("2")

    together.wait(30)
    folder = cache.obtain("tool-1-abc", build)
    assert sorted(path.name for path in folder.iterdir()) == ["first", "second"]


def test_of_two_builders_at_once_one_builds_and_both_get_the_whole(tmp_path: Path) -> None:
    together, log = FORK.Barrier(2), tmp_path / "log"
    builders = [FORK.Process(target=_build_slowly, args=(together, log)) for _ in range(2)]
    for builder in builders:
        builder.start()
    for builder in builders:
        builder.join(60)

    assert [builder.exitcode for builder in builders] == [0, 0]
    assert len(log.read_text().splitlines()) == 1


def test_a_build_that_fails_leaves_nothing_under_the_name(tmp_path: Path) -> None:
    def fail(target: Path) -> None:
        (target / "half").write_text("")
        raise StackError("no")

    with pytest.raises(StackError):
        cache.obtain("tool-1-abc", fail)

    assert not (cache.folder() / "tool-1-abc").exists()
    assert cache.obtain("tool-1-abc", lambda target: (target / "whole").touch()).joinpath("whole").exists()
    assert list(cache.folder().glob(".tool-1-abc.*")) == [], "what the failed builder left was not removed"


def test_a_build_in_its_final_place_that_was_killed_is_built_again() -> None:
    half = cache.folder() / "venv-1"
    half.mkdir(parents=True)
    (half / "half").touch()

    whole = cache.obtain("venv-1", lambda target: (target / "whole").touch(), final_path=True)

    assert not (whole / "half").exists()
    assert (whole / "whole").exists()


def test_waiting_for_a_lock_has_an_end(tmp_path: Path) -> None:
    with (
        cache.locked(tmp_path / "lock", "nobody"),
        pytest.raises(StackError, match="the other one"),
        cache.locked(tmp_path / "lock", "the other one", seconds=0.2),
    ):
        pass


def test_the_digest_tells_parts_apart() -> None:
    assert cache.digest("ab", "c") != cache.digest("a", "bc")
