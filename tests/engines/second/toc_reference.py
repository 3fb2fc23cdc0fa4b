"""A second, slow implementation of Toc, written to the letter of the rules page.

A pawn walks cell by cell, a seven is tried in every order, and no code is shared with the engine.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from engines.api import REFEREE, Outcome, Seat, Viewer
from engines.options import Settings
from engines.testing.second_engine import SecondEngine, SecondPosition

VALUES = {"A": (1, 11), "J": (10,), "Q": (12,), "K": (13,), "T": (10,), "4": ()}
VALUES |= {str(number): (number,) for number in (2, 3, 5, 6, 7, 8, 9)}


@dataclass(frozen=True, order=True)
class Pawn:
    seat: int
    at: str
    fresh: bool = False
    laps: int = 0


Board = tuple[Pawn, ...]


def on_ring(place: str) -> bool:
    return place.isdigit()


def sorted_board(board: Board) -> Board:
    return tuple(sorted(board))


class ReferencePosition:
    """The moves of one seat with one hand."""

    def __init__(self, options: Mapping[str, str], board: Board, seat: int) -> None:
        self.options = options
        self.board = board
        mine = [pawn for pawn in board if pawn.seat == seat]
        self.colour = (seat + 2) % 4 if all(pawn.at.startswith("H") for pawn in mine) else seat
        self.start = str(18 * self.colour)
        self.branch = (18 * self.colour - int(options["branch_offset"])) % 72

    def moves(self, hand: list[str]) -> dict[str, Board]:
        """Return all moves as text, with the board after each."""
        found = {}
        for card in hand:
            for text, board in self.uses(card[0]):
                found[f"{card}:{text}"] = sorted_board(board)
                if card[0] == "7" and self.options["seven_kills"] == "optional":
                    for kills, fewer in self.killing(text, board):
                        found[f"{card}:{text}{kills}"] = sorted_board(fewer)
        return found or {f"-{card}": sorted_board(self.board) for card in hand}

    def killing(self, text: str, board: Board) -> Iterator[tuple[str, Board]]:
        """Yield each choice of one or more enemies that a seven has passed and that still stand there."""
        passed: set[str] = set()
        for part in text.split(","):
            at, to = part.split(">")
            while on_ring(at) and at != to and not (to.startswith("H") and at == self.branch_name):
                at = str((int(at) + 1) % 72)
                passed.add(at)
        enemies = [pawn for pawn in self.board if pawn.at in passed and pawn.seat % 2 != self.colour % 2]
        standing = sorted(int(pawn.at) for pawn in enemies if not pawn.fresh and pawn in board)
        for chosen in range(1, 2 ** len(standing)):
            cells = [str(cell) for number, cell in enumerate(standing) if chosen >> number & 1]
            fewer = tuple(Pawn(pawn.seat, "R") if pawn.at in cells else pawn for pawn in board)
            yield "".join(f"x{cell}" for cell in cells), fewer

    @property
    def branch_name(self) -> str:
        return str(self.branch)

    def uses(self, rank: str) -> Iterator[tuple[str, Board]]:
        own = [pawn for pawn in self.board if pawn.seat == self.colour]
        for pawn in {pawn for pawn in own if pawn.at != "R"}:
            for steps in VALUES[rank]:
                for to, board in self.walks(self.board, pawn, steps, rank == "7", True, True):
                    yield f"{pawn.at}>{to}", board
            if rank == "4":
                yield from self.back(pawn)
            if rank == "J" and on_ring(pawn.at):
                yield from self.swaps(pawn)
        if rank in "AK":
            yield from self.starts(own)
        if rank == "7":
            yield from self.sevens()

    def starts(self, own: list[Pawn]) -> Iterator[tuple[str, Board]]:
        waiting = [pawn for pawn in own if pawn.at == "R"]
        there = self.standing(self.board, self.start)
        if not waiting or (there and there.seat % 2 == self.colour % 2):
            return
        board = self.without(self.board, there) if there else self.board
        short = -1 if self.options["back_shortcut"] == "false" and self.branch == int(self.start) else 0
        yield f"R>{self.start}", self.moved(board, waiting[0], self.start, True, short)

    def back(self, pawn: Pawn) -> Iterator[tuple[str, Board]]:
        if not on_ring(pawn.at):
            return
        path = [str((int(pawn.at) - step) % 72) for step in range(1, 5)]
        board = self.along(self.board, pawn, path, False)
        if board is not None:
            # From beyond the branch cell back to it, or past it.
            laps = self.laps(pawn, -1 if str(self.branch) in path else 0)
            yield f"{pawn.at}>{path[-1]}", self.moved(board, pawn, path[-1], False, laps)

    def laps(self, pawn: Pawn, counted: int) -> int:
        """Return the pawn's `laps` after it passed its branch cell forward (1), backward (-1), or not at all (0)."""
        if self.options["overshoot"] == "undone":
            return pawn.laps + counted
        if self.options["back_shortcut"] == "false":
            return min(0, pawn.laps + counted)
        if counted == 1:
            return 0 if pawn.fresh else 1
        return -1 if counted == -1 and pawn.laps != 0 else pawn.laps

    def swaps(self, pawn: Pawn) -> Iterator[tuple[str, Board]]:
        if self.options["jack_from_start"] == "false" and self.spared(pawn):
            return
        for other in self.board:
            if other.seat == self.colour or not on_ring(other.at):
                continue
            if not self.spared(other):
                rest = [p for p in self.board if p not in (pawn, other)]
                rest += [Pawn(pawn.seat, other.at), Pawn(other.seat, pawn.at)]
                yield f"{pawn.at}<>{other.at}", tuple(rest)

    def spared(self, pawn: Pawn) -> bool:
        """TC-14: return whether a jack cannot take the pawn where it stands."""
        return (
            pawn.fresh
            or {
                "any_start_cell": pawn.at in ("0", "18", "36", "54"),
                "own_start_cell": pawn.at == str(18 * pawn.seat),
                "fresh_only": False,
            }[self.options["jack_excludes"]]
        )

    def sevens(self) -> Iterator[tuple[str, Board]]:
        best: dict[object, tuple[str, Board]] = {}
        for parts, board in self.sequences(self.board, 7, (), frozenset()):
            if len(parts) > 1:
                key = frozenset(parts), sorted_board(board)
                text = ",".join(parts)
                if key not in best or text < best[key][0]:
                    best[key] = text, board
        yield from best.values()

    def sequences(
        self, board: Board, left: int, parts: tuple[str, ...], done: frozenset[str]
    ) -> Iterator[tuple[tuple[str, ...], Board]]:
        """Yield sequences of parts of a seven; `done` are the places of pawns that have walked."""
        if left == 0:
            yield parts, board
            return
        rule = self.options["seven_split_home"]
        for pawn in board:
            if pawn.seat != self.colour or pawn.at == "R" or pawn.at in done:
                continue
            for steps in range(1, left + 1):
                if steps == 7:
                    continue
                for to, after in self.walks(board, pawn, steps, True, rule == "allowed", rule != "no_home_move"):
                    # A pawn that has walked and was killed since leaves its place to others.
                    places = {p.at for p in after if p.seat == self.colour}
                    yield from self.sequences(
                        after, left - steps, (*parts, f"{pawn.at}>{to}"), frozenset({*done, to} & places)
                    )

    def walks(
        self, board: Board, pawn: Pawn, steps: int, seven: bool, may_enter: bool, may_move_home: bool
    ) -> list[tuple[str, Board]]:
        """Return all ends of this number of steps forward, with the board after each."""
        found = []
        home = self.home_path(pawn, steps, may_enter, may_move_home)
        if home:
            after = self.along(board, pawn, home, seven)
            if after is not None and self.deep_enough(board, pawn, home[-1]):
                found.append((home[-1], self.moved(after, pawn, home[-1], False, 0)))
        if on_ring(pawn.at) and not (found and self.options["home_entry"] == "forced"):
            path = [str((int(pawn.at) + step) % 72) for step in range(1, steps + 1)]
            after = self.along(board, pawn, path, seven)
            if after is not None:
                passed = str(self.branch) in [pawn.at, *path[:-1]]
                found.append((path[-1], self.moved(after, pawn, path[-1], False, self.laps(pawn, int(passed)))))
        return found

    def home_path(self, pawn: Pawn, steps: int, may_enter: bool, may_move_home: bool) -> list[str]:
        """Return the places that steps into or in the corridor touch; empty if the count or a rule forbids it."""
        if on_ring(pawn.at):
            if not may_enter or pawn.fresh or pawn.laps < 0:
                return []
            path, cell = [], int(pawn.at)
            while cell != self.branch:
                cell = (cell + 1) % 72
                path.append(str(cell))
            path += ["H1", "H2", "H3", "H4"]
            return path[:steps] if len(path) - 4 < steps <= len(path) else []
        if not may_move_home or self.options["home_inner"] == "false":
            return []
        deep = int(pawn.at[1])
        return [f"H{cell}" for cell in range(deep + 1, deep + steps + 1)] if deep + steps <= 4 else []

    def deep_enough(self, board: Board, pawn: Pawn, to: str) -> bool:
        if self.options["home_fill"] == "any" or to == "H4":
            return True
        return any(p.seat == pawn.seat and p.at == f"H{int(to[1]) + 1}" for p in board if p != pawn)

    def along(self, board: Board, pawn: Pawn, path: list[str], seven: bool) -> Board | None:
        """Return the board with the pawns killed on the path in the reserve; None if the path cannot be walked."""
        for place in path:
            there = self.standing(board, place)
            if there is None:
                continue
            last = place == path[-1]
            if place.startswith("H"):
                return None
            if there.fresh and (last or self.options["fresh_blocks"] == "true"):
                return None
            if last and not self.may_land(there):
                return None
            kills = self.options["seven_kills"]
            enemy = there.seat % 2 != self.colour % 2
            passed = seven and (kills == "all" or (kills == "enemies" and enemy))
            if not there.fresh and (last or passed):
                board = self.without(board, there)
        return board

    def may_land(self, there: Pawn) -> bool:
        if there.seat == self.colour:
            return self.options["land_on_own"] == "kill"
        if there.seat % 2 == self.colour % 2:
            return self.options["land_on_partner"] == "kill"
        return True

    def standing(self, board: Board, place: str) -> Pawn | None:
        """Return the pawn on a ring cell, or on a place of the seat's own corridor."""
        for pawn in board:
            if pawn.at == place and (on_ring(place) or pawn.seat == self.colour):
                return pawn
        return None

    def without(self, board: Board, killed: Pawn) -> Board:
        return tuple(Pawn(pawn.seat, "R") if pawn == killed else pawn for pawn in board)

    def moved(self, board: Board, pawn: Pawn, to: str, fresh: bool, laps: int) -> Board:
        kept = self.options["back_shortcut"] == "false" or self.options["overshoot"] == "new_lap"
        counted = on_ring(to) and kept
        there = replace(pawn, at=to, fresh=fresh, laps=max(-1, min(1, laps)) if counted else 0)
        rest = list(board)
        rest.remove(pawn)
        return (*rest, there)


SEATS = range(4)
CARDS = [rank + suit for rank in "A23456789TJQK" for suit in "SHDC"]
NONE = "-"
MARKS = {"-": -1, "": 0, "+": 1}


@dataclass(frozen=True)
class Deal:
    """All of a position but its pawns, as in its text. Cards are lists of two characters each."""

    mover: str
    turns: int
    dealer: int
    hands: tuple[tuple[str, ...], ...]
    gifts: tuple[str, ...]
    played: tuple[str, ...]
    deck: tuple[str, ...]
    chance: str

    @property
    def exchanging(self) -> bool:
        return self.mover == "x"


def cards_in(text: str) -> tuple[str, ...]:
    return () if text == NONE else tuple(text[at : at + 2] for at in range(0, len(text), 2))


def deal_in(text: str) -> Deal:
    _, mover, turns, dealer, hands, gifts, played, deck, chance = text.split(" ")
    return Deal(
        mover,
        int(turns),
        int(dealer),
        tuple(map(cards_in, hands.split("/"))),
        tuple(gifts.split("/")),
        cards_in(played),
        cards_in(deck),
        chance,
    )


def ordered(hand: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(hand, key=CARDS.index))


class TocSecond(SecondPosition):
    """A position of the whole game. What is shuffled is taken from the first engine."""

    def __init__(self, options: Mapping[str, str], board: Board, deal: Deal) -> None:
        self._options = options
        self._board = board
        self._deal = deal

    @property
    def owing(self) -> tuple[Seat, ...]:
        if self.outcome:
            return ()
        if self._deal.exchanging:
            return tuple(seat for seat in SEATS if self._deal.gifts[seat] == NONE)
        return (int(self._deal.mover),)

    def moves(self, seat: Seat) -> Collection[str]:
        if self._deal.exchanging:
            return [f"={card}" for card in self._deal.hands[seat]]
        return self._replies

    @cached_property
    def _replies(self) -> dict[str, Board]:
        seat = int(self._deal.mover)
        return ReferencePosition(self._options, self._board, seat).moves(list(self._deal.hands[seat]))

    def play(self, seat: Seat, move: str, after: str) -> "TocSecond":
        if self._deal.exchanging:
            return TocSecond(self._options, self._board, self._given(seat, move[1:]))
        card = move[1:] if move.startswith("-") else move[:2]
        deal = self._deal
        hands = [tuple(held for held in hand if held != card) for hand in deal.hands]
        then = replace(
            deal, mover=str((seat + 1) % 4), turns=deal.turns + 1, hands=tuple(hands), played=(*deal.played, card)
        )
        there = TocSecond(self._options, self._replies[move], then)
        if any(hands) or there.outcome:
            return there
        return TocSecond(self._options, self._replies[move], dealt(then) if then.deck else gathered(then, after))

    def _given(self, seat: Seat, card: str) -> Deal:
        """Return the deal after a gift; the last one changes the hands (TC-2)."""
        deal = self._deal
        gifts = tuple(card if giver == seat else gift for giver, gift in enumerate(deal.gifts))
        if NONE in gifts:
            return replace(deal, gifts=gifts)
        hands = [
            ordered((*(held for held in hand if held != gifts[of]), gifts[(of + 2) % 4]))
            for of, hand in enumerate(deal.hands)
        ]
        # 32 cards are left after the first deal of a deck, 16 after the second, none after the third.
        number = {32: 0, 16: 1, 0: 2}[len(deal.deck)] if self._options["leader"] == "rotate" else 0
        return replace(deal, mover=str((deal.dealer + 1 + number) % 4), hands=tuple(hands), gifts=gifts)

    @property
    def outcome(self) -> Outcome | None:
        for team, scores in ((0, (1.0, 0.0, 1.0, 0.0)), (1, (0.0, 1.0, 0.0, 1.0))):
            if all(pawn.at.startswith("H") for pawn in self._board if pawn.seat % 2 == team):
                return Outcome("home", scores, scores[:2])
        if self._deal.turns >= int(self._options["max_turns"]):
            return Outcome("max_turns", (0.5,) * 4, (0.5,) * 2)
        return None

    def text(self, viewer: Viewer) -> str:
        deal, all_known = self._deal, viewer == REFEREE
        gifts = []
        for giver, gift in enumerate(deal.gifts):
            known = all_known or viewer == giver or (viewer == (giver + 2) % 4 and not deal.exchanging)
            gifts.append(gift if known or gift == NONE else "?")
        return " ".join(
            [
                pawns_text(self._board),
                deal.mover,
                str(deal.turns),
                str(deal.dealer),
                "/".join(cards_text(hand, all_known or viewer == seat) for seat, hand in enumerate(deal.hands)),
                "/".join(gifts),
                cards_text(deal.played, True),
                cards_text(deal.deck, all_known),
                deal.chance if all_known else "?",
            ]
        )


def cards_text(cards: tuple[str, ...], known: bool) -> str:
    return "".join(cards if known else "?" * len(cards)) or NONE


def dealt(deal: Deal) -> Deal:
    """Return the next deal of the same deck: four cards to each, one by one."""
    hands: list[tuple[str, ...]] = [(), (), (), ()]
    for number, card in enumerate(deal.deck[:16]):
        hands[(deal.dealer + 1 + number) % 4] += (card,)
    return replace(deal, mover="x", hands=tuple(map(ordered, hands)), gifts=(NONE,) * 4, deck=deal.deck[16:])


def gathered(deal: Deal, after: str) -> Deal:
    """Return the first deal of the next deck, which was shuffled as the first engine says, if it has all cards."""
    shuffled = deal_in(after)
    whole = sorted([*sum(shuffled.hands, ()), *shuffled.deck]) == sorted(CARDS)
    if not whole or [len(hand) for hand in shuffled.hands] != [5] * 4:
        return deal
    return Deal(
        "x",
        deal.turns,
        (deal.dealer + 1) % 4,
        tuple(map(ordered, shuffled.hands)),
        (NONE,) * 4,
        (),
        shuffled.deck,
        shuffled.chance,
    )


def board_in(text: str, fresh_laps: int) -> Board:
    """Return the pawns of a text; `fresh_laps` are the laps of a fresh pawn, which texts omit."""
    pawns = []
    for seat, four in enumerate(text.split("/")):
        for pawn in four.split(","):
            at = pawn.rstrip("*-+")
            fresh = pawn.endswith("*")
            pawns.append(Pawn(seat, at, fresh, fresh_laps if fresh else MARKS[pawn[len(at) :]]))
    return sorted_board(tuple(pawns))


def pawns_text(board: Board) -> str:
    """Return the pawns of each seat: ring cells in order, then the corridor, then the reserve."""
    marks = {laps: mark for mark, laps in MARKS.items()}
    fours = []
    for seat in SEATS:
        mine = sorted((pawn for pawn in board if pawn.seat == seat), key=along_the_way)
        fours.append(",".join(pawn.at + ("*" if pawn.fresh else marks[pawn.laps]) for pawn in mine))
    return "/".join(fours)


def along_the_way(pawn: Pawn) -> tuple[int, str]:
    return (int(pawn.at), "") if on_ring(pawn.at) else (72, pawn.at)


class TocReference(SecondEngine):
    def start(self, settings: Settings, text: str) -> TocSecond:
        options = settings.texts()
        short = options["back_shortcut"] == "false" and options["branch_offset"] == "0"
        return TocSecond(options, board_in(text.split(" ", 1)[0], -1 if short else 0), deal_in(text))


REFERENCE = TocReference()
