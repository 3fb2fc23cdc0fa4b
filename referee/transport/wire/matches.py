"""Converts matches and turns to what one viewer may see of them.

A turn is written directly into the message that is about to be sent: copying one costs more than building it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from referee_api.conversion import enum_number
from referee_api.v1 import game_pb2, match_pb2, play_pb2, seed_pb2

from engines.api import REFEREE, Game, Viewer
from engines.options import Settings
from referee.live.match_history import MatchStatus
from referee.live.match_request import LADDER, PAIRING, TITLE, TOURNAMENT
from referee.live.sessions import TurnOptions
from referee.live.turns import SeatClock, TurnDue
from referee.match.setup import Player
from referee.match.state import Match, MatchPhase
from referee.transport.wire.basic_types import maybe_timestamp, ms_down, timestamp
from referee.transport.wire.clocks import clock_of, write_clock
from referee.transport.wire.results import changes_of, maybe_result
from referee.transport.wire.rules import json_text, seat_layout_of, turn_rules
from referee.transport.wire.terms import terms_of

OPENING_CACHE_SIZE = 256
"""Without a cache, the opening would be parsed again for every match of a list."""

Present = Callable[[Player], bool]
"""Returns whether a session is open that can play for this player."""


@dataclass(frozen=True, slots=True)
class MatchContext:
    """Facts that a match itself does not have: presence of bots, and secrecy of duplicate sets."""

    present: Present
    secret: Callable[[Match], bool] = lambda _: False
    """Returns whether the match must stay secret, even when it is over, because others have the same start."""

    def open(self, match: Match) -> bool:
        """Return whether all of the match may be shown to everybody."""
        return match.phase is MatchPhase.OVER and not self.secret(match)


def match_of(status: MatchStatus, match_context: MatchContext, viewer: Viewer) -> match_pb2.Match:
    """Convert a match to what the viewer may see of it."""
    match = status.match
    labels = dict(match.setup.labels)
    return match_pb2.Match(
        id=match.setup.match_id,
        terms=terms_of(match.terms, match.setup.game_version),
        seat_layout=seat_layout_of(match.table),
        seats=seats_of(match.players, match_context.present),
        opening=_opening_of(match, REFEREE if match_context.open(match) else viewer),
        title=labels.get(TITLE, ""),
        ladder=labels.get(LADDER, ""),
        tournament=labels.get(TOURNAMENT, ""),
        pairing_id=labels.get(PAIRING, ""),
        phase=enum_number(match_pb2.MatchPhase, match.phase.name.lower()),
        seed_commitment=seed_commitment_of(match, match_context),
        result=maybe_result(match.result, match.setup.match_id),
        create_time=timestamp(status.opened_ms),
        start_time=maybe_timestamp(status.started_ms),
        end_time=maybe_timestamp(status.ended_ms),
        ratings=changes_of(match.ratings),
    )


def seats_of(players: Sequence[Player], present: Present) -> list[match_pb2.Seat]:
    return [
        match_pb2.Seat(bot=player.bot, version=player.version, online=bool(player.bot) and present(player))
        for player in players
    ]


def seed_commitment_of(match: Match, match_context: MatchContext) -> seed_pb2.SeedCommitment:
    """Convert the commitment to the seed; the seed itself is included when the match is open."""
    revealed = match_context.open(match)
    nonces = [
        seed_pb2.SeatNonce(seat=seat, nonce=nonce or b"")
        for seat, nonce in enumerate(match.nonces)
        if match.terms.nonce_timeout_us and match.phase is not MatchPhase.WAITING
    ]
    return seed_pb2.SeedCommitment(
        commitment=match.setup.commitment,
        nonces=nonces,
        seed=match.setup.seed if revealed else b"",
        seed_provided=match.setup.seed_given,
    )


def state_of(
    match: Match, viewer: Viewer, clocks: Sequence[SeatClock], with_view: bool = False
) -> match_pb2.MatchState:
    """Convert the state of a match to what the viewer may see of it."""
    position = match.position
    return match_pb2.MatchState(
        entry_number=match.number,
        ply=match.ply,
        position=position.text(viewer) if position else "",
        view_json=json_text(position.view(viewer)) if position and with_view else "",
        seats_to_move=[turn.seat for turn in match.owing],
        clocks=map(clock_of, clocks) if position else (),
        draw_offer_seats=sorted(match.offers),
        dropped_out_seats=sorted(match.dropped_seats),
    )


def _opening_of(match: Match, viewer: Viewer) -> game_pb2.Opening | None:
    setup = match.setup
    if not setup.opening:
        return None
    return game_pb2.Opening(position=_position_seen(match.game, setup.opening, setup.terms.settings, viewer))


@lru_cache(OPENING_CACHE_SIZE)
def _position_seen(game: Game, position: str, settings: Settings, viewer: Viewer) -> str:
    return game.read(position, settings).text(viewer)


def turn_of(due: TurnDue, options: TurnOptions) -> play_pb2.Turn:
    turn = play_pb2.Turn()
    write_turn(turn, due, options)
    return turn


def write_turn(turn: play_pb2.Turn, due: TurnDue, options: TurnOptions, *, with_rules: bool = True) -> None:
    """Fill in `turn`. Rules that are large are left out unless `with_rules` is set."""
    match, seat = due.match, due.turn.seat
    setup = match.setup
    turn.match_id = setup.match_id
    turn.seat = seat
    turn.turn_token = due.turn.token
    rules, turn.rules_hash = turn_rules(match.terms.game, setup.game_version, match.terms.settings.values)
    if with_rules or not turn.rules_hash:
        turn.rules.CopyFrom(rules)
    turn.ply = match.ply
    turn.position = due.position
    for mover, move in due.moves_since(options.all_moves):
        turn.move_history.add(seat=mover, move=move)
    for clock in due.clocks:
        write_clock(turn.clocks.add(), clock)
    left_us = due.left_us
    if left_us is not None:
        turn.time_left_ms = ms_down(left_us)
    turn.attempts_left = due.attempts_left
    if match.offers:
        turn.draw_offer_seats.extend(due.offers)
    turn.simultaneous = due.sealed
    turn.repeated = due.repeated
    if options.view:
        turn.view_json = json_text(due.view())
    if options.max_legal_moves:
        legal = due.legal_moves(options.max_legal_moves)
        turn.legal_moves.extend(legal.listed)
        turn.legal_moves_truncated = legal.count > len(legal.listed)
        turn.legal_move_count = legal.count


def read_turn_options(options: play_pb2.TurnOptions, max_legal_moves: int) -> TurnOptions:
    """Convert the options, with the number of legal moves capped at the limit of the server."""
    return TurnOptions(min(options.max_legal_moves, max_legal_moves), options.include_view, options.full_move_history)


def score_of(answer: Any) -> int | None:
    """Return the score that a bot sent with its move (`Move` or `SubmitMoveRequest`); None: it sent none."""
    return answer.score if answer.HasField("score") else None
