"""A real game for the bot to be asked about: turns like those of the referee, by the same rules."""

from itertools import count

from referee_api.v1 import clock_pb2, match_pb2, play_pb2, result_pb2

from engines.api import Seat
from engines.options import Value
from engines.refusals import Refusal
from engines.registry import find
from referee.conformance.failed import Failed
from referee.core.result import by_rules
from referee.transport.convert.results import result_of
from referee.transport.convert.rules import json_text, rules_of, seat_moves, table_of

LISTED_AT_MOST = 5_000
ATTEMPTS = 3
LEFT_MS = 600_000
SEED = bytes(32)


class Board:
    """One match, as far as the bot sees it."""

    _numbers = count(1)

    def __init__(
        self, game: str, hello: play_pb2.Hello, chosen: dict[str, Value] | None = None, text: str = ""
    ) -> None:
        """`hello`: what the bot wishes its turns to carry. `text`: where to start, if not at the beginning."""
        self.match_id = f"conformance-{next(self._numbers)}"
        self.game = find(game)
        self.settings = self.game.settings(chosen or {})
        self.position = self.game.read(text, self.settings) if text else self.game.start(self.settings, SEED)
        self.ply = 0
        self._wishes = hello.wishes
        self._attempt = 1
        self._since: list[tuple[Seat, str]] = []

    @property
    def seats(self) -> range:
        return range(len(self.game.table(self.settings).seats))

    def turn(self, seat: Seat | None = None, again: bool = False) -> play_pb2.Turn:
        """What a seat is asked now; by default the first that owes a move."""
        seat = self.position.owing[0] if seat is None else seat
        turn = play_pb2.Turn(
            match_id=self.match_id,
            seat=seat,
            token=f"{seat}.{self.ply}.{self._attempt}",
            rules=rules_of(self.game.name, self.game.version, self.settings),
            ply=self.ply,
            position=self.position.text(seat),
            moves_since=seat_moves(self._since),
            clocks=[clock_pb2.Clock(seat=one, left_us=LEFT_MS * 1_000, main_us=LEFT_MS * 1_000) for one in self.seats],
            left_ms=LEFT_MS,
            attempts_left=ATTEMPTS - self._attempt + 1,
            sealed=len(self.position.owing) > 1,
            again=again,
        )
        self._fulfil(turn)
        return turn

    def _fulfil(self, turn: play_pb2.Turn) -> None:
        """What the bot wished for."""
        if self._wishes.view:
            turn.view_json = json_text(self.position.view(turn.seat))
        if self._wishes.legal_moves_at_most:
            moves = self.position.moves(turn.seat)
            turn.legal_moves.extend(moves[: min(self._wishes.legal_moves_at_most, LISTED_AT_MOST)])
            turn.legal_moves_truncated = len(turn.legal_moves) < len(moves)
            turn.legal_moves_count = len(moves)

    def play(self, seat: Seat, move: str) -> None:
        """The game goes on. Raises Failed if that is no legal move."""
        self.check(seat, move)
        told = self.position.told(seat, move, seat)
        self.position = self.position.play(seat, move)
        self._since = [(seat, told)]
        self.ply += 1
        self._attempt = 1

    def check(self, seat: Seat, move: str) -> None:
        """Raises Failed if the seat may not play it."""
        try:
            self.position.play(seat, move)
        except Refusal as why:
            raise Failed(f"{move!r} is no legal move for seat {seat} in {self.position.text(seat)}: {why}") from None

    def ask_anew(self) -> None:
        """The next turn is another attempt, with another token."""
        self._attempt += 1

    def started(self, seat: Seat = 0) -> play_pb2.MatchStarted:
        match = match_pb2.Match(
            id=self.match_id,
            terms=match_pb2.MatchTerms(rules=rules_of(self.game.name, self.game.version, self.settings)),
            table=table_of(self.game.table(self.settings)),
            phase=match_pb2.PHASE_PLAYING,
        )
        return play_pb2.MatchStarted(match=match, seat=seat)

    def ended(self, seat: Seat = 0) -> play_pb2.MatchEnded:
        """By the rules if the game is over, else void: it was never to be scored."""
        outcome = self.position.outcome
        if outcome:
            result = result_of(by_rules(outcome, self.game.table(self.settings)))
        else:
            result = result_pb2.Result(voided=result_pb2.Voided(cause=result_pb2.VOID_CAUSE_ABORTED))
        return play_pb2.MatchEnded(match_id=self.match_id, seat=seat, result=result)


def accepted(move: play_pb2.Move, ply: int) -> play_pb2.Verdict:
    return play_pb2.Verdict(
        match_id=move.match_id, token=move.token, accepted=play_pb2.Accepted(number=ply + 1, ply=ply)
    )
