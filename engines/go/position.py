"""Implements `Position` for Go: the stones together with the boards that have occurred, and the limit of plies."""

from collections.abc import Sequence

from engines.api import Json, Outcome, Position, Seat, Viewer
from engines.game_errors import NotYourTurn
from engines.go.explain import illegal
from engines.go.notation import COLOURS, PASS_TEXT, position_text, read_move
from engines.go.options import PLIES_PER_POINT
from engines.go.picture import caption, picture
from engines.go.points import points_of
from engines.go.stones import MAX_PASSES, PASS, Stones
from engines.options import Settings


class GoRules:
    """The options in the form that positions need."""

    __slots__ = ("ko", "komi", "max_plies", "points", "settings", "suicide")

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.points = points_of(settings.count("size"))
        self.komi = float(settings.choice("komi"))
        self.ko = settings.choice("ko")
        self.suicide = settings.choice("suicide") == "allowed"
        self.max_plies = settings.count("max_plies") or PLIES_PER_POINT * self.points.size**2

    def key(self, stones: Stones) -> int:
        """Return a number that is equal for positions of which the ko rule says that they are the same."""
        return stones.board_key() << 1 | (stones.mover if self.ko == "situational" else 0)


class GoPosition(Position):
    """The stones, the plies, and the keys of the positions that must not be repeated."""

    __slots__ = ("_barred", "_outcome", "_removed", "_rules", "_seen", "plies", "stones")

    def __init__(self, rules: GoRules, stones: Stones, plies: int, seen: frozenset[int], removed: bool) -> None:
        """`removed`: whether a stone has been removed since the first position that is known."""
        self.stones = stones
        self.plies = plies
        self._rules = rules
        self._seen = seen
        self._removed = removed
        self._barred = -1
        self._outcome = self._ended()

    @property
    def settings(self) -> Settings:
        return self._rules.settings

    @property
    def owing(self) -> tuple[Seat, ...]:
        return () if self._outcome else (self.stones.mover,)

    @property
    def outcome(self) -> Outcome | None:
        return self._outcome

    @property
    def standing(self) -> tuple[float, ...]:
        black, white = self.stones.area()
        return float(black), white + self._rules.komi

    @property
    def barred(self) -> int:
        """The points on which the ko rule forbids a stone that would otherwise be legal."""
        if self._barred < 0:
            self._barred = self._find_barred()
        return self._barred

    def moves(self, seat: Seat) -> Sequence[str]:
        if self._outcome or seat != self.stones.mover:
            return []
        legal = self.stones.legal_points() & ~self.barred
        return [*[name for name, bit in self.stones.points.sorted_names if bit & legal], PASS_TEXT]

    def play(self, seat: Seat, move: str) -> "GoPosition":
        rules, stones = self._rules, self.stones
        parsed = read_move(move, stones.points)
        if self._outcome or seat != stones.mover:
            raise NotYourTurn(seat, self.owing)
        if not stones.allows(parsed):
            raise illegal(stones, parsed, move, rules.ko)
        after = stones.play(parsed)
        key = rules.key(after)
        if parsed != PASS and key in self._seen:
            raise illegal(stones, parsed, move, rules.ko)
        if rules.ko == "simple":
            seen = frozenset([rules.key(stones)] if parsed != PASS else [])
        else:
            seen = self._seen | {key}
        removed = self._removed or (parsed != PASS and after.own != stones.enemy)
        return GoPosition(rules, after, self.plies + 1, seen, removed or rules.suicide)

    def text(self, viewer: Viewer) -> str:
        return position_text(self.stones, self.plies, self.barred)

    def view(self, viewer: Viewer) -> Json:
        stones, points = self.stones, self.stones.points
        return {
            "size": points.size,
            "to_move": COLOURS[stones.mover],
            "black": points.listed(stones.black),
            "white": points.listed(stones.white),
            "ko": points.listed(self.barred),
            "passes": stones.passes,
            "plies": self.plies,
        }

    def visible_move(self, seat: Seat, move: str, viewer: Viewer) -> str:
        return move

    def picture(self, viewer: Viewer) -> str:
        board = picture(self.stones)
        return board if self._outcome else f"{board}\n\n{caption(self.stones, self.barred, self.plies)}"

    def default(self, seat: Seat) -> str:
        return PASS_TEXT

    def _ended(self) -> Outcome | None:
        if self.stones.passes >= MAX_PASSES:
            reason = "passes"
        elif self.plies >= self._rules.max_plies:
            reason = "max_plies"
        else:
            return None
        scores = self.standing
        return Outcome(reason, scores, scores)

    def _find_barred(self) -> int:
        # A board on which stones are only added repeats no earlier one.
        if self._outcome or not self._removed:
            return 0
        rules, stones, seen = self._rules, self.stones, self._seen
        legal = stones.legal_points()
        removing = stones.removing_points() & legal
        side = 1 - stones.mover if rules.ko == "situational" else 0
        adding, found = stones.board_key() << 1 | side, 0
        for bit in stones.points.bits:
            if bit & removing:
                if rules.key(stones.play(bit)) in seen:
                    found |= bit
            elif bit & legal and adding + (stones.stone_key(bit) << 1) in seen:
                found |= bit
        return found
