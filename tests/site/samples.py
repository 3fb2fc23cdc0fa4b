"""Matches and entries as the referee streams them, and a visitor who reads the events of a page."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp
from referee_api.v1 import clock_pb2, entry_pb2, game_pb2, match_pb2, result_pb2

from engines.api import SPECTATOR
from engines.registry import games

MATCH_ID = "0123456789abcdef01234567"
ALQUERQUE = games()["alquerque"]
BEGAN_S = 1_800_000_000

HOSTILE = "<script>alert(1)</script>\"'&" + "\u202e\u2066" + "x" * 150
"""A text that breaks out of markup, turns the direction of writing, and is too long for a line."""


def match(*bots: str, title: str = "", game: str = "alquerque") -> match_pb2.Match:
    names = bots or ("anna", "bert")
    table = games()[game].table(games()[game].settings())
    return match_pb2.Match(
        id=MATCH_ID,
        title=title,
        phase=match_pb2.MATCH_PHASE_PLAYING,
        terms=match_pb2.MatchTerms(rules=game_pb2.Rules(game=game)),
        seats=[match_pb2.Seat(bot=bot) for bot in names],
        seat_layout=game_pb2.SeatLayout(
            seat_names=table.seats, sides=[game_pb2.Side(seats=side) for side in table.sides]
        ),
    )


class Story:
    """Writes the entries of a match of Alquerque, in which always the first legal move is played."""

    def __init__(self, *bots: str) -> None:
        self.bots = bots or ("anna", "bert")
        self.position = ALQUERQUE.start(ALQUERQUE.settings(), b"")
        self.ply = 0
        self.entries: list[entry_pb2.Entry] = []

    @classmethod
    def started(cls) -> "Story":
        story = cls()
        story.start()
        return story

    def add(self, **event: object) -> entry_pb2.Entry:
        """Add an entry with an event; without one it is hidden from the viewer."""
        number = len(self.entries) + 1
        time = Timestamp(seconds=BEGAN_S + number, nanos=5_000_000)
        self.entries.append(entry_pb2.Entry(number=number, create_time=time, **event))  # type: ignore[arg-type]
        return self.entries[-1]

    def start(self) -> entry_pb2.Entry:
        seats = [match_pb2.Seat(bot=bot, version="1") for bot in self.bots]
        return self.add(play_started=entry_pb2.PlayStarted(seats=seats, state=self.state()))

    def move(self, source: entry_pb2.MoveSource.ValueType = entry_pb2.MOVE_SOURCE_BOT) -> entry_pb2.Entry:
        seat = self.position.owing[0]
        move = self.position.moves(seat)[0]
        self.position = self.position.play(seat, move)
        self.ply += 1
        played = entry_pb2.MovePlayed(
            played=game_pb2.SeatMove(seat=seat, move=move),
            source=source,
            clock_charge=clock_pb2.ClockCharge(charged_us=1_500_000),
            state=self.state(),
        )
        return self.add(move_played=played)

    def end(self, result: result_pb2.Result | None = None) -> entry_pb2.Entry:
        return self.add(play_ended=entry_pb2.PlayEnded(result=result or won()))

    def state(self) -> match_pb2.MatchState:
        clocks = [
            clock_pb2.Clock(
                seat=seat, running=seat in self.position.owing, time_left_us=60_000_000 - 1_500_000 * self.ply
            )
            for seat in range(2)
        ]
        return match_pb2.MatchState(
            ply=self.ply,
            view_json=json.dumps(self.position.view(SPECTATOR)),
            seats_to_move=self.position.owing,
            clocks=clocks,
        )


def won(ranks: Sequence[int] = (1, 2), **kind: object) -> result_pb2.Result:
    kinds = kind or {"played": result_pb2.PlayedResult(ending=result_pb2.ENDING_RULES, reason="no_men")}
    return result_pb2.Result(
        seats=[result_pb2.SeatResult(seat=seat, rank=rank) for seat, rank in enumerate(ranks)],
        sides=[result_pb2.SideResult(rank=rank) for rank in ranks],
        **kinds,  # type: ignore[arg-type]
    )


def entries(moves: int, *, over: bool = False) -> list[entry_pb2.Entry]:
    """Return the entries of a match after so many moves."""
    story = Story()
    story.add(match_created=match())
    story.start()
    for _ in range(moves):
        story.move()
    if over:
        story.end()
    return story.entries


class EventReader:
    """Reads events until there are no more, or it leaves."""

    def __init__(self, events: AsyncIterator[bytes]) -> None:
        self.received: list[bytes] = []
        self.task = asyncio.create_task(self._read(events))

    async def _read(self, events: AsyncIterator[bytes]) -> None:
        async for event in events:
            self.received.append(event)

    async def leave(self) -> None:
        self.task.cancel()
        await asyncio.wait([self.task])

    @property
    def data(self) -> list[Any]:
        return [json.loads(event.decode().split("\ndata: ")[1]) for event in self.received]

    @property
    def ids(self) -> list[str]:
        return [event.decode().removeprefix("id: ").split("\n")[0] for event in self.received]

    @property
    def numbers(self) -> list[list[int]]:
        """Numbers of the entries of a match in each event."""
        return [[frame["number"] for frame in data["frames"]] for data in self.data]
