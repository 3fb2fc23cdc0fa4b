"""A match that the kit plays with a bot: turns of a real game, encoded as by the referee."""

from itertools import count

from referee_api.v1 import clock_pb2, match_pb2, play_pb2, result_pb2

from engines.api import Seat
from engines.game_errors import GameError
from engines.options import Value
from engines.registry import find
from referee.conformance.bot_session import BotSession
from referee.conformance.clause import ClauseFailed, ClauseNotApplicable
from referee.match.result import result_by_rules
from referee.transport.wire.results import result_of
from referee.transport.wire.rules import json_text, rules_of, seat_layout_of, seat_moves

ANY_GAME = ("alquerque", "trox", "troke", "toc")
MAX_LEGAL_MOVES = 5_000
ATTEMPTS = 3
LEFT_MS = 600_000
SEED = bytes(32)
LATER_FIELD = 4_000
LENGTH_DELIMITED = 2


class BotMatch:
    """One match, from the point of view of the bot."""

    _numbers = count(1)

    def __init__(
        self, game: str, hello: play_pb2.Hello, chosen: dict[str, Value] | None = None, text: str = ""
    ) -> None:
        """`hello` has the bot's turn options. `text` is the position to start from instead of the initial one."""
        self.match_id = f"conformance-{next(self._numbers)}"
        self.game = find(game)
        self.settings = self.game.settings(chosen or {})
        self.position = self.game.read(text, self.settings) if text else self.game.start(self.settings, SEED)
        self.ply = 0
        self._options = hello.turn_options
        self._attempt = 1
        self._history: list[tuple[Seat, str]] = []

    @property
    def seats(self) -> range:
        return range(len(self.game.table(self.settings).seats))

    def turn(self, seat: Seat | None = None, repeated: bool = False) -> play_pb2.Turn:
        """Return the current turn of a seat, by default of the first that is to move."""
        seat = self.position.owing[0] if seat is None else seat
        turn = play_pb2.Turn(
            match_id=self.match_id,
            seat=seat,
            turn_token=f"{seat}.{self.ply}.{self._attempt}",
            rules=rules_of(self.game.name, self.game.version, self.settings),
            ply=self.ply,
            position=self.position.text(seat),
            move_history=seat_moves(self._history),
            clocks=[
                clock_pb2.Clock(seat=one, time_left_us=LEFT_MS * 1_000, main_us=LEFT_MS * 1_000) for one in self.seats
            ],
            time_left_ms=LEFT_MS,
            attempts_left=ATTEMPTS - self._attempt + 1,
            simultaneous=len(self.position.owing) > 1,
            repeated=repeated,
        )
        self._apply_options(turn)
        return turn

    def _apply_options(self, turn: play_pb2.Turn) -> None:
        """Add the optional fields that the bot's Hello requested."""
        if self._options.include_view:
            turn.view_json = json_text(self.position.view(turn.seat))
        if self._options.max_legal_moves:
            moves = self.position.moves(turn.seat)
            turn.legal_moves.extend(moves[: min(self._options.max_legal_moves, MAX_LEGAL_MOVES)])
            turn.legal_moves_truncated = len(turn.legal_moves) < len(moves)
            turn.legal_move_count = len(moves)

    def play(self, seat: Seat, move: str) -> None:
        """Play a move. Raises ClauseFailed if it is illegal."""
        self.check(seat, move)
        visible = self.position.visible_move(seat, move, seat)
        self.position = self.position.play(seat, move)
        self._history = [(seat, visible)]
        self.ply += 1
        self._attempt = 1

    def check(self, seat: Seat, move: str) -> None:
        """Raise ClauseFailed if the move is illegal for the seat."""
        try:
            self.position.play(seat, move)
        except GameError as why:
            raise ClauseFailed(f"{move!r} is illegal for seat {seat} in {self.position.text(seat)}: {why}") from None

    def start_new_attempt(self) -> None:
        """Make the next turn another attempt, with a new token."""
        self._attempt += 1

    def started(self, seat: Seat = 0) -> play_pb2.MatchStarted:
        match = match_pb2.Match(
            id=self.match_id,
            terms=match_pb2.MatchTerms(rules=rules_of(self.game.name, self.game.version, self.settings)),
            seat_layout=seat_layout_of(self.game.table(self.settings)),
            phase=match_pb2.MATCH_PHASE_PLAYING,
        )
        return play_pb2.MatchStarted(match=match, seat=seat)

    def ended(self, seat: Seat = 0) -> play_pb2.MatchEnded:
        """Return the end of the match: its result if the game is over, otherwise void."""
        outcome = self.position.outcome
        if outcome:
            result = result_of(result_by_rules(outcome, self.game.table(self.settings)))
        else:
            result = result_pb2.Result(voided=result_pb2.VoidResult(cause=result_pb2.VOID_CAUSE_ABORTED))
        return play_pb2.MatchEnded(match_id=self.match_id, seat=seat, result=result)


def accepted(move: play_pb2.Move, ply: int) -> play_pb2.Verdict:
    return play_pb2.Verdict(
        match_id=move.match_id, turn_token=move.turn_token, accepted=play_pb2.Acceptance(entry_number=ply + 1, ply=ply)
    )


def later_field(text_bytes: int) -> bytes:
    """Return an encoded text of a later version of the contract: a field with a number that is not used yet."""
    return _varint(LATER_FIELD << 3 | LENGTH_DELIMITED) + _varint(text_bytes) + b"x" * text_bytes


def _varint(number: int) -> bytes:
    digits = []
    while number > 0x7F:
        digits.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*digits, number])


async def new_match(session: BotSession, *games: str) -> BotMatch:
    """Create a match of the first of these games that the bot plays. Raises ClauseNotApplicable."""
    hello = await session.hello()
    playing = [game for game in games if not hello.games or game in hello.games]
    if not playing:
        raise ClauseNotApplicable(f"the bot does not play {' or '.join(games)}")
    return BotMatch(playing[0], hello)


async def expect_legal_answer(session: BotSession, match: BotMatch, turn: play_pb2.Turn) -> play_pb2.Move:
    """Wait for the answer to a turn. Raises ClauseFailed unless it is a legal move."""
    move = await session.answer_to(turn)
    match.check(turn.seat, move.move)
    return move
