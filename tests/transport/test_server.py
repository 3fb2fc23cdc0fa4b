"""Options of the gRPC server."""

import asyncio

import grpc

from referee.transport.server import MAX_INT32, ServerLimits


def test_the_largest_settings_are_valid_options_of_grpc() -> None:
    most = ServerLimits(*[MAX_INT32] * 4).options()
    asyncio.run(start_and_stop(most))  # Raises OverflowError if one is.
    assert max(value for _, value in most) == MAX_INT32


async def start_and_stop(options: list[tuple[str, int]]) -> None:
    await grpc.aio.server(options=options).stop(None)
