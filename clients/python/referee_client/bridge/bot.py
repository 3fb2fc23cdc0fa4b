"""The bot that the referee meets: a program of lines for all matches, or one for each match and seat."""

import asyncio
from collections.abc import Callable

from referee_client.answers import Answer
from referee_client.bridge.player import Player
from referee_client.bridge.talk import ProgramGone
from referee_client.matches import End, Match
from referee_client.turn import Turn

Key = tuple[str, int]
FOR_ALL: Key = ("", 0)


class LineBot:
    """A bot of the library: `choose`, `started` and `ended`."""

    def __init__(self, new_player: Callable[[], Player], per_match: bool) -> None:
        self._new_player = new_player
        self._per_match = per_match
        self._players: dict[Key, Player] = {}

    async def choose(self, turn: Turn) -> Answer:
        return await self._player(turn.match_id, turn.seat).choose(turn)

    async def started(self, match: Match, seat: int) -> None:
        try:
            await self._player(match.id, seat).started(match, seat)
        except ProgramGone:
            """Its first turn will show it."""

    async def ended(self, end: End) -> None:
        await self._player(end.match_id, end.seat).ended(end)
        if self._per_match:
            await self._players.pop((end.match_id, end.seat)).end()

    async def end(self) -> None:
        """All programs."""
        players = list(self._players.values())
        self._players.clear()
        await asyncio.gather(*(player.end() for player in players))

    def _player(self, match_id: str, seat: int) -> Player:
        key = (match_id, seat) if self._per_match else FOR_ALL
        if key not in self._players:
            self._players[key] = self._new_player()
        return self._players[key]
