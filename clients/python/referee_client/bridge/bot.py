"""The bot that the referee meets: a program of lines for all matches, or one for each match and seat.

A program that never writes anything has no part in its matches: it is not that it plays badly, but that it cannot run
where it is. The bot does not resign for it; whoever has installed it is told.
"""

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
        self._rehearsed: Player | None = None
        """Has not played yet."""
        self._heard = False
        """Some program has written something, that is not among the players any more."""
        self.mute: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """Done when all is in vain, for no program ever wrote anything: the last words of the last."""

    async def rehearse(self) -> None:
        """Start a program before anybody counts on it. Raises ProgramGone if it is gone at once."""
        self._rehearsed = self._new_player()
        await self._rehearsed.rehearse()

    async def choose(self, turn: Turn) -> Answer:
        player = self._player(turn.match_id, turn.seat)
        try:
            return await player.choose(turn)
        except ProgramGone:
            if not self._has_heard:
                await self._give_up(player)
            raise

    async def started(self, match: Match, seat: int) -> None:
        try:
            await self._player(match.id, seat).started(match, seat)
        except ProgramGone:
            """Its first turn will show it."""

    async def ended(self, end: End) -> None:
        await self._player(end.match_id, end.seat).ended(end)
        if self._per_match:
            player = self._players.pop((end.match_id, end.seat))
            self._heard = self._heard or player.heard
            await player.end()

    async def end(self) -> None:
        """All programs."""
        players = [*self._players.values(), *([self._rehearsed] if self._rehearsed else [])]
        self._players.clear()
        await asyncio.gather(*(player.end() for player in players))

    def _player(self, match_id: str, seat: int) -> Player:
        key = (match_id, seat) if self._per_match else FOR_ALL
        if key not in self._players:
            self._players[key] = self._rehearsed or self._new_player()
            self._rehearsed = None
        return self._players[key]

    @property
    def _has_heard(self) -> bool:
        return self._heard or any(player.heard for player in self._players.values())

    async def _give_up(self, player: Player) -> None:
        """Nothing is answered any more."""
        words = await player.last_words()
        if not self.mute.done():
            self.mute.set_result(words)
        await asyncio.Event().wait()
