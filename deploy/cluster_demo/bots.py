"""Bots in one process, each of which connects to the next node when its session has ended.

    python -m deploy.cluster_demo.bots FIRST < INPUT

The input is one line of JSON, `{"addresses": [...], "tokens": {bot: token}}`; the bots play until the input ends. The
first bot connects to the address with the index FIRST, the second one to the one after it, and so on. Each
accepted move is written to standard output as one line of JSON.
"""

import asyncio
import json
import logging
import random
import sys
from collections.abc import Sequence

from referee_api.v1 import play_pb2
from referee_client import Answer, Turn
from referee_client.address import Address
from referee_client.backoff import Backoff
from referee_client.bot import Players
from referee_client.bots import greedy
from referee_client.runners import SeatRunner
from referee_client.seats import Seats
from referee_client.session import Session, SessionOptions

THINK_S = 0.1
MAX_MATCHES = 2


async def choose_at_random(turn: Turn) -> Answer:
    await asyncio.sleep(THINK_S)
    return random.choice(turn.legal_moves)


async def choose_greedily(turn: Turn) -> Answer:
    await asyncio.sleep(THINK_S)
    return await asyncio.to_thread(greedy.choose, turn)


class ReportingSeats(Seats):
    """Reports each move that the referee has accepted."""

    def __init__(self, bot: str) -> None:
        choose = choose_greedily if bot.startswith("greedy") else choose_at_random
        super().__init__(SeatRunner(Players(choose)))
        self.node = 0
        """Index of the node to which the bot is connected."""

    def on_verdict(self, verdict: play_pb2.Verdict) -> None:
        if verdict.HasField("accepted"):
            for seat in self._seats.values():
                if seat.open_turn and seat.open_turn.answer and seat.open_turn.matches(verdict):
                    move = seat.open_turn.answer.move.move
                    report(node=self.node, match=verdict.match_id, token=verdict.turn_token, move=move)
        super().on_verdict(verdict)


def report(**fields: object) -> None:
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


async def play(bot: str, token: str, addresses: Sequence[str], first: int) -> None:
    """Play until cancelled."""
    seats, options, backoff = ReportingSeats(bot), SessionOptions(max_matches=MAX_MATCHES), Backoff()
    place = first
    while True:
        seats.node = place % len(addresses)
        session = Session(options, seats, backoff)
        await asyncio.sleep(await session.run(Address(addresses[seats.node], token)))
        options = session.options
        place += 1


async def main(first: int) -> None:
    logging.basicConfig(format="%(asctime)s %(message)s")
    logging.getLogger("referee_client").setLevel(logging.INFO)
    given = json.loads(sys.stdin.readline())
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(play(bot, token, given["addresses"], first + place))
            for place, (bot, token) in enumerate(given["tokens"].items())
        ]
        await asyncio.to_thread(sys.stdin.read)
        for task in tasks:
            task.cancel()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
