"""All checks of a game, by name: what `referee game check` runs."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from engines.api import Game, Position
from engines.options import Settings
from engines.testing.agreement import check_agreement
from engines.testing.course_checks import check_ends, check_repeatable, measure_move_ms
from engines.testing.failure import CheckFailure, locate, require
from engines.testing.game_checks import (
    check_broken_texts,
    check_description,
    check_long_texts,
    check_options,
    check_settings_differ,
)
from engines.testing.hidden_checks import can_resample, check_hidden
from engines.testing.position_checks import Checker
from engines.testing.random_games import beginning, is_endless, settings_of, some_positions
from engines.testing.second_engine import SecondEngine

FULL_PLIES = 20_000
"""Plies of the game with default options of which positions are checked."""
SHORT_PLIES = 60
"""The same of games with other options."""
ANY_RULES = 3
"""Random combinations of options."""
COMPARED_PLIES = 40
"""Plies that are compared with a second engine, from each position where a comparison begins."""


@dataclass(frozen=True)
class Suspect:
    """A game that is being checked, with random games of it, which follow from the seed."""

    game: Game
    seed: int = 0
    second: SecondEngine | None = None
    """Another implementation of its rules, to compare it with."""

    def draw(self, purpose: str) -> random.Random:
        return random.Random(f"{self.seed} {purpose}")

    @cached_property
    def paths(self) -> list[list[Position]]:
        """A game with default options, and the beginnings of games with each other value of an option."""
        rng = self.draw("paths")
        settings = settings_of(self.game, ANY_RULES, rng)
        first = beginning(self.game, settings[0], rng, FULL_PLIES)
        return [first, *(beginning(self.game, other, rng, SHORT_PLIES) for other in settings[1:])]

    @cached_property
    def samples(self) -> list[tuple[Settings, list[Position]]]:
        """Some positions of each path, under its settings."""
        rng = self.draw("samples")
        many = [12, *(1 for _ in self.paths[1:])]
        return [
            (path[0].settings, some_positions(path, count, rng)) for path, count in zip(self.paths, many, strict=True)
        ]

    @cached_property
    def moves(self) -> set[str]:
        """The moves that are listed in the samples, to be tried in other positions."""
        positions = [position for _, sample in self.samples for position in sample]
        return {move for position in positions for seat in position.owing for move in position.moves(seat)}


@dataclass(frozen=True)
class Check:
    """A named property. `run` returns a note for its line of the report, and raises CheckFailure."""

    name: str
    meaning: str
    run: Callable[[Suspect, random.Random], str]


@dataclass(frozen=True)
class CheckResult:
    """What one check found: a note if the game passes, else a failure."""

    check: Check
    note: str = ""
    failure: CheckFailure | None = None


def run_checks(suspect: Suspect, checks: Sequence[Check]) -> Iterator[CheckResult]:
    """Yield the result of each check. Each depends on the game and the seed only, not on the other checks."""
    for check in checks:
        try:
            with locate():
                note = check.run(suspect, suspect.draw(check.name))
        except CheckFailure as failure:
            yield CheckResult(check, failure=failure)
        else:
            yield CheckResult(check, note)


def _check_positions(
    check: Callable[[Checker, Position, random.Random], None],
) -> Callable[[Suspect, random.Random], str]:
    """Return a check of all sample positions."""

    def run(suspect: Suspect, rng: random.Random) -> str:
        count = 0
        for settings, positions in suspect.samples:
            checker = Checker(suspect.game, settings)
            checker.moves_seen.update(suspect.moves)
            for position in positions:
                check(checker, position, rng)
                count += 1
        return f"{count} positions"

    return run


def _describe_game(suspect: Suspect, _: random.Random) -> str:
    check_description(suspect.game)
    return f"{suspect.game.title}, version {suspect.game.version}"


def _check_options(suspect: Suspect, rng: random.Random) -> str:
    check_options(suspect.game)
    check_settings_differ(suspect.game, rng)
    return f"{len(suspect.game.options.declared)} options, {len(suspect.game.options.presets)} presets"


def _check_hostile_texts(suspect: Suspect, rng: random.Random) -> str:
    for path in suspect.paths:
        texts = [str(position) for position in path[:SHORT_PLIES]]
        check_broken_texts(suspect.game, path[0].settings, texts * 3, rng)
    start = suspect.paths[0][0]
    move = start.moves(start.owing[0])[0]
    check_long_texts(start, suspect.game, (move, move[0], "0", ","))
    return "mutated, nonsense, and very long"


def _check_ends(suspect: Suspect, rng: random.Random) -> str:
    games = [suspect.game.settings({}, preset.name) for preset in suspect.game.options.presets]
    plies = [
        check_ends(suspect.game, each, rng) for each in (suspect.game.settings(), *games) if not is_limitless(each)
    ]
    return f"the longest of {2 * len(plies)} games took {max(plies, default=0)} moves"


def is_limitless(settings: Settings) -> bool:
    """Return whether the game has limits, and all of them are switched off."""
    limits = {"repetition", "no_capture_plies", "max_plies", "max_turns"}
    return bool(limits & set(settings.texts())) and is_endless(settings)


def _check_repeatable(suspect: Suspect, rng: random.Random) -> str:
    check_repeatable(suspect.game, suspect.game.settings(), rng)
    return "the same game twice"


def _check_hidden(suspect: Suspect, rng: random.Random) -> str:
    pairs, restricted = check_hidden(suspect.game, suspect.game.settings(), rng, sorted(suspect.moves))
    if not restricted:
        return "all viewers see everything"
    names = {viewer: "spectator" if viewer < 0 else f"seat {viewer}" for viewer in sorted(restricted)}
    found = ", ".join(f"{name} {pairs[viewer]}" for viewer, name in names.items())
    blind = [name for viewer, name in names.items() if not pairs[viewer]]
    require(
        not blind or can_resample(suspect.game),
        f"no two positions found that are equal for {', '.join(blind)}: override Game.imagine, or Game.resample",
    )
    return f"pairs compared: {found}"


def _check_agreement(suspect: Suspect, rng: random.Random) -> str:
    """Compare random play from the first position and from a later one of each path that the second engine can play."""
    assert suspect.second, "this check runs only if there is a second engine"
    paths = [path for path in suspect.paths if not suspect.second.refusal(path[0].settings)]
    require(paths, "the second engine plays by none of the options")
    for path in paths:
        for first in (path[0], rng.choice(path)):
            check_agreement(suspect.game, suspect.second, first, COMPARED_PLIES, rng)
    return f"{len(paths)} of {len(suspect.paths)} combinations of options"


def _measure_speed(suspect: Suspect, rng: random.Random) -> str:
    measured = "with its process" if suspect.game.is_slow else "of CPU"
    return f"{measure_move_ms(suspect.game, suspect.game.settings(), rng):.2f} ms {measured} for each move"


CHECKS = [
    Check("description", "name, rules, notation and schema", _describe_game),
    Check("options", "options are described, and wrong ones refused", _check_options),
    Check("moves", "listed moves are accepted", _check_positions(Checker.check_moves)),
    Check("refusals", "all other moves are refused", _check_positions(Checker.check_refusals)),
    Check("outcomes", "a position has moves or an outcome", _check_positions(Checker.check_outcome)),
    Check("texts", "texts are read as the same position", _check_positions(Checker.check_text)),
    Check("hostile-texts", "broken texts are refused", _check_hostile_texts),
    Check("views", "views match their schema", _check_positions(Checker.check_views)),
    Check("drawings", "views can be drawn", _check_positions(Checker.check_drawings)),
    Check("hidden", "viewers learn nothing that is hidden", _check_hidden),
    Check("ends", "games end", _check_ends),
    Check("repeatable", "equal seeds and moves give equal games", _check_repeatable),
    Check("speed", "a move costs little time", _measure_speed),
]
AGREEMENT = Check("agreement", "a second engine gives the same answers", _check_agreement)
"""It runs only beside a second engine."""
