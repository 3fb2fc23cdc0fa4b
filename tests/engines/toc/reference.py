"""A second, slow implementation of Toc, written to the letter of the rules page.

A pawn walks cell by cell, a seven is tried in every order, and no code is shared with the engine.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

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
