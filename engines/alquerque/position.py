"""Implements `Position` for Alquerque: the fast position together with the history that it lacks."""

from collections.abc import Sequence

from engines.alquerque.explain import illegal
from engines.alquerque.geometry import BITS, NAMES
from engines.alquerque.men import Men
from engines.alquerque.notation import COLOURS, TEXTS, move_text, names, position_text, read_move
from engines.alquerque.picture import caption, owner, picture
from engines.api import Json, Outcome, Position, Seat, Viewer
from engines.game_errors import NotYourTurn
from engines.options import Settings


class Ending:
    """The options that decide when a game ends and how it is scored."""

    __slots__ = ("men_count", "no_capture_plies", "repetition", "settings", "stalemate_draws")

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.repetition = settings.count("repetition")
        self.no_capture_plies = settings.count("no_capture_plies")
        self.stalemate_draws = settings.choice("stalemate") == "draw"
        self.men_count = settings.choice("on_draw") == "count"


class AlquerquePosition(Position):
    """The men, the plies since a man was last removed, and the positions that have occurred since then."""

    __slots__ = ("_before", "_ending", "_key", "_outcome", "men", "quiet")

    def __init__(self, ending: Ending, men: Men, quiet: int, before: tuple[object, ...] = ()) -> None:
        self.men = men
        self.quiet = quiet
        self._ending = ending
        self._before = before
        self._key = men.key()
        self._outcome = self._ended()

    @property
    def settings(self) -> Settings:
        return self._ending.settings

    @property
    def owing(self) -> tuple[Seat, ...]:
        return () if self._outcome else (self.men.mover,)

    @property
    def outcome(self) -> Outcome | None:
        return self._outcome

    @property
    def standing(self) -> tuple[float, ...]:
        mine, theirs = self.men.own.bit_count(), self.men.enemy.bit_count()
        return (mine, theirs) if self.men.mover == 0 else (theirs, mine)

    def moves(self, seat: Seat) -> Sequence[str]:
        if self._outcome or seat != self.men.mover:
            return []
        return sorted([TEXTS[path] if path < 1024 else move_text(path) for path in self.men.moves()])

    def play(self, seat: Seat, move: str) -> "AlquerquePosition":
        path = read_move(move)
        if self._outcome or seat != self.men.mover:
            raise NotYourTurn(seat, self.owing)
        if not self.men.allows(path) or TEXTS.get(path, move) != move:
            raise illegal(self.men, path, move)
        men = self.men.play(path)
        if (men.own | men.enemy).bit_count() < (self.men.own | self.men.enemy).bit_count():
            return AlquerquePosition(self._ending, men, 0)
        before = (*self._before, self._key) if self._ending.repetition else ()
        return AlquerquePosition(self._ending, men, self.quiet + 1, before)

    def text(self, viewer: Viewer) -> str:
        return position_text(self.men, self.quiet)

    def view(self, viewer: Viewer) -> Json:
        men = self.men
        return {
            "to_move": COLOURS[men.mover],
            "points": {name: owner(men, bit) for name, bit in zip(NAMES[1:], BITS[1:], strict=True)},
            "plies_without_capture": self.quiet,
            "again": men.again,
            "huffable": names(men.huffable),
            "left": {NAMES[number]: names(points) for number, points in enumerate(men.barred) if points},
        }

    def visible_move(self, seat: Seat, move: str, viewer: Viewer) -> str:
        return move

    def picture(self, viewer: Viewer) -> str:
        board = picture(self.men)
        return board if self._outcome else f"{board}\n\n{caption(self.men, self.quiet)}"

    def _ended(self) -> Outcome | None:
        men, ending = self.men, self._ending
        if not men.own or not men.enemy:
            return _won("no_men", men.mover if men.own else 1 - men.mover)
        if not men.can_move():
            return self._drawn("no_moves") if ending.stalemate_draws else _won("no_moves", 1 - men.mover)
        if 0 < ending.no_capture_plies <= self.quiet:
            return self._drawn("no_capture")
        if 0 < ending.repetition <= self._before.count(self._key) + 1:
            return self._drawn("repetition")
        return None

    def _drawn(self, reason: str) -> Outcome:
        white, black = self.standing
        if self._ending.men_count and white != black:
            return _won(reason, 0 if white > black else 1)
        return Outcome(reason, (0.5, 0.5), (0.5, 0.5))


def _won(reason: str, winner: Seat) -> Outcome:
    scores = (1.0, 0.0) if winner == 0 else (0.0, 1.0)
    return Outcome(reason, scores, scores)
