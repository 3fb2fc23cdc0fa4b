"""Matches: what was agreed, who sits where, and how they stand."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from referee_api.v1 import chance_pb2, game_pb2, match_pb2

from engines.api import REFEREE, Game, Viewer
from engines.options import Settings
from referee.app.story import Standing
from referee.app.turns import SeatClock
from referee.app.wish import LADDER, PAIRING, TITLE, TOURNAMENT
from referee.core.match import Match, Phase
from referee.core.setup import Player, Setup
from referee.transport.convert.clocks import clock_of
from referee.transport.convert.controls import time_control_of
from referee.transport.convert.policies import policies_of, visibility_of
from referee.transport.convert.ratings import changes_of
from referee.transport.convert.results import maybe_result
from referee.transport.convert.rules import json_text, rules_of, table_of
from referee.transport.convert.times import maybe_timestamp, ms_down, timestamp

OPENINGS_KEPT = 256
"""They are read again for every match that is listed."""

Present = Callable[[Player], bool]
"""Can some session play this player's seats?"""


@dataclass(frozen=True, slots=True)
class Aside:
    """What is known of a match besides itself."""

    present: Present
    sealed: Callable[[Match], bool] = lambda _: False
    """Must what it would tell of others stay hidden, though it may be over?"""

    def open(self, match: Match) -> bool:
        """Nothing of it is a secret any more."""
        return match.phase is Phase.OVER and not self.sealed(match)


PHASES = {
    match_pb2.PHASE_WAITING: Phase.WAITING,
    match_pb2.PHASE_PLAYING: Phase.PLAYING,
    match_pb2.PHASE_OVER: Phase.OVER,
}
_PHASES = {ours: theirs for theirs, ours in PHASES.items()}


def match_of(standing: Standing, aside: Aside, viewer: Viewer) -> match_pb2.Match:
    """The match as a whole, as the viewer may see it."""
    match = standing.match
    labels = dict(match.setup.labels)
    return match_pb2.Match(
        id=match.setup.match_id,
        terms=terms_of(match.setup),
        table=table_of(match.table),
        seats=seats_of(match.players, aside.present),
        opening=_opening_of(match, REFEREE if aside.open(match) else viewer),
        title=labels.get(TITLE, ""),
        ladder=labels.get(LADDER, ""),
        tournament=labels.get(TOURNAMENT, ""),
        pairing_id=labels.get(PAIRING, ""),
        phase=_PHASES[match.phase],
        chance=chance_of(match, aside),
        result=maybe_result(match.result, match.setup.match_id),
        created_at=timestamp(standing.opened_ms),
        started_at=maybe_timestamp(standing.started_ms),
        ended_at=maybe_timestamp(standing.ended_ms),
        ratings=changes_of(match.ratings),
    )


def terms_of(setup: Setup) -> match_pb2.MatchTerms:
    return match_pb2.MatchTerms(
        rules=rules_of(setup.game, setup.game_version, setup.settings),
        time_control=time_control_of(setup.controls, setup.credit),
        policies=policies_of(setup.policies),
        visibility=visibility_of(setup.visibility),
        start_within_ms=ms_down(setup.start_within_us),
        seats_by_lot=setup.by_lot,
        nonce_within_ms=ms_down(setup.nonce_within_us),
    )


def seats_of(players: Sequence[Player], present: Present) -> list[match_pb2.Seat]:
    return [
        match_pb2.Seat(bot=player.bot, version=player.version, present=bool(player.bot) and present(player))
        for player in players
    ]


def chance_of(match: Match, aside: Aside) -> chance_pb2.Chance:
    """What has been told of the seed: all of it, once nothing is a secret any more."""
    revealed = aside.open(match)
    nonces = [
        chance_pb2.SeatNonce(seat=seat, nonce=nonce or b"")
        for seat, nonce in enumerate(match.nonces)
        if match.setup.nonce_within_us and match.phase is not Phase.WAITING
    ]
    return chance_pb2.Chance(
        commitment=match.setup.commitment,
        nonces=nonces,
        seed=match.setup.seed if revealed else b"",
        seed_was_given=match.setup.seed_given,
    )


def state_of(
    match: Match, viewer: Viewer, clocks: Sequence[SeatClock], with_view: bool = False
) -> match_pb2.MatchState:
    """How it stands, as the viewer may see it."""
    position = match.position
    return match_pb2.MatchState(
        number=match.number,
        ply=match.ply,
        position=position.text(viewer) if position else "",
        view_json=json_text(position.view(viewer)) if position and with_view else "",
        owing=[turn.seat for turn in match.owing],
        clocks=map(clock_of, clocks) if position else (),
        draw_offers=sorted(match.offers),
        dropped_out=sorted(match.out),
    )


def _opening_of(match: Match, viewer: Viewer) -> game_pb2.Opening | None:
    setup = match.setup
    if not setup.opening:
        return None
    return game_pb2.Opening(position=_position_seen(match.game, setup.opening, setup.settings, viewer))


@lru_cache(OPENINGS_KEPT)
def _position_seen(game: Game, position: str, settings: Settings, viewer: Viewer) -> str:
    return game.read(position, settings).text(viewer)
