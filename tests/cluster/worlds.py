"""Async tests that are given a world of their own, which is opened before the test and closed after it."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import update_wrapper
from inspect import Parameter, Signature, signature
from typing import Any

from tests.live.runner_harness import in_loop


def in_world(
    open_world: Callable[..., AbstractAsyncContextManager[Any]],
) -> Callable[[Callable[..., Awaitable[None]]], Callable[..., None]]:
    """Return a decorator that runs a test with what `open_world` yields, or with each element if that is a tuple.

    Keyword-only parameters without a default, of the test and of `open_world`, are fixtures or values of `parametrize`.
    """

    def decorate(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
        of_test, of_world = fixtures_of(test), fixtures_of(open_world)

        def run(**fixtures: Any) -> None:
            async def with_world() -> None:
                async with open_world(**{name: fixtures[name] for name in of_world}) as world:
                    arguments = world if isinstance(world, tuple) else (world,)
                    await test(*arguments, **{name: fixtures[name] for name in of_test})

            in_loop(with_world)()

        update_wrapper(run, test)
        run.__signature__ = Signature(list((of_world | of_test).values()))  # type: ignore[attr-defined]  # For pytest.
        return run

    return decorate


def fixtures_of(function: Callable[..., Any]) -> dict[str, Parameter]:
    parameters = signature(function).parameters.values()
    return {each.name: each for each in parameters if each.kind is each.KEYWORD_ONLY and each.default is each.empty}
