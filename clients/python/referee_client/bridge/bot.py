"""Bot that forwards turns to programs: one program for all matches, or one for each match and seat.

A program that never writes anything probably cannot run on this machine, rather than playing badly. Therefore the bot
does not resign for it; the bridge stops with an error for the person who installed it.
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
    """A bot for the library, with `choose`, `started` and `ended`."""

    def __init__(self, new_player: Callable[[], Player], per_match: bool) -> None:
        self._new_player = new_player
        self._per_match = per_match
        self._players: dict[Key, Player] = {}
        self._rehearsed: Player | None = None
        """The player that was started by `rehearse` and has not played yet."""
        self._heard = False
        """Whether a program that is no longer among the players has ever written anything."""
        self.mute: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """Set to the last words of a program when it has ended and no program has ever written anything."""

    async def rehearse(self) -> None:
        """Start a program before the bot connects. Raises ProgramGone if it ends immediately."""
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
            """Its first turn will report the error."""

    async def ended(self, end: End) -> None:
        await self._player(end.match_id, end.seat).ended(end)
        if self._per_match:
            player = self._players.pop((end.match_id, end.seat))
            self._heard = self._heard or player.heard
            await player.end()

    async def end(self) -> None:
        """End all programs."""
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
        """Report the program as mute, and answer nothing more."""
        words = await player.last_words()
        if not self.mute.done():
            self.mute.set_result(words)
        await asyncio.Event().wait()
