"""An event loop whose time passes at once whenever all tasks wait for it."""

import asyncio
import functools
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
R = TypeVar("R")

MAX_TIME_S = 3_600.0
"""A test that waits for more than this time waits in vain."""


class _SkippingSelector(selectors.SelectSelector):
    def __init__(self, skip: Callable[[float], None]) -> None:
        super().__init__()
        self._skip = skip

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        assert timeout is not None, "all tasks wait for something that never happens"
        self._skip(timeout)
        return super().select(0)


class FastLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._now_s = 0.0
        super().__init__(_SkippingSelector(self._skip))

    def time(self) -> float:
        return self._now_s

    def _skip(self, seconds: float) -> None:
        self._now_s += max(0.0, seconds)
        assert self._now_s < MAX_TIME_S, "all tasks wait for something that does not happen"


def in_fast_time(test: Coroutine[Any, Any, R]) -> R:
    with asyncio.Runner(loop_factory=FastLoop) as runner:
        return runner.run(test)


def in_fast_loop(test: Callable[Arguments, Coroutine[Any, Any, None]]) -> Callable[Arguments, None]:
    """Run an async test in a loop of its own; tasks that it leaves behind are cancelled."""

    @functools.wraps(test)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        in_fast_time(test(*args, **kwargs))

    return run
