"""Implements `Position` for Troke: the fast position together with the history that it lacks."""

from collections.abc import Sequence
from typing import Final

from engines.api import Json, Outcome, Position, Seat, Viewer
from engines.game_errors import NotYourTurn
from engines.options import Settings
from engines.troke.boards import COLOURS
from engines.troke.chips import CASTLES
from engines.troke.explain import illegal
from engines.troke.notation import Spelling, owner_of, position_text
from engines.troke.picture import Drawing, caption
from engines.troke.pieces import Pieces
from engines.troke.rules import Rules
from engines.troke.turns import SHAPES

ALONE: Final = tuple(tuple((seat,) for seat in range(seats)) for seats in range(5))
"""Sides of one seat each, by number of seats."""
TEAMS: Final = ((0, 2), (1, 3))


class GameConstants:
    """What is constant during a game: its rules, notation and drawing, and the limits that end it."""

    __slots__ = ("drawing", "max_plies", "repetition", "rules", "settings", "sides", "spelling")

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.rules = Rules(settings)
        self.spelling = Spelling(self.rules.board)
        self.drawing = Drawing(self.rules.board)
        self.repetition = settings.count("repetition")
        self.max_plies = settings.count("max_plies")
        self.sides = TEAMS if settings.flag("teams") else ALONE[self.rules.seats]


class TrokePosition(Position):
    """The pieces, the plies played, and the positions that have occurred."""

    __slots__ = ("_before", "_constants", "_key", "_outcome", "pieces", "plies")

    def __init__(self, constants: GameConstants, pieces: Pieces, plies: int, before: tuple[object, ...] = ()) -> None:
        self.pieces = pieces
        self.plies = plies
        self._constants = constants
        self._before = before
        self._key = pieces.key()
        self._outcome = self._ended()

    @property
    def settings(self) -> Settings:
        return self._constants.settings

    @property
    def owing(self) -> tuple[Seat, ...]:
        return () if self._outcome else (self.pieces.mover,)

    @property
    def outcome(self) -> Outcome | None:
        return self._outcome

    @property
    def standing(self) -> tuple[float, ...]:
        """The chips of each side; in a race, the castles of its best seat."""
        scores = self._scores()
        worth = max if self._constants.rules.race else sum
        return tuple(float(worth(scores[seat] for seat in side)) for side in self._constants.sides)

    def moves(self, seat: Seat) -> Sequence[str]:
        return sorted(map(self._constants.spelling.move, self.pieces.moves())) if seat in self.owing else []

    def play(self, seat: Seat, move: str) -> "TrokePosition":
        turn = self._constants.spelling.read_move(move)
        if seat not in self.owing:
            raise NotYourTurn(seat, self.owing)
        if not self.pieces.allows(turn):
            raise illegal(self.pieces, turn, self._constants.spelling)
        before = (*self._before, self._key) if self._constants.repetition else ()
        return TrokePosition(self._constants, self.pieces.play(turn), self.plies + 1, before)

    def text(self, viewer: Viewer) -> str:
        return position_text(self.pieces, self.plies, self._constants.spelling)

    def view(self, viewer: Viewer) -> Json:
        pieces, names = self.pieces, self._colours()
        return {
            "to_move": names[pieces.mover],
            "circles": {name: self._stack(circle) for circle, name in enumerate(self._constants.spelling.names)},
            "chips": dict(zip(names, pieces.chips, strict=True)),
            "castles": dict(zip(names, pieces.castles, strict=True)),
            "plies": self.plies,
            "barred": [self._constants.spelling.move(step) for step in pieces.barred],
            "must_clear": [name for seat, name in enumerate(names) if pieces.demanded >> seat & 1],
        }

    def visible_move(self, seat: Seat, move: str, viewer: Viewer) -> str:
        return move

    def picture(self, viewer: Viewer) -> str:
        board = self._constants.drawing.of(self.pieces)
        return board if self._outcome else f"{board}\n\n{caption(self.pieces, self.plies)}"

    def _colours(self) -> tuple[str, ...]:
        return tuple(COLOURS[colour] for colour in self.pieces.rules.colours)

    def _stack(self, circle: int) -> Json:
        names = self._colours()
        owners = [owner_of(self.pieces, shape, circle) for shape in range(len(SHAPES))]
        return {shape: None if owner is None else names[owner] for shape, owner in zip(SHAPES, owners, strict=True)}

    def _scores(self) -> tuple[int, ...]:
        return self.pieces.castles if self._constants.rules.race else self.pieces.chips

    def _ended(self) -> Outcome | None:
        constants = self._constants
        if CASTLES in self.pieces.castles:
            return self._over("four_castles")
        if not self.pieces.can_move():
            return self._over("no_moves")
        if 0 < constants.repetition <= self._before.count(self._key) + 1:
            return self._over("repetition")
        return self._over("max_plies") if self.plies >= constants.max_plies else None

    def _over(self, reason: str) -> Outcome:
        return Outcome(reason, tuple(map(float, self._scores())), self.standing)
