"""Implements `Position` for Toc on top of the fast position."""

from collections.abc import Sequence
from functools import lru_cache

from engines.api import REFEREE, Json, Outcome, Position, Seat, Viewer
from engines.game_errors import NotYourTurn
from engines.options import Settings
from engines.toc.explain import illegal
from engines.toc.moves import GIFT
from engines.toc.notation import SEALED, move_text, read_move
from engines.toc.picture import picture
from engines.toc.places import H1, PARTNER
from engines.toc.position_writer import position_text
from engines.toc.round import Round
from engines.toc.rules import Rules
from engines.toc.view import view

WON = ((1.0, 0.0, 1.0, 0.0), (0.0, 1.0, 0.0, 1.0))
DRAWN = (0.5, 0.5, 0.5, 0.5)


@lru_cache(maxsize=256)
def compiled(settings: Settings) -> Rules:
    """Return the rules for these settings."""
    return Rules(settings)


class TocPosition(Position):
    """Adapts a `Round` to the interface of a position."""

    __slots__ = ("round",)

    def __init__(self, at: Round) -> None:
        self.round = at

    @property
    def settings(self) -> Settings:
        return self.round.track.rules.settings

    @property
    def owing(self) -> tuple[Seat, ...]:
        return self.round.owing()

    @property
    def outcome(self) -> Outcome | None:
        if self.round.winner >= 0:
            scores = WON[self.round.winner]
            return Outcome("home", scores, scores[:2])
        return Outcome("max_turns", DRAWN, DRAWN[:2]) if self.round.over else None

    @property
    def standing(self) -> tuple[float, ...]:
        home = [(pawns >> H1).bit_count() for pawns in self.round.track.pawns]
        return (home[0] + home[2], home[1] + home[3])

    def moves(self, seat: Seat) -> Sequence[str]:
        return sorted(map(move_text, self.round.moves(seat)))

    def play(self, seat: Seat, move: str) -> "TocPosition":
        read = read_move(move)
        if seat not in self.owing:
            raise NotYourTurn(seat, self.owing)
        if not self.round.allows(seat, read):
            raise illegal(self.round, seat, read, move)
        return TocPosition(self.round.play(seat, read))

    def text(self, viewer: Viewer) -> str:
        return position_text(self.round, viewer)

    def view(self, viewer: Viewer) -> Json:
        return view(self.round, viewer)

    def visible_move(self, seat: Seat, move: str, viewer: Viewer) -> str:
        return SEALED if read_move(move) & GIFT and viewer not in (seat, REFEREE) else move

    def revealed_move(self, seat: Seat, move: str, viewer: Viewer) -> str:
        return move if viewer == PARTNER[seat] else self.visible_move(seat, move, viewer)

    def picture(self, viewer: Viewer) -> str:
        return picture(self.round, viewer)
