"""A false statement about what follows from the rules is found in its entry, even if the referee signed it."""

import random
from dataclasses import fields, replace
from typing import Any

import pytest

from referee.match.events import Event, FlagFell, MovePlayed, MoveRefused, PlayEnded
from referee.match.result import EndKind
from referee.records.verify import ReplayMismatch, replay_finished_match
from tests.records.matches import all_games, find_game, random_match

DERIVED: dict[type, tuple[str, ...]] = {
    MovePlayed: ("token",),
    MoveRefused: ("token", "reason", "rule", "sentence", "attempts_left"),
    FlagFell: ("token",),
    PlayEnded: ("seed", "result"),
}
"""Fields whose values follow from the rules."""
DERIVED_OF_A_ROW = ("asked_us", "network_credit_us", "charged_us", "before", "after", "late")


def _otherwise(value: Any, rng: random.Random) -> Any:
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
    name = rng.choice([field.name for field in fields(value) if isinstance(getattr(value, field.name), int | str)])
    return replace(value, **{name: _otherwise(getattr(value, name), rng)})


def _lie(event: Any, rng: random.Random) -> Event | None:
    if isinstance(event, PlayEnded) and event.result.kind is EndKind.VOID:
        return None  # Nothing proves why people abort a match.
    names = list(DERIVED.get(type(event), ()))
    row = event.row if isinstance(event, MovePlayed | FlagFell) else None
    if row:
        name = rng.choice(DERIVED_OF_A_ROW)
        names.append("row")
        row = replace(row, **{name: _otherwise(getattr(row, name), rng)})
    if not names:
        return None
    name = rng.choice(names)
    changed: Event = replace(event, **{name: row if name == "row" else _otherwise(getattr(event, name), rng)})
    return changed


@pytest.mark.parametrize("game", list(all_games()))
def test_any_lie_about_what_follows_from_the_rules_is_found_where_it_stands(game: str) -> None:
    rng = random.Random(game)
    for seed in range(10):
        events = random_match(find_game(game), seed)
        for number in rng.sample(range(2, len(events) + 1), min(8, len(events) - 1)):
            lie = _lie(events[number - 1], rng)
            if lie is None:
                continue
            with pytest.raises(ReplayMismatch) as found:
                replay_finished_match([*events[: number - 1], lie, *events[number:]], find_game(game))
            assert found.value.number == number, (lie, str(found.value))
