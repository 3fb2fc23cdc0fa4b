"""Finds out why a well-formed move is illegal: the rule it breaks, and what would be legal instead.

Explanations reveal nothing that the seat does not know: they use its own hand and what is visible to everyone.
"""

from engines.game_errors import IllegalMove
from engines.toc import cards
from engines.toc.moves import CARD_MASK, GIFT, KILLS_SHIFT, SWAP, parts_of
from engines.toc.notation import move_text
from engines.toc.obstacles import Reason, back_obstacle, steps_between, walk_obstacle
from engines.toc.places import BITS, H1, NAMES, RESERVE, STARTS, places_in, reserve
from engines.toc.round import EXCHANGING, Round
from engines.toc.seven import STEPS, part_ends
from engines.toc.track import Track
from engines.toc.walker import Walker
from engines.toc.ways import Ways

MAX_LISTED = 4


def illegal(at: Round, seat: int, move: int, text: str) -> IllegalMove:
    """Return the error for `move`, which must not be a legal move of `seat`; `seat` must be to move."""
    rule, why = _reason(at, seat, move)
    return IllegalMove(text, rule, why)


def _reason(at: Round, seat: int, move: int) -> Reason:
    return _card(at, seat, move) or _use(at, seat, move)


def _card(at: Round, seat: int, move: int) -> Reason | None:
    """Return what is wrong with the card itself, or None."""
    card = move & CARD_MASK
    if at.mover == EXCHANGING and not move & GIFT:
        return "TC-2", f"cards are being exchanged; write a gift as ={cards.NAMES[card]}"
    if at.mover != EXCHANGING and move & GIFT:
        return "TC-2", "the exchange of this deal is over"
    if not at.hands[seat] >> card & 1:
        return "TC-3", f"seat {seat} does not hold {cards.NAMES[card]}"
    return None


def _use(at: Round, seat: int, move: int) -> Reason:
    parts = parts_of(move)
    if not parts:
        return "TC-3", f"a card that can be used must be played: {_listed(at.uses(seat))}"
    colour, rank = at.colour(seat), (move & CARD_MASK) >> 2
    kills = move >> KILLS_SHIFT
    if kills and at.allows(seat, move ^ kills << KILLS_SHIFT):
        return _kills(at.track, colour, rank, parts, kills)
    if move & SWAP:
        return _swap(at.track, colour, rank, *parts[0])
    if len(parts) > 1:
        return _divided(at, seat, move)
    return _single(at.track, colour, rank, *parts[0])


def _kills(track: Track, colour: int, rank: int, parts: list[tuple[int, int]], kills: int) -> Reason:
    """Return why these pawns cannot be killed in passing by a move that is legal without the kills."""
    if rank != cards.SEVEN or not track.rules.seven_kills_optional:
        return "seven_kills", "kills (x) may be written only for a 7, and only with seven_kills=optional"
    wrong = places_in(kills & ~track.passed_enemies(colour, parts))[0]
    return "TC-12", f"there is no enemy pawn on {NAMES[wrong]} that this move can kill in passing"


def _single(track: Track, colour: int, rank: int, start: int, to: int) -> Reason:
    if start == RESERVE:
        return _start(track, colour, rank, to)
    if not BITS[start] & track.pawns[colour]:
        return _nobody(colour, start)
    if rank == cards.FOUR:
        return back_obstacle(track, colour, start, to)
    counts = cards.COUNTS[rank]
    if start >= H1 > to:
        return "TC-10", "a pawn may not leave the corridor"
    steps = steps_between(track, colour, start, to)
    if steps not in counts:
        worth = " or ".join(map(str, counts))
        return (
            "TC-4",
            f"{cards.RANKS[rank]} moves {worth} steps forward; from {NAMES[start]} to {NAMES[to]} it is {steps}",
        )
    return walk_obstacle(track, colour, start, to)


def _nobody(colour: int, place: int) -> Reason:
    return "TC-3", f"seat {colour}, whose pawns must be moved, has no pawn on {NAMES[place]}"


def _start(track: Track, colour: int, rank: int, to: int) -> Reason:
    cell = STARTS[colour]
    if rank not in cards.STARTERS:
        return "TC-4", "only A and K can start a pawn"
    if to != cell:
        return "TC-5", f"the pawns of seat {colour} must start on {cell}"
    if not reserve(track.pawns[colour]):
        return "TC-5", f"seat {colour} has no pawn in its reserve"
    return "TC-5", f"a pawn of the same team is on {cell}"


def _swap(track: Track, colour: int, rank: int, start: int, other: int) -> Reason:
    if rank != cards.JACK:
        return "TC-4", "only J can swap pawns"
    if start >= H1 or other >= H1:
        return "TC-14", "only pawns on the ring can be swapped"
    if not BITS[start] & track.pawns[colour]:
        return _nobody(colour, start)
    if start not in Ways(track, colour).swappable():
        return "jack_from_start", f"the pawn on {NAMES[start]} is on a start cell and may not be swapped"
    if not any(BITS[other] & pawns for c, pawns in enumerate(track.pawns) if c != colour):
        return "TC-14", f"there is no pawn of another colour on {NAMES[other]}"
    return "jack_excludes", f"the pawn on {NAMES[other]} is on a start cell and may not be swapped"


def _divided(at: Round, seat: int, move: int) -> Reason:
    """Return the reason for the first illegal part, or else for the whole move."""
    colour, track = at.colour(seat), at.track
    parts = parts_of(move)
    if (move & CARD_MASK) >> 2 != cards.SEVEN:
        return "TC-12", "only a 7 can be divided"
    ended = 0
    for start, to in parts:
        if start == RESERVE or not BITS[start] & track.pawns[colour] & ~ended:
            return "TC-12", f"seat {colour} has no pawn on {NAMES[start]} that has not moved yet"
        wrong = _part(track, colour, start, to)
        if wrong:
            return wrong
        track = track.walked(colour, start, to, True)
        ended |= BITS[to]
    steps = sum(steps_between(track, colour, start, to) for start, to in parts)
    if steps != STEPS:
        return "TC-12", f"the parts add up to {steps} steps, not {STEPS}"
    same = [use for use in at.uses(seat) if sorted(parts_of(use)) == sorted(parts)]
    return "TC-12", f"another order leads to the same position and must be written instead: {_listed(same)}"


def _part(track: Track, colour: int, start: int, to: int) -> Reason | None:
    """Return why a part of a divided 7 is illegal on the given track, or None."""
    if start >= H1 > to:
        return "TC-10", "a pawn may not leave the corridor"
    steps = steps_between(track, colour, start, to)
    if not 0 < steps < STEPS:
        return "TC-12", f"from {NAMES[start]} to {NAMES[to]} it is {steps} steps, which is not a part of {STEPS}"
    if to in part_ends(Walker(track, colour), track, start, steps):
        return None
    rules = track.rules
    if to >= H1 and not (rules.split_enters if start < H1 else rules.split_moves_home):
        return "TC-13", f"no part of a divided 7 may go to {NAMES[to]}"
    return walk_obstacle(track, colour, start, to)


def _listed(moves: list[int]) -> str:
    texts = sorted(map(move_text, moves))
    more = f" and {len(texts) - MAX_LISTED} more" if len(texts) > MAX_LISTED else ""
    return " ".join(texts[:MAX_LISTED]) + more
