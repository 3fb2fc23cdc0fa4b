"""Making matches, and taking seats in them.

A match is named after who made it and the request that asked for it, so that the log itself refuses to
hold the same request twice; also after a restart, and whoever asks.
"""

import hashlib
from base64 import b32encode
from collections.abc import Callable
from dataclasses import dataclass

from engines.api import Seat
from referee.app.asked import UnknownMatch
from referee.app.floor import Floor
from referee.app.ports import Conflict
from referee.app.runner import MatchRunner
from referee.app.story import Standing
from referee.app.wish import MAKER, PAIRING, REQUEST_ID, Limits, MatchWish
from referee.app.worker_pool import Run, run_here
from referee.core.commands import TakeSeat
from referee.core.errors import MatchOver, NotAllowedNow, RequestIdReused, SeatHeld
from referee.core.match import Match
from referee.core.setup import Player, Setup


@dataclass(frozen=True, slots=True)
class Created:
    standing: Standing
    again: bool
    """This very request had made it before."""


def match_id_of(maker: str, request_id: str) -> str:
    """What the match is called, or would be, that this request has made."""
    said = f"{maker}\0{request_id}"
    return "m" + b32encode(hashlib.sha256(said.encode()).digest()).decode().lower()[:25]


class Maker:
    def __init__(
        self,
        floor: Floor,
        limits: Limits,
        mint_id: Callable[[], str],
        draw_seed: Callable[[], bytes],
        run: Run = run_here,
    ) -> None:
        self._floor = floor
        self._limits = limits
        self._mint_id = mint_id
        self._draw_seed = draw_seed
        self._run = run

    async def create(self, wish: MatchWish) -> Created:
        """Raises a refusal of its terms, RequestIdReused, TooManyWaiting, TooExpensive or LogUnavailable."""
        match_id = self._name(wish)
        setup = await self._setup(wish, match_id, wish.seed or self._draw_seed())
        try:
            runner = await MatchRunner.open(setup, self._floor.find_game(setup.game), self._floor.desk)
        except Conflict:
            return await self._created_before(wish, match_id)
        board = self._floor.boards.find(match_id)
        assert board
        self._floor.seat(board, runner)
        return Created(board.story.standing, again=False)

    async def created_before(self, wish: MatchWish) -> Created | None:
        """What this very request has made; None: nothing. Raises RequestIdReused, or LogUnavailable."""
        try:
            return await self._created_before(wish, self._name(wish))
        except UnknownMatch:
            return None

    async def join(self, match_id: str, seat: Seat | None, player: Player) -> Seat:
        """Take that seat; None: the one that the bot holds, or the first that is open.

        Raises SeatHeld, NoSuchSeat, MatchOver, UnknownMatch or LogUnavailable.
        """
        while True:
            match = (await self._floor.archive.story(match_id)).match
            if match.result:
                raise MatchOver(str(match.result))
            wanted = _seat_for(match, player) if seat is None else seat
            if _sits_there(match, wanted, player):
                return wanted
            runner = await self._floor.runner(match_id)
            try:
                await runner.submit(TakeSeat(wanted, player))
            except NotAllowedNow:  # Play has begun, so no seat is open.
                raise SeatHeld(wanted, runner.match.players[wanted].bot) from None
            except SeatHeld:
                if seat is not None:
                    raise
            else:
                return wanted

    def _name(self, wish: MatchWish) -> str:
        request_id = wish.labels.get(REQUEST_ID)
        if not request_id:
            return self._mint_id()
        return match_id_of(wish.labels.get(MAKER, ""), request_id)

    async def _setup(self, wish: MatchWish, match_id: str, seed: bytes) -> Setup:
        """The terms; off the event loop if there is an opening to be played. Raises what `MatchWish.setup` raises."""
        # Options and a position cost little within `field_limits`, which `test_making_cost` holds: the largest
        # `own_board` of Troke 8 ms of CPU, every other option of any game 1 ms, every position 2 ms.
        if not wish.opening.moves:
            return wish.setup(match_id, seed, self._floor.games, self._limits)
        game = self._floor.find_game(wish.game)
        holder = "" if PAIRING in wish.labels else wish.labels.get(MAKER, "")  # Those of contests wait for one another.
        return await self._run(MatchWish.setup, wish, match_id, seed, {game.name: game}, self._limits, holder=holder)

    async def _created_before(self, wish: MatchWish, match_id: str) -> Created:
        standing = (await self._floor.archive.story(match_id)).standing
        setup = standing.match.setup
        if await self._setup(wish, match_id, wish.seed or setup.seed) != setup:
            raise RequestIdReused(wish.labels[REQUEST_ID])
        return Created(standing, again=True)


def _sits_there(match: Match, seat: Seat, player: Player) -> bool:
    if not 0 <= seat < len(match.players):
        return False
    held = match.players[seat]
    return bool(held.bot) and held.bot == player.bot and player.version in ("", held.version)


def _seat_for(match: Match, player: Player) -> Seat:
    seats = range(len(match.players))
    mine = next((seat for seat in seats if _sits_there(match, seat, player)), None)
    free = next((seat for seat in seats if not match.players[seat].bot), None)
    wanted = free if mine is None else mine
    if wanted is None:
        raise SeatHeld(0, match.players[0].bot)
    return wanted
