"""Monte-Carlo tree search for all games of the engines, including those with hidden hands and many seats.

Each iteration samples one world that is consistent with everything the seat knows, descends the tree of what the seat
would see there (information-set search), adds one node, continues with random play for a while, and records the result
in every node of the path, from the view of the side that chose it. If nothing is hidden, there is only one world.
"""

import random
from collections.abc import Callable
from math import log, sqrt

from engines.api import Position, Seat, Table

EXPLORATION = 0.7
"""Exploration constant: the weight of moves that have been tried rarely."""
WIDTH = 4.0
WIDENING = 0.6
"""After v visits, `WIDTH * v ** WIDENING` moves have been tried: positions of Trox can have thousands."""

Evaluation = Callable[[Position], tuple[float, ...]]
"""Evaluates an unfinished game for each side, from 0 to 1."""
World = Callable[[random.Random], Position]


class Node:
    """Statistics of one move."""

    __slots__ = ("available", "children", "value", "visits")

    def __init__(self) -> None:
        self.visits = 0
        self.available = 0
        """How often the move could have been chosen; in some worlds it is not legal."""
        self.value = 0.0
        """Sum of the results of all visits for the side that chose the move."""
        self.children: dict[str, Node] = {}


class Tree:
    """One search, for one seat in one position."""

    def __init__(
        self, world: World, table: Table, seat: Seat, evaluate: Evaluation, playout_plies: int, rng: random.Random
    ) -> None:
        self.root = Node()
        self._world = world
        self._own_seat = seat
        self._evaluate = evaluate
        self._playout_plies = playout_plies
        self._rng = rng
        self._side = {seat: number for number, side in enumerate(table.sides) for seat in side}

    def grow(self) -> None:
        """Run one iteration: sample a world, descend the tree, add a node, play randomly, and record the result."""
        position, node = self._world(self._rng), self.root
        path: list[tuple[int, Node]] = []
        while position.outcome is None:
            seat = self._next_seat(position)
            visible, move = self._pick(node, self._choices(position, seat))
            child = node.children.setdefault(visible, Node())
            path.append((self._side[seat], child))
            position, node = position.play(seat, move), child
            if child.visits == 0:
                break
        values = self._play_out(position)
        self.root.visits += 1
        for side, node in path:
            node.visits += 1
            node.available = max(node.available, node.visits)
            node.value += values[side]

    def best(self) -> str:
        """Return the most visited move."""
        tried = self.root.children
        return max(tried, key=lambda move: (tried[move].visits, tried[move].value, move))

    def _next_seat(self, position: Position) -> Seat:
        """Return the seat that chooses next: if several seats choose at the same time, the own seat comes first.

        The own choice cannot depend on the others, which are hidden.
        """
        return self._own_seat if self._own_seat in position.owing else position.owing[0]

    def _choices(self, position: Position, seat: Seat) -> dict[str, str]:
        """Return a random move for each distinct text that the searching seat might see of it."""
        moves = list(position.moves(seat))
        if seat == self._own_seat:
            return {move: move for move in moves}
        self._rng.shuffle(moves)
        return {position.visible_move(seat, move, self._own_seat): move for move in moves}

    def _pick(self, node: Node, choices: dict[str, str]) -> tuple[str, str]:
        """Return the most promising text, and the move that it represents."""
        known = [visible for visible in choices if visible in node.children]
        if len(known) < len(choices) and len(known) <= WIDTH * node.visits**WIDENING:
            visible = self._rng.choice([visible for visible in choices if visible not in node.children])
            return visible, choices[visible]
        best, best_score = "", -1.0
        for visible in known:
            child = node.children[visible]
            child.available += 1
            score = child.value / child.visits + EXPLORATION * sqrt(log(child.available + 1) / child.visits)
            if score > best_score:
                best, best_score = visible, score
        return best, choices[best]

    def _play_out(self, position: Position) -> tuple[float, ...]:
        """Return the result for each side after random play."""
        for _ in range(self._playout_plies):
            if position.outcome is not None:
                break
            seat = position.owing[0]
            position = position.play(seat, self._rng.choice(position.moves(seat)))
        if position.outcome is None:
            return self._evaluate(position)
        return shares(position.outcome.side_scores)


def shares(scores: tuple[float, ...]) -> tuple[float, ...]:
    """Return for each side the fraction of the other sides that it ranks above; a tie counts as half."""
    others = len(scores) - 1
    return tuple(
        (sum(theirs < mine for theirs in scores) + (sum(theirs == mine for theirs in scores) - 1) / 2) / others
        for mine in scores
    )
