"""Draws what a viewer does not see anew.

A text of a seat in a game that hides something has no history, so a full position is found by playing: chance and
hidden moves are drawn, the other moves are known, and a game whose last position looks as the text says is the answer.
Where hands are large, none is found, and the text is refused. From a full position, changes that a viewer does not
notice are found in all games.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from engines.api import SPECTATOR, Viewer
from engines.chance import Chance
from engines.game_errors import MalformedPosition
from engines.openspiel.position import HIDDEN, OPEN, SpielPosition, Unplayable, replayed, settled
from engines.openspiel.position_parser import MAX_TEXT, read_position
from engines.openspiel.rules import SpielRules

MAX_TRIES: Final = 1_000
MAX_PLIES: Final = 5_000
"""Moves that all tries together may take."""
MAX_CHANGES: Final = 8
"""Changes that are tried until the viewer does not notice one."""


def imagine_position(rules: SpielRules, text: str, seed: bytes) -> SpielPosition:
    """Return a full position that looks to some viewer as the text says. Raises MalformedPosition."""
    if HIDDEN not in text[:MAX_TEXT] or len(text) > MAX_TEXT:
        return read_position(rules, text)
    if not rules.hides:
        return _with_chance(rules, text, Chance(seed))
    view = _read_view(text)
    for position in _playouts(rules, view["moves"], Chance(seed)):
        if list(position.owing) == view["to_move"] and text in _looks(position):
            return position
    raise MalformedPosition(text, "no full position was found that looks like this: too much of it is hidden")


def resample_position(position: SpielPosition, viewer: Viewer, seed: bytes) -> SpielPosition:
    """Return a position that looks the same to `viewer`, after a change of what it does not see, if one is found."""
    chance = Chance(seed)
    known, rules = position.text(viewer), position.rules
    for _ in range(MAX_CHANGES if rules.hides else 0):
        history, chance = _changed(position, viewer, chance)
        try:
            other = replayed(rules, position.chance, history)
        except Unplayable:
            continue
        if other.text(viewer) == known:
            position = other
            break
    choices = list(position.choices)
    for seat, choice in enumerate(choices):
        if choice is not None and seat != viewer:
            choices[seat], chance = _pick(list(position.choosable(seat)), chance)
    later = Chance(chance.fork("later").seed) if position.chance else None
    return SpielPosition(rules, position.state, later, choices=tuple(choices))


def _with_chance(rules: SpielRules, text: str, chance: Chance) -> SpielPosition:
    """Return the position of a game that hides only what will be drawn, and choices until all seats have chosen."""
    fields = text.split(" ")
    if rules.has_chance and fields[0] == HIDDEN:
        fields[0] = f"{chance.fork('later').seed.hex()}/0"
    choices = fields[-1].split(",") if rules.is_simultaneous else []
    if HIDDEN not in choices:
        return read_position(rules, " ".join(fields))
    if OPEN not in choices:
        raise MalformedPosition(text, f"a seat must have {OPEN} in the place of its choice")
    fields[-1] = ",".join(OPEN if choice == HIDDEN else choice for choice in choices)
    position = read_position(rules, " ".join(fields))
    for seat in (seat for seat, choice in enumerate(choices) if choice == HIDDEN):
        move, chance = _pick(position.moves(seat), chance)
        position = position.play(seat, move)
    return position


def _read_view(text: str) -> Mapping[str, Any]:
    """Return the view of a game that hides something. Raises MalformedPosition."""
    try:
        view = json.loads(text.removeprefix(f"{HIDDEN} "))
        # Fails unless there is a seat and a text of each move.
        moves = [(int(seat), str(move)) for seat, move in view["moves"]]
        return {"to_move": list(view["to_move"]), "moves": moves}
    except (ValueError, TypeError, KeyError, RecursionError):
        raise MalformedPosition(
            text, f"it must be {HIDDEN} and the view of a seat as JSON, or a full position"
        ) from None


def _playouts(rules: SpielRules, moves: Sequence[tuple[int, str]], chance: Chance) -> Iterator[SpielPosition]:
    """Yield the last positions of games with these moves, where hidden ones and chance are drawn."""
    plies = 0
    for number in range(MAX_TRIES):
        own = chance.fork(f"try {number}")
        drawn = own.fork("game") if rules.has_chance else None
        position = settled(rules, rules.loaded.new_initial_state(), drawn)
        played = 0
        for seat, move in moves:
            known = position.moves(seat)
            chosen = move
            if move == HIDDEN and known:
                chosen, own = _pick(known, own)
            if chosen not in known:
                break
            position, played = position.play(seat, chosen), played + 1
        if played == len(moves):
            yield position
        plies += played + 1
        if plies > MAX_PLIES:
            return


def _looks(position: SpielPosition) -> list[str]:
    """Return the texts of all viewers."""
    return [position.text(viewer) for viewer in (SPECTATOR, *range(position.rules.seats))]


def _changed(position: SpielPosition, viewer: Viewer, chance: Chance) -> tuple[list[int], Chance]:
    """Return the history of a position with another outcome of chance, or another hidden move.

    If the other outcome comes later, the two change places, as cards that are dealt.
    """
    history = list(position.state.history())
    hidden = [number for number, seat in enumerate(position.seats_of_history()) if seat not in (None, viewer)]
    if not hidden:
        return history, chance
    index, chance = _pick(hidden, chance)
    state = position.rules.loaded.new_initial_state()
    for action in history[:index]:
        state.apply_action(action)
    before = history[index]
    history[index], chance = _pick(state.legal_actions(), chance)
    later = [number for number in hidden if number > index and history[number] == history[index]]
    if later:
        history[later[0]] = before
    return history, chance


def _pick(things: Sequence[Any], chance: Chance) -> tuple[Any, Chance]:
    number, chance = chance.below(len(things))
    return things[number], chance
