"""Moves of a single pawn: forward on the ring and in the corridor, and four cells back."""

from engines.toc.places import AHEAD, BACK, BITS, H1, H4, NOWHERE, STEPS_BACK, WAY
from engines.toc.track import Track


class Walker:
    """The steps that the pawns of one colour can make on a given track."""

    __slots__ = ("_rules", "barred", "blocks", "own", "to_branch", "waiting")

    def __init__(self, track: Track, colour: int) -> None:
        rules = track.rules
        self.own = track.pawns[colour]
        barred = track.fresh
        if not rules.kills_own:
            barred |= self.own
        if not rules.kills_partner:
            barred |= track.pawns[colour - 2]  # The partner: negative indices count from the end.
        self.barred = barred
        """The ring cells that none of these pawns may land on."""
        self.blocks = track.fresh if rules.fresh_blocks else 0
        self.waiting = track.fresh | track.short
        """The ring cells whose pawns may not enter the corridor."""
        self.to_branch = rules.to_branch[colour]
        self._rules = rules

    def ends(self, place: int, steps: int) -> list[int]:
        """Return every place where the pawn on `place` may end after `steps` steps."""
        if place >= H1:
            home = self.home(place, steps)
            return [home] if home >= 0 else []
        if steps > self.to_branch[place]:
            home = self.home(place, steps)
            if home >= 0:
                along = NOWHERE if self._rules.entry_forced else self.along(place, steps)
                return [home, along] if along >= 0 else [home]
        along = self.along(place, steps)
        return [along] if along >= 0 else []

    def along(self, cell: int, steps: int) -> int:
        """Return the cell `steps` steps ahead on the ring, or NOWHERE if it cannot be reached."""
        to = AHEAD[steps][cell]
        if BITS[to] & self.barred or self.blocks & WAY[steps - 1][cell]:
            return NOWHERE
        return to

    def back(self, cell: int) -> int:
        """Return the cell four steps back, or NOWHERE if it cannot be reached."""
        to = BACK[cell]
        if BITS[to] & self.barred or self.blocks & WAY[STEPS_BACK - 1][to]:
            return NOWHERE
        return to

    def home(self, place: int, steps: int) -> int:
        """Return the place in the corridor that is `steps` steps ahead, or NOWHERE if it cannot be reached."""
        to = self.gate(place, steps)
        if to < 0:
            return NOWHERE
        before = place if place >= H1 else H1 - 1
        if self.own & ((2 << to) - (2 << before)):
            return NOWHERE
        if self._rules.deepest and to < H4 and not self.own & BITS[to + 1]:
            return NOWHERE
        return to

    def gate(self, place: int, steps: int) -> int:
        """Return the same as `home`, but as if no pawn of this colour were in the corridor."""
        if place >= H1:
            to = place + steps if self._rules.inner else NOWHERE
        else:
            to_branch = self.to_branch[place]
            if steps <= to_branch or BITS[place] & self.waiting or self.blocks & WAY[to_branch][place]:
                return NOWHERE
            to = H1 - 1 + steps - to_branch
        return to if to <= H4 else NOWHERE
