"""Strength of the searching bot against a random one, in this process, with a given number of iterations per move.

A draw is half a game won. Seats are exchanged after each game; in Toc both seats of a team search.
"""

import random
import time
from dataclasses import dataclass
from math import sqrt

from referee_client import Turn
from referee_client.bots.search import SearchBot
from referee_client.bots.search_tree import shares

from bench.figures import Findings
from bench.measurement import Measurement, Scope
from engines.api import Game, Position, Seat
from engines.registry import find


@dataclass(frozen=True, slots=True)
class Plan:
    """The number of games of one game, and of iterations per move."""

    game: str
    games: int
    iterations: int


PLANS = (Plan("alquerque", 100, 100), Plan("trox", 30, 50), Plan("troke", 10, 30), Plan("toc", 6, 30))
QUICK = (Plan("alquerque", 10, 50), Plan("trox", 2, 20))


def measure(scope: Scope) -> Findings:
    found = Findings()
    for plan in scope.pick(QUICK, PLANS):
        won, milliseconds = _played(plan)
        name = f"{plan.game}, {plan.iterations} iterations, {plan.games} games"
        share = won / plan.games
        low, high = likely(share, plan.games)
        found.add(name, "won, %", share * 100)
        found.add(name, "95 % sure: at least, %", low * 100)
        found.add(name, "at most, %", high * 100)
        found.add(name, "CPU per move, ms", milliseconds)
    return found


def likely(share: float, games: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of the true share (Wilson's interval)."""
    z = 1.96
    middle = share + z * z / (2 * games)
    half = z * sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    whole = 1 + z * z / games
    return (middle - half) / whole, (middle + half) / whole


def _played(plan: Plan) -> tuple[float, float]:
    """Return the number of games won, and the milliseconds of CPU for each move of the searching bot."""
    game = find(plan.game)
    won, moves, begun = 0.0, 0, time.process_time()
    for number in range(plan.games):
        gained, thought = _game(game, number, plan.iterations)
        won += gained
        moves += thought
    return won, (time.process_time() - begun) / moves * 1_000


def _game(game: Game, number: int, iterations: int) -> tuple[float, int]:
    """Play one game, and return the result of the searching side, and the number of moves it searched."""
    rng, bot = random.Random(number), SearchBot(seed=number, iterations=iterations)
    position, moves = game.start(game.settings(), rng.randbytes(32)), 0
    sides = game.table(position.settings).sides
    side = number % len(sides)
    while position.outcome is None:
        seat = position.owing[0]
        if seat in sides[side]:
            move, moves = bot.choose(_turn(game, position, seat)), moves + 1
        else:
            move = rng.choice(position.moves(seat))
        position = position.play(seat, move)
    return shares(position.outcome.side_scores)[side], moves


def _turn(game: Game, position: Position, seat: Seat) -> Turn:
    return Turn(
        match_id="",
        seat=seat,
        token="",
        game=game.name,
        options=position.settings.texts(),
        ply=0,
        position=position.text(seat),
    )


MEASUREMENT = Measurement("strength", "How strong is the searching bot, against a random one?", measure)
