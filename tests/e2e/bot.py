"""Bot process that prints a line at its first turn and never moves: `python -m tests.e2e.bot ADDRESS SECRET`."""

import sys

import grpc

from tests.e2e.bot_connection import BotConnection

if __name__ == "__main__":
    _, address, secret = sys.argv
    with grpc.insecure_channel(address) as channel:
        connection = BotConnection(channel, secret)
        connection.receive("turn")
        print("turn", flush=True)  # noqa: T201  # The test reads it from standard output.
        connection.receive("match_ended")
