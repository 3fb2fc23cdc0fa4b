"""Implements `Position` for OpenSpiel: a state, which is never changed, and the generator of its chance."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import pyspiel

from engines.api import REFEREE, SPECTATOR, Json, Outcome, Position, Seat, Viewer
from engines.chance import Chance
from engines.game_errors import IllegalMove, MalformedMove, NotYourTurn
from engines.openspiel.move_names import MAX_CHARS, WELL_FORMED, move_names
from engines.openspiel.outcomes import draw_outcome
from engines.openspiel.rules import SpielRules
from engines.options import Settings

CHANCE: Final = -3
"""In the place of a seat: an outcome of chance."""
HIDDEN: Final = "?"
OPEN: Final = "-"
"""In the place of a choice that has not been made."""
NO_CHOICES: Final = "."
"""In the place of choices where the seats do not choose at the same time."""
NO_HISTORY: Final = "-"
RULE: Final = "OS-1"
MALFORMED: Final = (
    f"a move is at most {MAX_CHARS} printable ASCII characters without blanks; `moves` lists the legal ones"
)

_ANSI: Final = re.compile(r"\x1b\[[0-9;]*m")


class PastMove(NamedTuple):
    """A move of a game that hides something, and whether the other seats have seen it."""

    seat: Seat
    text: str
    is_secret: bool


class SpielPosition(Position):
    """A state of OpenSpiel at which seats are to move or the game is over."""

    __slots__ = ("_choices", "_names", "_outcome", "_owing", "_past", "chance", "rules", "state")

    def __init__(
        self,
        rules: SpielRules,
        state: Any,
        chance: Chance | None,
        past: tuple[PastMove, ...] | None = None,
        choices: tuple[int | None, ...] = (),
    ) -> None:
        """`chance` is None in games without chance; `choices` are those that seats have made at the same time.

        `past` are the moves so far, if the caller knows them.
        """
        self.rules = rules
        self.state = state
        self.chance = chance
        self._past = past
        self._choices = choices or (None,) * rules.seats
        self._names: dict[Seat, dict[str, int]] = {}
        self._owing: tuple[Seat, ...] | None = None
        self._outcome: Outcome | None = None

    @property
    def settings(self) -> Settings:
        return self.rules.settings

    @property
    def owing(self) -> tuple[Seat, ...]:
        if self._owing is None:
            self._owing = self._find_owing()
        return self._owing

    def moves(self, seat: Seat) -> Sequence[str]:
        return list(self.actions(seat))

    def actions(self, seat: Seat) -> dict[str, int]:
        """Return OpenSpiel's actions by the texts of the legal moves of a seat; empty if it is not to move."""
        if seat not in self.owing:
            return {}
        if seat not in self._names:
            self._names[seat] = move_names(self.state, seat, self.rules.prefix)
        return self._names[seat]

    def play(self, seat: Seat, move: str) -> "SpielPosition":
        if len(move) > MAX_CHARS or not WELL_FORMED.fullmatch(move):
            raise MalformedMove(move, MALFORMED)
        if seat not in self.owing:
            raise NotYourTurn(seat, self.owing)
        actions = self.actions(seat)
        if move not in actions:
            raise IllegalMove(
                move, RULE, f"it is none of the {len(actions)} legal moves, such as {next(iter(actions))}"
            )
        if self._is_sealed():
            return self._choose(seat, actions[move])
        past = (*self.past, self.past_move(seat, move)) if self.rules.hides else None
        return settled(self.rules, self.state.child(actions[move]), self.chance, past)

    @property
    def outcome(self) -> Outcome | None:
        if self._outcome is None and self.state.is_terminal():
            scores = tuple(round(score, 6) + 0.0 for score in self.state.returns())
            sides = tuple(sum(scores[seat] for seat in side) / len(side) for side in self.rules.sides)
            self._outcome = Outcome("drawn" if len(set(sides)) == 1 else "decided", scores, sides)
        return self._outcome

    @property
    def standing(self) -> tuple[float, ...]:
        return self.outcome.side_scores if self.outcome else (0.0,) * len(self.rules.sides)

    def text(self, viewer: Viewer) -> str:
        rules = self.rules
        if viewer == REFEREE:
            chance = [f"{self.chance.seed.hex()}/{self.chance.drawn}"] if self.chance else []
            return " ".join([*chance, self._history(), *self._choice_texts(viewer)])
        if rules.hides:
            return f"{HIDDEN} {json.dumps(self.view(viewer), separators=(',', ':'))}"
        return " ".join(
            [*[HIDDEN for _ in (self.chance,) if self.chance], self._history(), *self._choice_texts(viewer)]
        )

    def view(self, viewer: Viewer) -> Json:
        outcome = self.outcome
        choice = self._choices[viewer] if viewer >= 0 else None
        view: dict[str, Json] = {
            "to_move": list(self.owing),
            "state": self._state_lines(viewer),
            "chosen": None if choice is None else self._name(viewer, choice),
            "result": {"reason": outcome.reason, "scores": list(outcome.scores)} if outcome else None,
        }
        if self.rules.hides:
            view["moves"] = [[move.seat, _shown(move, viewer)] for move in self.past]
        return view

    def visible_move(self, seat: Seat, move: str, viewer: Viewer) -> str:
        if self._is_sealed() and viewer not in (seat, REFEREE):
            return HIDDEN
        return self.revealed_move(seat, move, viewer)

    def revealed_move(self, seat: Seat, move: str, viewer: Viewer) -> str:
        return _shown(self.past_move(seat, move), viewer)

    def picture(self, viewer: Viewer) -> str:
        return "\n".join(self._state_lines(viewer) or ()).strip("\n") or "(hidden)"

    def __reduce__(self) -> tuple[Any, ...]:
        choices = self._choices if self._is_sealed() else ()
        return replayed, (self.rules, self.chance, tuple(self.state.history()), choices)

    def _whole(self) -> tuple[Settings, str]:
        return self.settings, f"{self.rules.name} {self}"

    @property
    def past(self) -> tuple[PastMove, ...]:
        """The moves so far, without those that seats have chosen at the same time."""
        if self._past is None:
            self._past = tuple(_past_moves(self.rules, self.state.history()))
        return self._past

    @property
    def choices(self) -> tuple[int | None, ...]:
        """By seat: the action that it has chosen while others choose at the same time, or None."""
        return self._choices

    def choosable(self, seat: Seat) -> Sequence[int]:
        """Return the actions among which a seat chooses, or has chosen, while others choose at the same time."""
        actions: Sequence[int] = self.state.legal_actions(seat)
        return actions

    def seats_of_history(self) -> list[Seat | None]:
        """Return whose secret each action of the history is: CHANCE, a seat, or None if all have seen it."""
        moves = iter(self.past)
        found: list[Seat | None] = []
        for step in self.state.full_history():
            if step.player == pyspiel.PlayerId.CHANCE:
                found.append(CHANCE)
            else:
                move = next(moves)
                found.append(move.seat if move.is_secret else None)
        return found

    def _find_owing(self) -> tuple[Seat, ...]:
        state = self.state
        if state.is_terminal():
            return ()
        if self._is_sealed():
            return tuple(seat for seat, choice in enumerate(self._choices) if choice is None)
        return (state.current_player(),)

    def _is_sealed(self) -> bool:
        """Return whether the seats choose at the same time."""
        return self.rules.is_simultaneous and bool(self.state.is_simultaneous_node())

    def _choose(self, seat: Seat, action: int) -> "SpielPosition":
        """Return the position after one of the choices that are made at the same time."""
        choices = (*self._choices[:seat], action, *self._choices[seat + 1 :])
        if None in choices:
            return SpielPosition(self.rules, self.state, self.chance, choices=choices)
        state = self.state.clone()
        state.apply_actions(choices)
        return settled(self.rules, state, self.chance)

    def past_move(self, seat: Seat, move: str) -> PastMove:
        return PastMove(seat, move, self.rules.hides and self.rules.listing.secret(self.state, move))

    def _name(self, seat: Seat, action: int) -> str:
        names = move_names(self.state, seat, self.rules.prefix)
        return next(name for name, named in names.items() if named == action)

    def _history(self) -> str:
        return ",".join(map(str, self.state.history())) or NO_HISTORY

    def _choice_texts(self, viewer: Viewer) -> list[str]:
        """Return the last field of the text, which only games have whose seats choose at the same time."""
        if not self.rules.is_simultaneous:
            return []
        if not self._is_sealed():
            return [NO_CHOICES]
        shown = (
            OPEN if choice is None else str(choice) if viewer in (seat, REFEREE) else HIDDEN
            for seat, choice in enumerate(self._choices)
        )
        return [",".join(shown)]

    def _state_lines(self, viewer: Viewer) -> list[str] | None:
        """Return OpenSpiel's text of the state as `viewer` may see it; None if it does not say what that is."""
        state = self.state
        if not self.rules.hides or viewer == REFEREE:
            text = str(state)
        elif viewer == SPECTATOR:
            return None
        elif self.rules.recalls:
            text = state.information_state_string(viewer)
        else:
            text = state.observation_string(viewer)
        lines = [_printable(line) for line in _ANSI.sub("", text).rstrip().split("\n")]
        return lines[next((number for number, line in enumerate(lines) if line), 0) :]


def settled(
    rules: SpielRules, state: Any, chance: Chance | None, past: tuple[PastMove, ...] | None = None
) -> SpielPosition:
    """Return the position after all chance that is due; `state`, which nobody else has, is changed."""
    while state.is_chance_node():
        if chance is None:
            raise AssertionError(f"{rules.name} has chance, and says that it has none")
        action, chance = draw_outcome(state.chance_outcomes(), chance)
        state.apply_action(action)
    return SpielPosition(rules, state, chance, past)


class Unplayable(ValueError):
    """Raised if a history cannot be played; `str()` says why."""


def replayed(
    rules: SpielRules, chance: Chance | None, history: Sequence[int], choices: tuple[int | None, ...] = ()
) -> SpielPosition:
    """Return the position after a history of OpenSpiel's actions, with those of chance. Raises Unplayable."""
    state, number = rules.loaded.new_initial_state(), 0
    while number < len(history):
        if state.is_terminal():
            raise Unplayable(f"the game is over after {number} actions")
        if state.is_simultaneous_node():
            together = history[number : number + rules.seats]
            _check_choices(rules, state, together)
            state.apply_actions(together)
            number += rules.seats
            continue
        action = history[number]
        if action not in state.legal_actions():
            raise Unplayable(f"action {action} is not possible after {number} actions")
        state.apply_action(action)
        number += 1
    if state.is_chance_node():
        raise Unplayable("an outcome of chance must follow")
    _check_open(rules, state, choices)
    return SpielPosition(rules, state, chance, choices=choices)


def _past_moves(rules: SpielRules, history: Sequence[int]) -> Iterator[PastMove]:
    """Yield the moves of a game whose seats move one after the other."""
    state = rules.loaded.new_initial_state()
    for action in history:
        if not state.is_chance_node():
            seat, names = state.current_player(), move_names(state, state.current_player(), rules.prefix)
            text = next(text for text, named in names.items() if named == action)
            yield PastMove(seat, text, rules.listing.secret(state, text))
        state.apply_action(action)


def _check_choices(rules: SpielRules, state: Any, choices: Sequence[int]) -> None:
    if len(choices) < rules.seats:
        raise Unplayable("all seats must have chosen")
    for seat, action in enumerate(choices):
        if action not in state.legal_actions(seat):
            raise Unplayable(f"seat {seat} cannot choose {action}")


def _check_open(rules: SpielRules, state: Any, choices: tuple[int | None, ...]) -> None:
    """Check the choices of seats that choose at the same time, not all of which have chosen."""
    if choices and (len(choices) != rules.seats or None not in choices or not state.is_simultaneous_node()):
        raise Unplayable(f"only where {rules.seats} seats choose there are choices, of which one must be {OPEN}")
    for seat, choice in enumerate(choices):
        if choice is not None and choice not in state.legal_actions(seat):
            raise Unplayable(f"seat {seat} cannot choose {choice}")


def _shown(move: PastMove, viewer: Viewer) -> str:
    return HIDDEN if move.is_secret and viewer not in (move.seat, REFEREE) else move.text


def _printable(line: str) -> str:
    """Return a line without characters that are no text, and without blanks at its end."""
    plain = line if line.isprintable() else "".join(letter if letter.isprintable() else " " for letter in line)
    return plain.rstrip()
