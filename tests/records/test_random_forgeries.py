"""A false statement about what follows from the rules is found in its entry, even if the referee signed it."""

import random
from typing import Any

import pytest
from msgspec import Struct, structs
from msgspec.structs import replace

from engines.game_errors import SHOWN_CHARS
from referee.match.events import Event, FlagFell, MovePlayed, MoveRejected, PlayEnded
from referee.match.result import EndKind
from referee.records.verify import ReplayMismatch, replay_finished_match
from tests.records.matches import all_games, find_game, random_match

DERIVED: dict[type, tuple[str, ...]] = {
    MovePlayed: ("token",),
    MoveRejected: ("token", "reason", "rule", "sentence", "attempts_left"),
    FlagFell: ("token",),
    PlayEnded: ("seed", "result"),
}
"""Fields whose values follow from the rules."""
DERIVED_CLOCK_CHARGE_FIELDS = ("asked_us", "network_credit_us", "charged_us", "before", "after", "late")


def _other_value(value: Any, rng: random.Random) -> Any:
    """Return another value of the same type."""
    match value:
        case bool():
            return not value
        case int():
            return value + rng.choice([-1, 1, 1_000])
        case str():
            return value + "!"
        case bytes():
            return value[:-1] + bytes([value[-1] ^ 1])
    name = rng.choice([name for name in value.__struct_fields__ if isinstance(getattr(value, name), int | str)])
    change = structs.replace if isinstance(value, Struct) else replace
    return change(value, **{name: _other_value(getattr(value, name), rng)})


def _falsified(event: Any, rng: random.Random) -> Event | None:
    if isinstance(event, PlayEnded) and event.result.kind is EndKind.VOID:
        return None  # Nothing proves why people abort a match.
    if isinstance(event, MoveRejected) and len(event.move) > SHOWN_CHARS:
        return None  # The record has only the beginning of the move.
    names = list(DERIVED.get(type(event), ()))
    row = event.row if isinstance(event, MovePlayed | FlagFell) else None
    if row:
        name = rng.choice(DERIVED_CLOCK_CHARGE_FIELDS)
        names.append("row")
        row = structs.replace(row, **{name: _other_value(getattr(row, name), rng)})
    if not names:
        return None
    name = rng.choice(names)
    changed: Event = structs.replace(event, **{name: row if name == "row" else _other_value(getattr(event, name), rng)})
    return changed


@pytest.mark.parametrize("game", list(all_games()))
def test_every_false_statement_about_consequences_is_found_in_its_entry(game: str) -> None:
    rng = random.Random(game)
    for seed in range(10):
        events = random_match(find_game(game), seed)
        for number in rng.sample(range(2, len(events) + 1), min(8, len(events) - 1)):
            falsified = _falsified(events[number - 1], rng)
            if falsified is None:
                continue
            with pytest.raises(ReplayMismatch) as found:
                replay_finished_match([*events[: number - 1], falsified, *events[number:]], find_game(game))
            assert found.value.number == number, (falsified, str(found.value))
