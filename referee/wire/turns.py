"""Converts turns, directly into the message that is about to be sent: copying one costs more than building it."""

from referee_api.v1 import play_pb2

from referee.live.sessions import TurnOptions
from referee.live.turn_view import TurnDue
from referee.wire.basic_types import ms_down
from referee.wire.clocks import write_clock
from referee.wire.rules import json_text, large_rules_hash, rules_of


def turn_of(due: TurnDue, options: TurnOptions) -> play_pb2.Turn:
    turn = play_pb2.Turn()
    write_turn(turn, due, options)
    return turn


def write_turn(turn: play_pb2.Turn, due: TurnDue, options: TurnOptions, *, with_rules: bool = True) -> None:
    """Fill in `turn`. Rules that are large are left out unless `with_rules` is set."""
    match = due.match
    setup = match.setup
    turn.match_id = setup.match_id
    turn.seat = due.turn.seat
    turn.turn_token = due.turn.token
    turn.rules_hash = large_rules_hash(setup.game, setup.game_version, setup.settings)
    if with_rules or not turn.rules_hash:
        turn.rules.CopyFrom(rules_of(setup.game, setup.game_version, setup.settings))
    turn.ply = match.ply
    turn.position = due.position
    for seat, move in due.moves_since(options.all_moves):
        turn.move_history.add(seat=seat, move=move)
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
