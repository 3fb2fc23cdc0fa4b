"""What the match factory reads on the event loop (options, and a position without moves) is cheap for any input.

CPU time is compared with that of a fixed piece of work of the same engines, so that the limit means the same on every
machine, with or without coverage measurement. A measurement that is slow for another reason is repeated.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from referee_api.v1 import game_pb2
from referee_values import Opening

from engines.api import REFEREE, Game
from engines.game_errors import DetailedError
from engines.registry import find, games, own_games
from engines.troke import own_board
from referee.live.loop_lag import thread_cpu_us
from referee.live.match_request import LiveLimits, MatchRequest
from referee.match.clock import SECOND, SuddenDeath
from referee.match.match_terms import MatchTerms
from referee.match.setup import Setup
from referee.transport.contract_options import max_chars
from tests.engines.troke.test_boards import largest
from tests.match.setups import time_control

GAMES = 7
PLIES = 100
"""Size of the fixed piece of work. It took 20 ms, which is the limit, on the machine where this was written."""
TRIES = 5
PIECES = ("x", "a1", "é", "0", "9", "-1,", "b1:TrWrMr,", "NBR@0.0u/0.-1d,", "7D:30>33,", "[", '{"a":', "{}", " ", "/")
CONTROL = SuddenDeath(3_600 * SECOND)
OPTION_CHARS = max_chars(game_pb2.Rules.DESCRIPTOR.fields_by_name["options"])
POSITION_CHARS = max_chars(game_pb2.Opening.DESCRIPTOR.fields_by_name["position"])


def fixed_work() -> None:
    game = games()["alquerque"]
    settings = game.settings()
    for _ in range(GAMES):
        position = game.start(settings, bytes(32))
        for _ in range(PLIES):
            if position.outcome:
                break
            [seat] = position.owing
            position = position.play(seat, position.moves(seat)[-1])


def cpu_us(work: Callable[[], object]) -> int:
    own_board.read_board.cache_clear()
    before_us = thread_cpu_us()
    with suppress(DetailedError):
        work()
    return thread_cpu_us() - before_us


def setup_builder(game: Game, options: dict[str, str], position: str = "") -> Callable[[], object]:
    def build() -> Setup:
        terms = MatchTerms(game.name, game.settings(options), time_control((CONTROL,)))
        return MatchRequest(terms, opening=Opening(position=position)).setup(
            "m", bytes(32), {game.name: game}, LiveLimits()
        )

    return build


def repeat_to(piece: str, size: int) -> str:
    return (piece * (size // len(piece) + 1))[:size]


def long_path_board(path_length: int) -> str:
    """Return a board connected by one long path that ends in cells with as many lines as are allowed.

    The lines are listed in the order in which a scan of the list reaches one more cell at each line.
    """
    names = [f"{chr(97 + number // 99)}{number % 99 + 1}" for number in range(own_board.MAX_CIRCLES)]
    rows = [divmod(number, 8) for number in range(len(names))]
    cells = [{"id": name, "x": 7 - x if y % 2 else x, "y": y} for name, (y, x) in zip(names, rows, strict=True)]
    dense = len(names) - path_length
    lines = [(first, first + distance) for first in range(dense) for distance in (2, 3, 4) if first + distance < dense]
    lines += [(first, first + 1) for first in range(len(names) - 1)]
    edges = [[names[first], names[second]] for first, second in sorted(lines, reverse=True)]
    start = {"S": names[:4], "W": names[4:8], "N": names[-4:], "E": names[-8:-4]}
    forward = {"S": [0, 1], "W": [0, 1], "N": [0, -1], "E": [0, -1]}
    return json.dumps({"cells": cells, "edges": edges, "start": start, "forward": forward})


def setup_builders(game: Game) -> Iterator[Callable[[], object]]:
    start = game.start(game.settings(), bytes(32)).text(REFEREE)
    for piece in PIECES:
        for before in ("", start, f"{start} ", start[: len(start) // 2]):
            yield setup_builder(game, {}, (before + repeat_to(piece, POSITION_CHARS))[:POSITION_CHARS])
        for option in game.options.declared:
            yield setup_builder(game, {option.name: repeat_to(piece, OPTION_CHARS)})
            yield setup_builder(game, {option.name: f"[{repeat_to(piece, OPTION_CHARS - 1)}"})
    if game.name == "troke":
        for board in (json.dumps(largest()), *(long_path_board(path_length) for path_length in (0, 40, 80, 120))):
            yield setup_builder(game, {"own_board": board})


@pytest.mark.parametrize("game", list(map(find, own_games())), ids=lambda game: game.name)
def test_reading_any_options_or_position_costs_at_most_a_fixed_amount_of_work(game: Game) -> None:
    limit_us = cpu_us(fixed_work)
    for build in setup_builders(game):
        assert cpu_us(build) <= limit_us or any(cpu_us(build) <= cpu_us(fixed_work) for _ in range(TRIES))
