"""Fingers: all seats show one to three fingers at once; a seat that shows a number alone scores it.

Three rounds. Each round a secret bonus, drawn from the seed, is known to seat 0 only and doubles a number. So the game
has sealed choices, hidden information, chance and scores, in a hundred lines.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engines.api import REFEREE, Game, Json, Notation, Outcome, Position, Seat, Table, Viewer
from engines.chance import Chance
from engines.codec import Codec, Field
from engines.drawing import INK, element, group, svg_element, text
from engines.game_errors import IllegalMove, MalformedMove, MalformedPosition, NotYourTurn
from engines.options import Count, Options, Settings

ROUNDS = 3
SEALED = "?"
OPEN = "-"
KNOWS_BONUS = (0, REFEREE)


@dataclass(frozen=True, eq=False, repr=False)
class FingersPosition(Position):
    rules: Settings
    round: int
    scores: tuple[int, ...]
    shown: tuple[str, ...]
    bonus: int
    chance: Chance

    @property
    def settings(self) -> Settings:
        return self.rules

    @property
    def owing(self) -> tuple[Seat, ...]:
        return tuple(s for s, shown in enumerate(self.shown) if shown == OPEN) if self.round < ROUNDS else ()

    def moves(self, seat: Seat) -> Sequence[str]:
        return ["1", "2", "3"] if seat in self.owing else []

    def play(self, seat: Seat, move: str) -> Position:
        if not re.fullmatch("[1-9]", move, re.ASCII):
            raise MalformedMove(move, "a move is a number of fingers: 1, 2 or 3")
        if seat not in self.owing:
            raise NotYourTurn(seat, self.owing)
        if move > "3":
            raise IllegalMove(move, "FI-1", "nobody shows more than three fingers")
        shown = (*self.shown[:seat], move, *self.shown[seat + 1 :])
        if OPEN in shown:
            return FingersPosition(self.rules, self.round, self.scores, shown, self.bonus, self.chance)
        won = [int(mine) * (shown.count(mine) == 1) * (1 + (int(mine) == self.bonus)) for mine in shown]
        scores = tuple(had + more for had, more in zip(self.scores, won, strict=True))
        bonus, chance = self.chance.below(3)
        return FingersPosition(self.rules, self.round + 1, scores, (OPEN,) * len(shown), bonus + 1, chance)

    @property
    def outcome(self) -> Outcome | None:
        return None if self.round < ROUNDS else Outcome("rounds_over", self.scores, self.standing)

    @property
    def standing(self) -> tuple[float, ...]:
        return self.scores

    def text(self, viewer: Viewer) -> str:
        shown = (mine if mine == OPEN or viewer in (seat, REFEREE) else SEALED for seat, mine in enumerate(self.shown))
        bonus = str(self.bonus) if viewer in KNOWS_BONUS else "?"
        chance = f"{self.chance.seed.hex()}/{self.chance.drawn}" if viewer == REFEREE else "?"
        return f"{self.round} {','.join(map(str, self.scores))} {''.join(shown)} {bonus} {chance}"

    def view(self, viewer: Viewer) -> Json:
        return {"round": self.round, "scores": list(self.scores), "text": self.text(viewer)}

    def visible_move(self, seat: Seat, move: str, viewer: Viewer) -> str:
        return move if viewer in (seat, REFEREE) else SEALED

    def revealed_move(self, seat: Seat, move: str, viewer: Viewer) -> str:
        return move

    def picture(self, viewer: Viewer) -> str:
        return self.text(viewer)


SCHEMA: Mapping[str, Json] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"round": {"type": "integer"}, "scores": {"type": "array"}, "text": {"type": "string"}},
}


class FingersCodec(Codec):
    def __init__(self, settings: Settings) -> None:
        many = settings.count("seats")
        fields = [
            Field("round", 1, 0, ROUNDS, "How many rounds are over."),
            Field("scores", many, 0, 18, "By seat: its score."),
            Field("shown", many, -1, 3, "By seat: what it shows; 0: nothing yet, -1: hidden."),
            Field("bonus", 1, 0, 3, "The number that counts twice; 0: hidden."),
        ]
        super().__init__("123", "[0-9]", fields)

    def observe(self, view: Any, seat: int) -> list[int]:
        _, _, shown, bonus, _ = view["text"].split()
        meaning = {OPEN: 0, SEALED: -1}
        numbers = [meaning[mine] if mine in meaning else int(mine) for mine in shown]
        return [view["round"], *view["scores"], *numbers, int(bonus.replace("?", "0"))]


class Fingers(Game):
    name = "fingers"
    version = 1
    title = "Fingers"
    rules = "FI-1  All show one to three fingers at once; who shows a number alone scores it."
    options = Options((Count("seats", 3, "How many play.", least=2, most=4),))
    notation = Notation("A number of fingers: 1, 2 or 3.", "0 0,0,0 --- 2 00/1: round, scores, shown, bonus, chance.")
    view_schema = SCHEMA

    def table(self, settings: Settings) -> Table:
        seats = range(settings.count("seats"))
        return Table(tuple(f"player{seat}" for seat in seats), tuple((seat,) for seat in seats))

    def start(self, settings: Settings, seed: bytes) -> FingersPosition:
        many = settings.count("seats")
        bonus, chance = Chance(seed).below(3)
        return FingersPosition(settings, 0, (0,) * many, (OPEN,) * many, bonus + 1, chance)

    def read(self, text: str, settings: Settings) -> FingersPosition:
        many = settings.count("seats")
        number = "(?:0|[1-9][0-9]?)"
        found = re.fullmatch(
            rf"([0-3]) ({number}(?:,{number}){{{many - 1}}}) ([123-]{{{many}}}) ([123]) "
            r"((?:[0-9a-f]{2})*)/(0|[1-9][0-9]{0,8})",
            text,
            re.ASCII,
        )
        if not found or OPEN not in found[3]:
            raise MalformedPosition(
                text, "it is round, scores, fingers shown, bonus and chance, as in '0 0,0,0 --- 2 00/1'"
            )
        scores = tuple(map(int, found[2].split(",")))
        chance = Chance(bytes.fromhex(found[5]), int(found[6]))
        return FingersPosition(settings, int(found[1]), scores, tuple(found[3]), int(found[4]), chance)

    def svg(self, settings: Settings, view: Json, last_move: str | None = None) -> str:
        """Draw a bar for the score of each seat; at most 18 points can be won."""
        data: Any = view
        scores = list(enumerate(data["scores"]))
        return svg_element(
            f"Fingers: round {data['round']}, scores {', '.join(map(str, data['scores']))}",
            0,
            0,
            100,
            12 * len(scores) + 8,
            group(*(text((4, 10 + 12 * seat), 6, f"player{seat}") for seat, _ in scores), fill=INK),
            group(
                *(element("rect", x=36, y=6 + 12 * seat, width=3 * score, height=8) for seat, score in scores),
                fill="#33609a",
            ),
            group(*(text((40 + 3 * score, 10 + 12 * seat), 6, str(score)) for seat, score in scores), fill=INK),
        )

    def codec(self, settings: Settings) -> FingersCodec:
        return FingersCodec(settings)
