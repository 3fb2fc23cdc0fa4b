"""A turn, as it is asked.

It is written into the message that goes out, and not made beside it: to copy it costs more than to make it.
"""

from referee_api.v1 import play_pb2

from referee.app.sessions import TurnWishes
from referee.app.turns import TurnDue
from referee.transport.convert.clocks import tell_clock
from referee.transport.convert.rules import json_text, large_rules_hash, rules_of
from referee.transport.convert.times import ms_down


def turn_of(due: TurnDue, wishes: TurnWishes) -> play_pb2.Turn:
    turn = play_pb2.Turn()
    tell_turn(turn, due, wishes)
    return turn


def tell_turn(turn: play_pb2.Turn, due: TurnDue, wishes: TurnWishes, *, with_rules: bool = True) -> None:
    """`with_rules`: also those that are large."""
    match = due.match
    setup = match.setup
    turn.match_id = setup.match_id
    turn.seat = due.turn.seat
    turn.token = due.turn.token
    turn.rules_hash = large_rules_hash(setup.game, setup.game_version, setup.settings)
    if with_rules or not turn.rules_hash:
        turn.rules.CopyFrom(rules_of(setup.game, setup.game_version, setup.settings))
    turn.ply = match.ply
    turn.position = due.position
    for seat, move in due.moves_since(wishes.all_moves):
        turn.moves_since.add(seat=seat, move=move)
    for clock in due.clocks:
        tell_clock(turn.clocks.add(), clock)
    left_us = due.left_us
    if left_us is not None:
        turn.left_ms = ms_down(left_us)
    turn.attempts_left = due.attempts_left
    if match.offers:
        turn.draw_offers.extend(due.offers)
    turn.sealed = due.sealed
    turn.again = due.again
    if wishes.view:
        turn.view_json = json_text(due.view())
    if wishes.legal_moves_at_most:
        legal = due.legal_moves(wishes.legal_moves_at_most)
        turn.legal_moves.extend(legal.listed)
        turn.legal_moves_truncated = legal.count > len(legal.listed)
        turn.legal_moves_count = legal.count


def read_wishes(wishes: play_pb2.TurnWishes, legal_moves_at_most: int) -> TurnWishes:
    """No more legal moves than the referee lists for anybody."""
    return TurnWishes(min(wishes.legal_moves_at_most, legal_moves_at_most), wishes.view, wishes.all_moves)
