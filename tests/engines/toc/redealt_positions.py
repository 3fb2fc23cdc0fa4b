"""Positions that a viewer cannot tell apart: the hidden cards are dealt again."""

import random
from itertools import chain

from engines.api import SPECTATOR, Viewer
from engines.toc import GAME
from engines.toc.position import TocPosition

FULL_HANDS = {32: 5, 16: 4, 0: 4}
ORDER = [rank + suit for rank in "A23456789TJQK" for suit in "SHDC"]


def cards(field: str) -> list[str]:
    return [] if field == "-" else [field[at : at + 2] for at in range(0, len(field), 2)]


def joined(listed: list[str]) -> str:
    return "".join(listed) or "-"


def in_order(hand: list[str]) -> str:
    return joined(sorted(hand, key=ORDER.index))


def redealt(position: TocPosition, viewer: Viewer, rng: random.Random) -> TocPosition:
    """Return a full position that differs only in what `viewer` cannot see."""
    pawns, mover, turns, dealer, hands_field, gifts_field, played_field, deck_field, _ = str(position).split()
    hands = [cards(hand) for hand in hands_field.split("/")]
    gifts = gifts_field.split("/")
    played, deck = cards(played_field), cards(deck_field)
    sizes = [len(hand) for hand in hands]
    kept: list[list[str]] = [[], [], [], []]
    if viewer != SPECTATOR:
        kept[viewer] = hands[viewer]
        partner = (viewer + 2) % 4
        if mover != "x" and gifts[viewer] in hands[partner]:
            kept[partner] = [gifts[viewer]]
    known = {card for hand in kept for card in hand}
    pool = [card for card in [*chain(*hands), *deck] if card not in known]
    rng.shuffle(pool)
    dealt = [kept[seat] + [pool.pop() for _ in range(sizes[seat] - len(kept[seat]))] for seat in range(4)]
    leader = position.round.leader
    done = 4 * FULL_HANDS[len(deck)] - sum(sizes)
    in_deal = played[len(played) - done :]
    for giver in range(4):
        receiver = (giver + 2) % 4
        if gifts[giver] == "-" or giver == viewer or (mover != "x" and receiver == viewer):
            continue
        gifts[giver] = rng.choice(
            dealt[giver] if mover == "x" else dealt[receiver] + in_deal[(receiver - leader) % 4 :: 4]
        )
    text = (
        f"{pawns} {mover} {turns} {dealer} {'/'.join(map(in_order, dealt))} {'/'.join(gifts)} {played_field} "
        f"{joined(pool)} {rng.randbytes(rng.choice((0, 4, 32))).hex()}:{rng.randrange(1000)}"
    )
    return GAME.read(text, position.settings)
