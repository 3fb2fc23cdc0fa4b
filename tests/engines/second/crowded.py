"""Random settings, and positions in which seldom rules apply: many captures, full rows, neutral pawns, bays."""

import random
from collections.abc import Callable, Sequence

from engines import alquerque, toc, troke, trox
from engines.api import Game, Position
from engines.game_errors import BadOption, MalformedPosition
from engines.options import Settings, Value
from engines.testing.random_games import any_choice
from engines.toc.position import TocPosition
from engines.trox.position import TroxPosition
from tests.engines.second import trox_reference
from tests.engines.second.alquerque_reference import POINTS, AlquerqueSecond
from tests.engines.second.troke_reference import BOARDS
from tests.engines.second.trox_reference import SEATS, name
from tests.engines.toc.positions import position_text

STARTS = (0, 18, 36, 54)
RANKS = "A23456789TJQK"


def some_settings(game: Game, rng: random.Random, **fixed: Value) -> Settings:
    """Return random options, but for the fixed ones."""
    while True:
        try:
            return game.settings({**any_choice(game, rng), **fixed})
        except BadOption:
            continue  # The game does not allow this combination.


def crowded_board(rng: random.Random) -> Position:
    """Return a position of Alquerque with men everywhere, so that there are many captures."""
    settings = some_settings(alquerque.GAME, rng, repetition=0, no_capture_plies=0)
    while True:
        men = {point: man for point in POINTS if (man := rng.choice("wb...")) != "."}
        if {"w", "b"} <= set(men.values()) and max(map(list(men.values()).count, "wb")) <= 12:
            return alquerque.GAME.read(AlquerqueSecond(settings.texts(), men).full_text(), settings)


def crowded_track(rng: random.Random) -> TocPosition:
    """Return a position of Toc with most pawns near each other and near a start cell."""
    settings = some_settings(toc.GAME, rng, branch_offset=rng.choice((0, 1, 2)), max_turns=400)
    mover = rng.randrange(4)
    ranks = {"7", *rng.sample(RANKS, 2)} if rng.random() < 0.7 else set(rng.sample(RANKS, 4))
    hand = " ".join(rank + rng.choice("SHDC") for rank in sorted(ranks))
    return toc.GAME.read(position_text(_random_pawns(settings, rng), hand, mover), settings)


def _random_pawns(settings: Settings, rng: random.Random) -> str:
    middle = rng.choice(STARTS) + rng.randrange(-8, 4)
    cells = rng.sample([(middle + cell) % 72 for cell in range(18)], 12)
    counted, new_lap = settings["back_shortcut"] is False, settings["overshoot"] == "new_lap"
    laps = ["", "", "-", "+"] if counted or new_lap else [""]
    if counted and new_lap:
        laps.remove("+")  # No pawn gets ahead.
    seats = []
    for start in STARTS:
        at_home = rng.sample(range(4), rng.choice((0, 0, 1, 2, 3)))
        places = [(72 + deep, f"H{deep + 1}") for deep in at_home]
        for _ in range(min(4 - len(places), rng.choice((1, 2, 3, 4)), len(cells))):
            cell = cells.pop()
            mark = "*" if cell == start and rng.random() < 0.6 else rng.choice(laps)
            places.append((cell, f"{cell}{mark}"))
        names = [name for _, name in sorted(places)]
        seats.append(",".join(names + ["R"] * (4 - len(names))))
    return "/".join(seats)


def crowded_rows(rng: random.Random) -> Position:
    """Return pieces of Troke drawn together into the rows, one of them often full, so that rules of goal rows apply."""
    fixed: dict[str, Value] = {"board": "diamond40", "own_board": "", "scoring": "chips", "start_chips": 6}
    settings = some_settings(troke.GAME, rng, max_plies=2000, repetition=0, **fixed)
    board = BOARDS["diamond40"]
    circles = [cell["id"] for cell in board["cells"]]
    players = [seat[0] for seat in troke.GAME.table(settings).seats]
    while True:
        row = board["start"][rng.choice("SWNE")]
        stacks: dict[str, dict[str, str]] = {circle: {} for circle in circles}
        for shape in "TWM":
            owners = rng.sample(players * 4, 4 * len(players))
            filled = row if rng.random() < 0.8 else []
            others = [circle for circle in circles if circle not in filled]
            for circle, owner in zip([*filled, *rng.sample(others, len(owners) - len(filled))], owners, strict=True):
                if circle in filled or rng.random() < 0.5:
                    stacks[circle][shape] = owner
        text = ",".join(f"{name}:{''.join(s + o for s, o in on.items())}" for name, on in stacks.items() if on)
        try:
            at = troke.GAME.read(f"{text} {rng.choice(players)}", settings)
        except MalformedPosition:
            continue  # A player has four castles, and more than it was paid for.
        if at.owing:
            return at


def many_neutral(rng: random.Random) -> Position:
    """Return a position of Trox with all pawns down on a ground of few pieces, several of them neutral."""
    settings = some_settings(trox.GAME, rng, repetition=0, max_plies=60, hole_rule="off")
    while True:
        position = _laid(settings, 5, 12, rng, lambda at: -len(at.pawns.ground.triangles))
        ground = trox_reference.REFERENCE.start(settings, str(position)).ground
        cells = [rng.sample([cell for cell in ground if ground[cell] == colour], 4) for colour in "NBR"]
        whose = {cell: SEATS[place % 2] for four in cells for place, cell in enumerate(four)}
        whose |= dict.fromkeys(rng.sample(list(whose), rng.choice([4, 5, 6, 7])), "neutral")
        lists = [sorted(name(cell) for cell in whose if whose[cell] == holder) for holder in (*SEATS, "neutral")]
        text = " ".join([str(position).split(" ")[0], *(",".join(them) or "-" for them in lists), "-/- round 20 0"])
        try:
            at = trox.GAME.read(text, settings)
        except MalformedPosition:
            continue  # A pawn would have been captured.
        if at.owing:
            return at


def compact_ground(rng: random.Random) -> Position:
    """Return a position of Trox in which pieces were laid close to each other, so that bays form."""
    settings = some_settings(trox.GAME, rng, max_plies=60)
    return _laid(settings, rng.choice((1, 4, 8, 11)), 3, rng, lambda at: len(at.pawns.ground.room.spots))


def _laid(
    settings: Settings, pieces: int, tried: int, rng: random.Random, key: Callable[[TroxPosition], int]
) -> TroxPosition:
    """Return a position after so many pieces, of each of which some places are tried, and that with the least key."""
    position = trox.GAME.start(settings, b"")
    for _ in range(pieces):
        mover = position.owing[0]
        lays = [move for move in position.moves(mover) if "@" in move]
        position = min((position.play(mover, move) for move in rng.sample(lays, min(tried, len(lays)))), key=key)
    return position


CROWDS: dict[str, Sequence[Callable[[random.Random], Position]]] = {
    "alquerque": (crowded_board,),
    "toc": (crowded_track,),
    "troke": (crowded_rows,),
    "trox": (many_neutral, compact_ground),
}
