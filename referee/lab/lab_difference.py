"""Differences between two engines that a run of the lab has found: what the file of differences has of each."""

import shlex

from msgspec import Struct

from engines.api import REFEREE, Game, Seat
from engines.second.engine_difference import SecondEngineError
from referee.lab.match_player import PlayedMatch
from referee.match.events import MovePlayed
from referee.match.setup import game_seed, match_chance


class LabDifference(Struct, frozen=True):
    """A match that is void because of its second engine, from the first position to the move that shows it."""

    match: str
    """Name of the match."""
    second_engine: str
    report: tuple[str, ...]
    """What differs, the position, the move, and both answers."""
    game: str
    options: dict[str, str]
    position: str
    """Full text of the first position."""
    moves: tuple[tuple[Seat, str], ...]
    command: str
    """Command that shows the difference again."""


def lab_difference(name: str, finished: PlayedMatch, game: Game) -> LabDifference | None:
    """Return the difference that made a match void. None: there was none."""
    fault, setup = finished.fault, finished.match.setup
    if not isinstance(fault, SecondEngineError):
        return None
    settings, second = setup.terms.settings, setup.terms.checked_by
    position = setup.opening or game.start(settings, game_seed(match_chance(setup.seed, ()))).text(REFEREE)
    moves = [(event.seat, event.move) for event in finished.events if isinstance(event, MovePlayed)]
    moves += [fault.last] if fault.last else []
    options = [word for option, text in settings.texts().items() for word in ("-o", f"{option}={text}")]
    played = " ".join(f"{seat}:{move}" for seat, move in moves)
    command = ["referee", "show", game.name, *options, "--against", second, "--moves", played, position]
    report = tuple(str(fault).splitlines())
    return LabDifference(name, second, report, game.name, settings.texts(), position, tuple(moves), shlex.join(command))
