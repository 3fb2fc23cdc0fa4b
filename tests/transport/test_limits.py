"""What grpc is told to keep to."""

import asyncio

import grpc

from referee.transport.server import NUMBER_AT_MOST, Limits


def test_settings_at_their_largest_are_no_more_than_grpc_takes() -> None:
    most = Limits(*[NUMBER_AT_MOST] * 4).options()
    asyncio.run(made_with(most))  # Raises OverflowError if one is.
    assert max(value for _, value in most) == NUMBER_AT_MOST


async def made_with(options: list[tuple[str, int]]) -> None:
    await grpc.aio.server(options=options).stop(None)
