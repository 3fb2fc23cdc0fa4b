"""Parses the text of a position and reports what is wrong with it."""

import re

from engines.game_errors import MalformedMove, MalformedPosition
from engines.troke.boards import COLOURS, NAME
from engines.troke.chips import CASTLES, standing_castles
from engines.troke.notation import COLOUR_LETTERS, SHAPE_LETTERS, Spelling, owner_of, position_text
from engines.troke.pieces import Pieces
from engines.troke.placing import placed
from engines.troke.rules import NOBODY, Rules
from engines.troke.turns import DIGIT, DIGIT_BITS, SHAPES, TWO_STEPS

PIECES_OF_A_SHAPE = 4
GRAMMAR = re.compile(
    r"(?P<stacks>[^ ]+) (?P<side>[rbwy])"
    r"(?: (?P<chips>-?[0-9]{1,9}(?:/-?[0-9]{1,9})*)"
    r"(?: (?P<castles>[0-4](?:/[0-4])*)"
    r"(?: (?P<plies>[0-9]{1,9})(?: back=(?P<back>[^ ]+))?(?: clear=(?P<clear>[rbwy](?:,[rbwy])*))?)?)?)?",
    re.ASCII,
)
STACK = re.compile(rf"({NAME.pattern}):(?:T([rbwy]))?(?:W([rbwy]))?(?:M([rbwy]))?", re.ASCII)


def read_position(text: str, rules: Rules, spelling: Spelling) -> tuple[Pieces, int]:
    """Return the pieces, and the plies played. Raises MalformedPosition.

    Fields after the side to move may be omitted from the end: the chips are then those of the first position, the
    castles those that stand, and the plies 0.
    """
    found = GRAMMAR.fullmatch(text)
    if not found:
        example = "'b1:TrWrMr,d5:TrWw r 12/12 0/0 0'"
        raise MalformedPosition(
            text, f"it must consist of circles, side to move, chips, castles and plies, as in {example}"
        )
    try:
        pieces = _pieces(found, rules, spelling)
    except _InvalidText as error:
        raise MalformedPosition(text, str(error)) from None
    plies = int(found["plies"] or 0)
    written = position_text(pieces, plies, spelling)
    if not f"{written} ".startswith(f"{text} "):
        raise MalformedPosition(text, f"its canonical form is {written!r}")
    return pieces, plies


class _InvalidText(ValueError):
    pass


def _pieces(found: re.Match[str], rules: Rules, spelling: Spelling) -> Pieces:
    sets = _sets(found["stacks"], rules, spelling)
    colour = COLOUR_LETTERS.index(found["side"])
    if colour not in rules.colours:
        raise _InvalidText(f"{COLOURS[colour]} does not play")
    mover = rules.colours.index(colour)
    chips = _chips(found["chips"], rules)
    castles = _castles(found["castles"], sets, rules)
    pieces = placed(rules, mover, sets, chips, castles)
    barred = _barred(found["back"], pieces, spelling) if found["back"] else ()
    demanded = _demanded(found["clear"], mover, rules) if found["clear"] else 0
    return placed(rules, mover, sets, chips, castles, barred, demanded)


def _sets(stacks: str, rules: Rules, spelling: Spelling) -> tuple[int, ...]:
    sets = [0] * (3 * rules.seats)
    for stack in stacks.split(","):
        found = STACK.fullmatch(stack)
        if not found or found.lastindex == 1:
            raise _InvalidText(f"{stack!a} is not a circle with its pieces, which is written like d5:TrWwMw")
        circle = spelling.circle(found[1])
        if circle is None:
            raise _InvalidText(f"there is no circle {found[1]} on this board")
        for shape, owner in enumerate(found.groups()[1:]):
            if owner is not None:
                sets[3 * _seat(owner, rules) + shape] |= 1 << circle
    for index, pieces in enumerate(sets):
        if pieces.bit_count() > PIECES_OF_A_SHAPE:
            colour = COLOURS[rules.colours[index // 3]]
            raise _InvalidText(f"{colour} has {pieces.bit_count()} {SHAPES[index % 3]}s; the maximum is four")
    return tuple(sets)


def _seat(owner: str, rules: Rules) -> int:
    colour = COLOUR_LETTERS.index(owner)
    if colour not in rules.colours:
        raise _InvalidText(f"{COLOURS[colour]} does not play")
    return rules.colours.index(colour)


def _chips(listed: str | None, rules: Rules) -> tuple[int, ...]:
    if listed is None:
        return (rules.start_chips,) * rules.seats
    chips = _of_each_seat(listed, "chips", rules)
    if rules.race and any(chips):
        raise _InvalidText("there are no chips in a race, so every seat must have 0")
    if rules.capped and min(chips) < 0:
        raise _InvalidText("no seat may have fewer than 0 chips with debt=cap")
    return chips


def _castles(listed: str | None, sets: tuple[int, ...], rules: Rules) -> tuple[int, ...]:
    standing = tuple(standing_castles(rules, sets, seat) for seat in range(rules.seats))
    if listed is None:
        return standing
    castles = _of_each_seat(listed, "castles", rules)
    if castles != standing and rules.frozen:
        raise _InvalidText(f"the castles must be those on the board, {'/'.join(map(str, standing))}")
    for had, has in zip(castles, standing, strict=True):
        if had < has or (had == CASTLES and has < CASTLES):
            raise _InvalidText(
                "a seat must have been paid for at least the castles on the board, and for four only if four are there"
            )
    return castles


def _of_each_seat(listed: str, what: str, rules: Rules) -> tuple[int, ...]:
    numbers = tuple(map(int, listed.split("/")))
    if len(numbers) != rules.seats:
        raise _InvalidText(f"{listed} gives the {what} of {len(numbers)} seats; there must be {rules.seats}")
    return numbers


def _demanded(listed: str, mover: int, rules: Rules) -> int:
    if not rules.on_demand:
        raise _InvalidText("clear= needs clear_goal=on_demand")
    seats = [_seat(owner, rules) for owner in listed.split(",")]
    for seat in seats:
        if rules.across[seat] in (NOBODY, mover):
            raise _InvalidText("clear= may only name a colour whose opponent opposite has moved since its last turn")
    return sum({1 << seat for seat in seats})


def _barred(listed: str, pieces: Pieces, spelling: Spelling) -> tuple[int, ...]:
    if not pieces.rules.remembers:
        raise _InvalidText("back= is not allowed with lateral_rule=free")
    steps = [_step(name, pieces, spelling) for name in listed.split(",")]
    if len({step >> DIGIT_BITS for step in steps}) < len(steps):
        raise _InvalidText("back= may contain only one step for each piece")
    return tuple(sorted(steps))


def _step(text: str, pieces: Pieces, spelling: Spelling) -> int:
    """Return a step straight back as a turn, after checking that a piece could have made the step before it."""
    try:
        step = spelling.read_move(text)
    except MalformedMove as malformed:
        raise _InvalidText(f"{text!a} in back= is not a step: {malformed.details['right']}") from None
    if 0 < step < TWO_STEPS:
        place = step >> DIGIT_BITS
        owner = owner_of(pieces, (place >> DIGIT_BITS) - 1, place & DIGIT)
        if owner is not None and step in pieces.rules.ways[owner].back.values():
            return step
    letters = ", ".join(SHAPE_LETTERS)
    raise _InvalidText(f"{text!a} in back= is not a sideways step of a piece ({letters}) that is there and may move")
