"""Bot that forwards turns to programs: one program for all matches, or one for each match and seat.

A program that never writes anything probably cannot run on this machine, rather than playing badly. Therefore the bot
does not resign for it; the bridge stops with an error for the person who installed it.
"""

import asyncio
from collections.abc import Callable

from referee_values import Match, MatchEnded

from referee_client.answers import Answer
from referee_client.bridge.player import Player
from referee_client.bridge.program_lines import ProgramUnavailable
from referee_client.turn import Turn

Key = tuple[str, int]
SHARED: Key = ("", 0)
"""Key of the player that plays all matches."""


class LineBot:
    """A bot for the library, with `choose`, `started` and `ended`."""

    def __init__(self, new_player: Callable[[], Player], per_match: bool) -> None:
        self._new_player = new_player
        self._per_match = per_match
        self._players: dict[Key, Player] = {}
        self._spare_player: Player | None = None
        """The player that was started by `check_start` and has not played yet."""
        self._had_output = False
        """Whether a program that is no longer among the players has ever written anything."""
        self.unusable: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """Describes how a program has ended; set only if no program has ever written anything."""

    async def check_start(self) -> None:
        """Start a program before the bot connects. Raises ProgramUnavailable if it ends immediately."""
        self._spare_player = self._new_player()
        await self._spare_player.check_start()

    async def choose(self, turn: Turn) -> Answer:
        player = self._player(turn.match_id, turn.seat)
        try:
            return await player.choose(turn)
        except ProgramUnavailable:
            if not self._has_output:
                await self._report_unusable(player)
            raise

    async def started(self, match: Match, seat: int) -> None:
        try:
            await self._player(match.id, seat).started(match, seat)
        except ProgramUnavailable:
            """Its first turn will report the error."""

    async def ended(self, end: MatchEnded) -> None:
        await self._player(end.match_id, end.seat).ended(end)
        if self._per_match:
            player = self._players.pop((end.match_id, end.seat))
            self._had_output = self._had_output or player.has_output
            await player.stop()

    async def stop(self) -> None:
        """End all programs."""
        players = [*self._players.values(), *([self._spare_player] if self._spare_player else [])]
        self._players.clear()
        await asyncio.gather(*(player.stop() for player in players))

    def _player(self, match_id: str, seat: int) -> Player:
        key = (match_id, seat) if self._per_match else SHARED
        if key not in self._players:
            self._players[key] = self._spare_player or self._new_player()
            self._spare_player = None
        return self._players[key]

    @property
    def _has_output(self) -> bool:
        return self._had_output or any(player.has_output for player in self._players.values())

    async def _report_unusable(self, player: Player) -> None:
        """Report the program as unusable, and never return, so that the bot does not answer the turn."""
        description = await player.describe_exit()
        if not self.unusable.done():
            self.unusable.set_result(description)
        await asyncio.Event().wait()
