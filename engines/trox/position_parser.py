"""Parses the text of a position and reports what is wrong with it."""

import re

from engines.game_errors import MalformedPosition
from engines.trox.cellsets import OF_A_COLOUR, OF_A_PIECE
from engines.trox.ground import Ground
from engines.trox.hands import in_hand, one_pawn, pawns_in
from engines.trox.lattice import CELL, cell_named
from engines.trox.notation import KIND, NO_SPOT, SEATS, START, by_seat, names, position_text
from engines.trox.pawns import Pawns, Rules
from engines.trox.pieces import COLOUR_NAMES, COLOURS, KIND_NUMBERS, PIECES, spot_of
from engines.trox.triangles import NOBODY, captured, full_triangles, wins

_CELLS = f"-|{CELL}(?:,{CELL})*"
_PIECE = f"(?:{KIND})@{CELL}/{CELL}"
GRAMMAR = re.compile(
    rf"(?P<pieces>-|{_PIECE}(?:,{_PIECE})*) (?P<round>{_CELLS}) (?P<square>{_CELLS}) (?P<neutral>{_CELLS})"
    r" (?P<round_hand>-|[NBR]{1,6})/(?P<square_hand>-|[NBR]{1,6})"
    r" (?P<side>round|square) (?P<plies>0|[1-9][0-9]{0,8}) (?P<passes>[0-2])",
    re.ASCII,
)
PAWNS = 12


def read_position(text: str, rules: Rules) -> tuple[Pawns, int]:
    """Return the pawns, and the plies played. Raises MalformedPosition."""
    found = GRAMMAR.fullmatch(text)
    if not found:
        raise MalformedPosition(text, f"it must have eight fields separated by single spaces, as in {START!r}")
    try:
        pawns = _pawns(found, rules)
        plies = int(found["plies"])
        _check_turn(pawns, plies)
        _check_passes(pawns)
        _check_captures(pawns)
    except _InvalidText as error:
        raise MalformedPosition(text, str(error)) from None
    written = position_text(pawns, plies)
    if written != text:
        raise MalformedPosition(text, f"its canonical form is {written!r}")
    return pawns, plies


class _InvalidText(ValueError):
    pass


def _pawns(found: re.Match[str], rules: Rules) -> Pawns:
    ground = _ground(found["pieces"], rules.ground)
    parts = [_cells(found[name], ground) for name in (*SEATS, "neutral")]
    if parts[0] & parts[1] or (parts[0] | parts[1]) & parts[2]:
        raise _InvalidText("a cell may hold only one pawn")
    hands = [_hand(found["round_hand"]), _hand(found["square_hand"])]
    _count(parts, hands)
    mover = SEATS.index(found["side"])
    own, enemy, neutral = parts[mover], parts[1 - mover], parts[2]
    down = own | enemy | neutral
    free = ground.cells ^ down
    full = full_triangles(ground.triangles, down)
    # If both seats have winning triangles, the seat that has just acted has won (TX-11).
    neutrals = rules.neutrals_capture
    winner = 1 - mover if wins(full, enemy, own, neutrals) else mover if wins(full, own, enemy, neutrals) else NOBODY
    passes = int(found["passes"])
    return Pawns(rules, ground, mover, own, enemy, free, hands[mover], hands[1 - mover], passes, winner)


def _ground(listed: str, ground: Ground) -> Ground:
    """Return the ground with the pieces laid in some order in which each of them fits.

    The text does not contain the order, and it makes no difference. Laying any piece that fits always finds one: if a
    piece would enclose an area, the pieces that fill this area in the end can be laid before it.
    """
    waiting = [_piece(text) for text in listed.split(",")] if listed != "-" else []
    if len(waiting) > PIECES:
        raise _InvalidText("there may be at most twelve pieces")
    while waiting:
        fitting = [piece for piece in waiting if ground.allows(piece[0])]
        if not fitting:
            raise _InvalidText(_misfit(ground))
        spot, kind = fitting[0]
        if kind not in ground.supply.kinds:
            raise _InvalidText("there are more pieces of a kind than the tileset has (TX-2)")
        ground = ground.lay(spot, kind)
        waiting.remove(fitting[0])
    return ground


def _misfit(ground: Ground) -> str:
    if not ground.pieces:
        return "a piece must be on 0.0u/0.-1d, where the first one is laid (TX-3)"
    return "the pieces overlap, are not connected by sides, or enclose an empty area (TX-5, TX-6)"


def _piece(text: str) -> tuple[int, int]:
    """Return the spot and kind of a piece."""
    kind, middle, excluded = re.split("[@/]", text)
    spot = spot_of(cell_named(middle), cell_named(excluded))
    if spot is None:
        raise _InvalidText(NO_SPOT)
    return spot, KIND_NUMBERS[kind]


def _cells(listed: str, ground: Ground) -> int:
    cells = 0
    for name in listed.split(",") if listed != "-" else ():
        number = ground.numbers.get(cell_named(name))
        if number is None:
            raise _InvalidText(f"there is no piece under the pawn on {name}")
        cells |= 1 << number
    return cells


def _hand(letters: str) -> int:
    counts = [letters.count(letter) for letter in COLOURS]
    if max(counts) > 2:
        raise _InvalidText("a seat has at most two pawns of a colour (TX-1)")
    return sum(many * one_pawn(colour) for colour, many in enumerate(counts))


def _count(parts: list[int], hands: list[int]) -> None:
    """Check that each seat has two pawns per colour; missing ones must have been captured, and be neutral now."""
    for colour, name in enumerate(COLOUR_NAMES):
        down = [(cells >> PIECES * colour & OF_A_COLOUR).bit_count() for cells in parts]
        missing = [2 - down[seat] - in_hand(hands[seat], colour) for seat in (0, 1)]
        if min(missing) < 0 or sum(missing) != down[2]:
            raise _InvalidText(f"each seat must have two {name} pawns in hand, on the ground or neutral (TX-1)")


def _check_turn(pawns: Pawns, plies: int) -> None:
    """Check that the seats have taken turns, and that each turn of placing has placed one pawn."""
    if pawns.mover != plies % 2:
        raise _InvalidText(f"after {plies} plies it is {SEATS[plies % 2]}'s turn")
    placed = min(plies, PAWNS)
    in_hands = by_seat(pawns, pawns_in(pawns.hand), pawns_in(pawns.enemy_hand))
    if in_hands != (6 - (placed + 1) // 2, 6 - placed // 2):
        raise _InvalidText(f"after {plies} plies {placed} pawns must have been placed, in turn (TX-4)")
    down = pawns.ground.cells ^ pawns.free
    bare = [piece for piece in range(len(pawns.ground.pieces)) if not down >> piece & OF_A_PIECE]
    if bare and plies <= PAWNS:
        raise _InvalidText("every piece is laid with a pawn on it (TX-4)")
    if plies < PAWNS + pawns.passes and pawns.passes:
        raise _InvalidText("a seat may not pass while pawns are being placed (TX-7)")


def _check_passes(pawns: Pawns) -> None:
    """Check that every seat that has just passed had no other move, and that the game was not over then."""
    before = pawns
    for passes in range(pawns.passes - 1, -1, -1):
        before = before.turned(passes)
        if before.can_move() or before.result():
            raise _InvalidText(f"{SEATS[before.mover]} could not have passed (TX-13)")


def _check_captures(pawns: Pawns) -> None:
    """Check that no pawn stands in a capturing triangle that should have captured it, unless the game was won first."""
    if pawns.winner != NOBODY:
        return
    rules = pawns.rules
    full = full_triangles(pawns.ground.triangles, pawns.ground.cells ^ pawns.free)
    acted, waited = (pawns.own, pawns.enemy) if pawns.passes % 2 else (pawns.enemy, pawns.own)
    missed = captured(full, waited, acted, rules.neutrals_capture)
    if not rules.suicide_safe:
        missed |= captured(full, acted, waited, rules.neutrals_capture)
    if missed:
        raise _InvalidText(f"the pawn on {names(pawns, missed)[0]} would have been captured (TX-9)")
