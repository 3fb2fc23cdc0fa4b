"""Resources that the benchmarks of one run share: each is created once and closed at the end of the run."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.measurement import Scope


def test_a_shared_resource_is_created_once_and_closed_at_the_end() -> None:
    log: list[str] = []

    @contextmanager
    def stage() -> Iterator[int]:
        log.append("opened")
        yield len(log)
        log.append("closed")

    with ExitStack() as closing:
        scope = Scope(quick=True, folder=Path(), closing=closing)
        assert [scope.keep("one", stage), scope.keep("one", stage)] == [1, 1]
        assert log == ["opened"]
    assert log == ["opened", "closed"]
