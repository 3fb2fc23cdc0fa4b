"""Positions for tests: some pawns and a hand; all other cards are distributed."""

from engines.options import Settings, Value
from engines.toc import GAME
from engines.toc.cards import NAMES
from engines.toc.position import TocPosition

SUITS = "SHDC"


def full_pawns(pawns: str) -> str:
    """Return `5/18*//` as in a position's text, with the pawns that are not named in the reserve."""
    seats = []
    for listed in pawns.split("/"):
        named = listed.split(",") if listed else []
        seats.append(",".join(named + ["R"] * (4 - len(named))))
    return "/".join(seats)


def position_text(pawns: str, hand: str, mover: int = 0, turns: int = 0, deck: int = 32) -> str:
    """Return a text in which `mover` has led and holds the cards `hand`, such as "AS 7H"; the others hold as many."""
    mine = sorted(hand.split(), key=NAMES.index)
    rest = [card for card in NAMES if card not in mine]
    hands = [mine if seat == mover else [rest.pop() for _ in mine] for seat in range(4)]
    left = [rest.pop() for _ in range(deck)]
    gifts = [hands[(seat + 2) % 4][0] for seat in range(4)]
    hands_text = "/".join("".join(sorted(cards, key=NAMES.index)) for cards in hands)
    return (
        f"{full_pawns(pawns)} {mover} {turns} {(mover - 1) % 4} {hands_text} {'/'.join(gifts)} "
        f"{''.join(rest) or '-'} {''.join(left) or '-'} 00:51"
    )


def set_up(pawns: str, hand: str, mover: int = 0, preset: str | None = None, **options: Value) -> TocPosition:
    """Return such a position, under some options."""
    return set_up_with(GAME.settings(options, preset), pawns, hand, mover)


def set_up_with(settings: Settings, pawns: str, hand: str, mover: int = 0) -> TocPosition:
    return GAME.read(position_text(pawns, hand, mover), settings)
