"""Implements `Position` for Trox: the fast position together with the plies and the history that it lacks."""

from collections.abc import Sequence

from engines.api import Json, Outcome, Position, Seat, Viewer
from engines.game_errors import NotYourTurn
from engines.options import Settings
from engines.trox.explain import illegal
from engines.trox.hands import pawns_in
from engines.trox.move_list import move_texts
from engines.trox.notation import by_seat, move_number, position_text, read_move
from engines.trox.pawns import Pawns
from engines.trox.picture import picture
from engines.trox.triangles import NOBODY
from engines.trox.view import view


class Ending:
    """The options that end a game without a winning triangle."""

    __slots__ = ("max_plies", "repetition", "settings")

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.repetition = settings.count("repetition")
        self.max_plies = settings.count("max_plies")


class TroxPosition(Position):
    """The pawns, the plies, and the positions that have occurred since all pawns were placed."""

    __slots__ = ("_before", "_ending", "_outcome", "pawns", "plies")

    def __init__(self, ending: Ending, pawns: Pawns, plies: int, before: tuple[int, ...] = ()) -> None:
        self.pawns = pawns
        self.plies = plies
        self._ending = ending
        self._before = before
        self._outcome = self._ended()

    @property
    def settings(self) -> Settings:
        return self._ending.settings

    @property
    def owing(self) -> tuple[Seat, ...]:
        return () if self._outcome else (self.pawns.mover,)

    @property
    def outcome(self) -> Outcome | None:
        return self._outcome

    @property
    def standing(self) -> tuple[float, ...]:
        """The pawns of each seat that are not neutral, on the ground and in hand."""
        pawns = self.pawns
        mine = pawns.own.bit_count() + pawns_in(pawns.hand)
        theirs = pawns.enemy.bit_count() + pawns_in(pawns.enemy_hand)
        return by_seat(pawns, mine, theirs)

    def moves(self, seat: Seat) -> Sequence[str]:
        return move_texts(self.pawns) if seat in self.owing else []

    def play(self, seat: Seat, move: str) -> "TroxPosition":
        written = read_move(move)
        if seat not in self.owing:
            raise NotYourTurn(seat, self.owing)
        number = move_number(self.pawns, written)
        if number is None or not self.pawns.allows(number):
            raise illegal(self.pawns, written, move)
        after = self.pawns.play(number)
        return TroxPosition(self._ending, after, self.plies + 1, self._remembered())

    def text(self, viewer: Viewer) -> str:
        return position_text(self.pawns, self.plies)

    def view(self, viewer: Viewer) -> Json:
        return view(self.pawns, self.plies)

    def visible_move(self, seat: Seat, move: str, viewer: Viewer) -> str:
        return move

    def picture(self, viewer: Viewer) -> str:
        return picture(self.pawns, self.plies)

    def _remembered(self) -> tuple[int, ...]:
        """Return the positions that can recur: none from before all pawns were placed."""
        return () if self.pawns.hand else (*self._before, self.pawns.key())

    def _ended(self) -> Outcome | None:
        pawns, ending = self.pawns, self._ending
        result = pawns.result()
        if result:
            return _outcome(*result)
        if not pawns.hand and 0 < ending.repetition <= self._before.count(pawns.key()) + 1:
            return _outcome("repetition", NOBODY)
        if self.plies >= ending.max_plies:
            return _outcome("max_plies", NOBODY)
        return None


def _outcome(reason: str, winner: int) -> Outcome:
    scores = (0.5, 0.5) if winner == NOBODY else (1.0, 0.0) if winner == 0 else (0.0, 1.0)
    return Outcome(reason, scores, scores)
