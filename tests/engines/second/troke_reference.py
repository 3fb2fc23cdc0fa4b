"""A second, slow implementation of Troke, written from the rules page alone.

It uses dictionaries and copies, and no optimisation. A position is its text. Nothing here uses the engine; the boards
are those of the file beside it.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from engines.api import Outcome, Seat
from engines.options import Settings
from engines.testing.second_engine import OpenPosition, SecondEngine

BOARDS = json.loads((Path(__file__).parents[1] / "golden" / "troke" / "boards.json").read_text())
SIDES = {"r": "S", "b": "W", "w": "N", "y": "E"}
ACROSS = {"S": "N", "N": "S", "W": "E", "E": "W"}
SHAPES = "TWM"

Stacks = dict[str, dict[str, str]]
"""Circle to shape to the letter of the owner."""


@dataclass
class Turn:
    """A turn, and its effect."""

    text: str
    starts: str
    ends: str
    moved: dict[str, str]
    """Owner by shape, for all pieces that end where the turn ends."""
    left_behind: Stacks
    captured: list[tuple[str, str, str]] = field(default_factory=list)
    """Shape, owner and circle."""
    sideways: bool = False


class TrokeSecond(OpenPosition):
    """A position, and the texts of those that have occurred before, without their plies."""

    def __init__(self, options: Mapping[str, str], text: str, before: tuple[str, ...] = ()) -> None:
        self.options = options
        self.before = before
        self.board = json.loads(options["own_board"]) if options["own_board"] else BOARDS[options["board"]]
        self.place = {cell["id"]: (cell["x"], cell["y"]) for cell in self.board["cells"]}
        self.near: dict[str, set[str]] = {name: set() for name in self.place}
        for cell, other in self.board["edges"]:
            self.near[cell].add(other)
            self.near[other].add(cell)
        self.players = self._players()
        stacks, self.mover, chips, castles, plies, *rest = text.split(" ")
        self.stacks: Stacks = {name: {} for name in self.place}
        for stack in stacks.split(","):
            name, pieces = stack.split(":")
            self.stacks[name] = dict(zip(pieces[::2], pieces[1::2], strict=True))
        self.chips = dict(zip(self.players, map(int, chips.split("/")), strict=True))
        self.castles = dict(zip(self.players, map(int, castles.split("/")), strict=True))
        self.plies = int(plies)
        more = dict(field.split("=") for field in rest)
        self.back = more["back"].split(",") if "back" in more else []
        self.must_clear = set(more["clear"].split(",")) if "clear" in more else set()

    def _players(self) -> str:
        if self.options["seats"] == "3":
            return "rbw" if self.options["third"] == "blue" else "rwy"
        return {"2": "rw", "4": "rbwy"}[self.options["seats"]]

    # --- the board, for a colour -----------------------------------------------------------------

    def home(self, owner: str) -> list[str]:
        return list(self.board["start"][SIDES[owner]])

    def goal(self, owner: str) -> list[str]:
        return list(self.board["start"][ACROSS[SIDES[owner]]])

    def side_rows(self, owner: str) -> set[str]:
        beside = "WE" if SIDES[owner] in "SN" else "SN"
        return {name for side in beside for name in self.board["start"][side]}

    def ahead(self, owner: str, start: str, to: str) -> int:
        right, up = self.board["forward"][SIDES[owner]]
        return int((self.place[to][0] - self.place[start][0]) * right + (self.place[to][1] - self.place[start][1]) * up)

    def arrived(self, owner: str, circle: str) -> bool:
        return circle in self.goal(owner)

    def ways(self, owner: str, at: str) -> Iterator[str]:
        """TK-3, TK-10 and TK-11: yield the circles to which a step of `owner` may lead."""
        for to in self.near[at]:
            if self.arrived(owner, at):
                if self.arrived(owner, to):
                    yield to
            elif self.ahead(owner, at, to) >= 0 and not (
                self.options["side_rows"] == "forbidden" and to in self.side_rows(owner)
            ):
                yield to

    # --- turns -----------------------------------------------------------------------------------

    def all_turns(self, owner: str) -> Iterator[Turn]:
        """Yield the turns by TK-3 to TK-15."""
        for at, stack in self.stacks.items():
            for shape, whose in stack.items():
                if whose != owner or (self.arrived(owner, at) and self.options["goal_pieces"] == "frozen"):
                    continue
                left_behind = {name: dict(pieces) for name, pieces in self.stacks.items()}
                del left_behind[at][shape]
                yield from self._steps(Turn(shape + at, at, at, {shape: owner}, left_behind), owner, 1, False)

    def _steps(self, turn: Turn, owner: str, left: int, free: bool) -> Iterator[Turn]:
        began_in_row = self.arrived(owner, turn.starts)
        for to in self.ways(owner, turn.ends):
            there = turn.left_behind[to]
            if set(there) & set(turn.moved) or self._carries_home(turn, owner, to):
                continue
            prey = {shape: whose for shape, whose in there.items() if self.is_prey(whose, to, owner)}
            rest = {name: dict(pieces) for name, pieces in turn.left_behind.items()}
            for shape in prey:
                del rest[to][shape]
            captured = turn.captured + [(shape, whose, to) for shape, whose in prey.items()]
            first = turn.ends == turn.starts and len(turn.text) == len(turn.starts) + 1
            sideways = (
                first
                and not prey
                and (self.ahead(owner, turn.starts, to) == 0 or (began_in_row and self.arrived(owner, to)))
            )
            mark = "x" if prey else "-"
            after = Turn(turn.text + mark + to, turn.starts, to, {**turn.moved, **prey}, rest, captured, sideways)
            steps = left - 1 + len(prey)
            if not steps or self.arrived(owner, to) or self.options["extra_steps"] == "may" or free:
                yield after
            if free:
                continue
            how = self.options["goal_sideways"]
            arrives = self.arrived(owner, to) and not began_in_row
            if arrives and not captured and how in ("free_step", "either"):
                after.sideways = False
                for longer in self._steps(after, owner, 1, True):
                    longer.sideways = False
                    yield longer
            elif steps and not (arrives and how == "free_step"):
                yield from self._steps(after, owner, steps, False)

    def is_prey(self, whose: str, circle: str, hunter: str) -> bool:
        """TK-6 and TK-12: return whether `hunter` can capture a piece of `whose` there."""
        if self.options["goal_pieces"] == "own_captures" and whose == hunter:
            return True
        return not self.arrived(whose, circle)

    def _carries_home(self, turn: Turn, owner: str, to: str) -> bool:
        """Return whether TK-15 forbids the step."""
        return self.options["carry_home"] == "forbidden" and any(
            whose != owner and to in self.home(whose) and turn.ends not in self.home(whose)
            for whose in turn.moved.values()
        )

    def turns(self, owner: str) -> list[Turn]:
        """Return the turns that are left by TK-16 and TK-17."""
        turns = list(self.all_turns(owner))
        if self.options["lateral_rule"] == "if_blocking" and owner == self.mover:
            steps_back = [turn for turn in turns if turn.text in self.back]
            if steps_back and any(self.lets_a_rival_move(turn) for turn in turns):
                turns = [turn for turn in turns if turn not in steps_back or self.lets_a_rival_move(turn)]
        elif self.options["lateral_rule"] in ("no_reversal_if_other", "strict"):
            others = [turn for turn in turns if turn.text not in self.back]
            if others or self.options["lateral_rule"] == "strict":
                turns = others
        row = self.home(owner)
        full = all(len(self.stacks[name]) == 3 for name in row)
        mine = any(owner in self.stacks[name].values() for name in row)
        somebody_across = any(SIDES[other] == ACROSS[SIDES[owner]] for other in self.players)
        asked = self.options["clear_goal"] == "auto" or owner in self.must_clear
        if asked and full and mine and somebody_across:
            turns = [turn for turn in turns if turn.starts in row] or turns
        return turns

    @cached_property
    def legal_moves(self) -> list[str]:
        """All legal moves; none after the game has ended by castles or because no seat can move."""
        if 4 in self.castles.values():
            return []
        mine = [turn.text for turn in self.turns(self.mover)]
        if not mine and any(self.turns(other) for other in self.players):
            mine = ["pass"]
        if self.options["clear_goal"] == "on_demand":
            mine += [f"{move}!" for move in mine if self.may_demand(move)]
        return sorted(mine)

    def across(self, owner: str) -> str | None:
        """Return the player with the colour opposite, if there is one."""
        return next((other for other in self.players if SIDES[other] == ACROSS[SIDES[owner]]), None)

    def may_demand(self, move: str) -> bool:
        """TK-16: return whether the goal row is full after `move`, with a piece of the opposite colour in it."""
        other = self.across(self.mover)
        after = self.after(move)
        stacks = [after.stacks[circle] for circle in self.goal(self.mover)]
        if other is None or 4 in after.castles.values():
            return False
        return all(len(stack) == 3 for stack in stacks) and any(other in stack.values() for stack in stacks)

    def lets_a_rival_move(self, turn: Turn) -> bool:
        """TK-17: return whether an opponent has a turn by TK-3 to TK-15 after this one."""
        mine = [self.mover]
        if self.options["teams"] == "true":
            mine.append(str(self.across(self.mover)))
        after = self.after(turn.text)
        return any(list(after.all_turns(rival)) for rival in self.players if rival not in mine)

    # --- playing ---------------------------------------------------------------------------------

    @property
    def owing(self) -> tuple[Seat, ...]:
        return () if self.outcome else (self.players.index(self.mover),)

    def moves(self, seat: Seat) -> Collection[str]:
        return self.legal_moves

    def play(self, seat: Seat, move: str, after: str) -> "TrokeSecond":
        return self.after(move)

    def after(self, move: str) -> "TrokeSecond":
        there = TrokeSecond(self.options, self.full_text(), (*self.before, without_plies(self.full_text())))
        there._take(move)
        return there

    def _take(self, move: str) -> None:
        """Play a move in this object."""
        plain = move.removesuffix("!")
        self.must_clear -= {self.mover}
        if plain != move:
            self.must_clear.add(str(self.across(self.mover)))
        if plain != "pass":
            turn = next(turn for turn in self.all_turns(self.mover) if turn.text == plain)
            self._remember(turn)
            self.stacks = turn.left_behind
            self.stacks[turn.ends].update(turn.moved)
            self._pay(turn)
        self.plies += 1
        self.mover = self.players[(self.players.index(self.mover) + 1) % len(self.players)]

    def _remember(self, turn: Turn) -> None:
        stays = turn.ends if turn.text.rfind("x") > turn.text.rfind("-") else ""
        carried = {f"{shape}{circle}" for shape, _, circle in turn.captured if circle != stays}
        gone = {f"{turn.text[0]}{turn.starts}", *carried}
        self.back = [step for step in self.back if step.split("-")[0] not in gone]
        if turn.sideways and self.options["lateral_rule"] != "free" and self._could_return(turn):
            self.back.append(f"{turn.text[0]}{turn.ends}-{turn.starts}")

    def _could_return(self, turn: Turn) -> bool:
        if self.arrived(self.mover, turn.ends) and self.options["goal_pieces"] == "frozen":
            return False
        return turn.starts in self.ways(self.mover, turn.ends)

    def _pay(self, turn: Turn) -> None:
        worth = {"T": 1, "W": 2, "M": 3} if self.options["capture_value"] == "graded" else dict.fromkeys(SHAPES, 1)
        owed = dict.fromkeys(self.players, 0)
        for shape, whose, _ in turn.captured:
            owed[whose] += worth[shape]
        standing = sum(self._castle(self.mover, circle) for circle in self.goal(self.mover))
        if standing > self.castles[self.mover]:
            self.castles[self.mover] = standing
            rivals = [self.castles[other] for other in self.players if other != self.mover]
            if self.options["castle_award"] == "each_player" or max(rivals) < standing:
                owed = {other: debt + standing for other, debt in owed.items()}
            if standing == 4 and self.options["end_bonus"] == "true":
                owed = {other: debt + self._unfinished(other) for other, debt in owed.items()}
        for other, debt in owed.items():
            if other != self.mover and self.options["scoring"] == "chips":
                pays = min(debt, self.chips[other]) if self.options["debt"] == "cap" else debt
                self.chips[other] -= pays
                self.chips[self.mover] += pays

    def _castle(self, owner: str, circle: str) -> bool:
        return self.stacks[circle] == dict.fromkeys(SHAPES, owner)

    def _unfinished(self, owner: str) -> int:
        """Return the payment by TK-21."""
        pay = 0
        for circle, stack in self.stacks.items():
            mine = list(stack.values()).count(owner)
            if not self.arrived(owner, circle):
                pay += 2 * mine
            elif not self._castle(owner, circle):
                pay += mine
        return pay

    def full_text(self) -> str:
        stacks = (
            f"{name}:{''.join(shape + stack[shape] for shape in SHAPES if shape in stack)}"
            for name, stack in self.stacks.items()
            if stack
        )
        circles = list(self.place)
        back = sorted(self.back, key=lambda step: (SHAPES.index(step[0]), circles.index(step[1:].split("-")[0])))
        fields = [
            ",".join(stacks),
            self.mover,
            "/".join(str(self.chips[player]) for player in self.players),
            "/".join(str(self.castles[player]) for player in self.players),
            str(self.plies),
        ]
        fields += [f"back={','.join(back)}"] if back else []
        clear = [player for player in self.players if player in self.must_clear]
        return " ".join([*fields, f"clear={','.join(clear)}"] if clear else fields)

    @cached_property
    def outcome(self) -> Outcome | None:
        reason = self._reason()
        if not reason:
            return None
        race = self.options["scoring"] == "race"
        scores = [float((self.castles if race else self.chips)[player]) for player in self.players]
        sides = [[score] for score in scores]
        if self.options["teams"] == "true":
            sides = [[scores[0], scores[2]], [scores[1], scores[3]]]
        return Outcome(reason, tuple(scores), tuple(max(side) if race else sum(side) for side in sides))

    def _reason(self) -> str:
        """Return why the game is over; empty if it is not."""
        if 4 in self.castles.values():
            return "four_castles"
        if not self.legal_moves:
            return "no_moves"
        repetition = int(self.options["repetition"])
        if repetition and self.before.count(without_plies(self.full_text())) + 1 >= repetition:
            return "repetition"
        return "max_plies" if self.plies >= int(self.options["max_plies"]) else ""


def without_plies(text: str) -> str:
    stacks, mover, chips, castles, _, *rest = text.split(" ")
    return " ".join([stacks, mover, chips, castles, *rest])


class TrokeReference(SecondEngine):
    def start(self, settings: Settings, text: str) -> TrokeSecond:
        return TrokeSecond(settings.texts(), text)


REFERENCE = TrokeReference()
