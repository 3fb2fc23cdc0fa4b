"""A turn, as it is asked."""

from referee_api.v1 import play_pb2

from referee.app.sessions import TurnWishes
from referee.app.turns import TurnDue
from referee.transport.convert.clocks import clock_of
from referee.transport.convert.rules import json_text, rules_of, seat_moves
from referee.transport.convert.times import ms_down


def turn_of(due: TurnDue, wishes: TurnWishes) -> play_pb2.Turn:
    setup = due.match.setup
    turn = play_pb2.Turn(
        match_id=setup.match_id,
        seat=due.seat,
        token=due.turn.token,
        rules=rules_of(setup.game, setup.game_version, setup.settings),
        ply=due.match.ply,
        position=due.position,
        moves_since=seat_moves(due.moves_since(wishes.all_moves)),
        clocks=map(clock_of, due.clocks),
        left_ms=None if due.left_us is None else ms_down(due.left_us),
        attempts_left=due.attempts_left,
        draw_offers=due.offers,
        sealed=due.sealed,
        again=due.again,
    )
    if wishes.view:
        turn.view_json = json_text(due.view())
    if wishes.legal_moves_at_most:
        legal = due.legal_moves(wishes.legal_moves_at_most)
        turn.legal_moves.extend(legal.listed)
        turn.legal_moves_truncated = legal.count > len(legal.listed)
        turn.legal_moves_count = legal.count
    return turn


def read_wishes(wishes: play_pb2.TurnWishes, legal_moves_at_most: int) -> TurnWishes:
    """No more legal moves than the referee lists for anybody."""
    return TurnWishes(min(wishes.legal_moves_at_most, legal_moves_at_most), wishes.view, wishes.all_moves)
