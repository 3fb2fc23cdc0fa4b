"""Computes a Swiss tournament of single matches again (docs/tournaments.md): seeds, rounds, colours and standings."""

from itertools import groupby
from typing import Any

from tests.recomputation.dutch import DOWN, LEVEL, UP, Incomplete, Round, SwissPlayer, board_order, seat
from tests.recomputation.ladder import expect
from tests.recomputation.signed_lines import Differs, Draws

Event = dict[str, Any]


class SwissTournament:
    """Call `take` for each event; it raises Differs."""

    def __init__(self) -> None:
        self.number = 0
        self.names: list[str] = []
        self.players: dict[str, SwissPlayer] = {}
        self.results: dict[str, list[tuple[str, float]]] = {}
        """Opponents and points of each entrant by round."""
        self.open: dict[str, list[str]] = {}
        """Pairings of the round that have no result, by id."""
        self.next_round: list[Event] = []
        self.round = 0
        self.over = False

    def take(self, event: Event) -> None:
        self.number += 1
        getattr(self, f"_{event['kind']}")(event)

    def _tournament_created(self, event: Event) -> None:
        terms = event["terms"]["tournament"]
        value, form = terms["value"], terms["value"]["swiss"]
        assert "accelerated" not in form
        self.seed, self.rounds, self.seeding = bytes.fromhex(terms["seed"]), form["rounds"], value["seeding"]

    def _entrant_joined(self, event: Event) -> None:
        self.names.append(event["entrant"]["name"])

    def _tournament_started(self, event: Event) -> None:
        order = Draws(self.seed, "seeding").shuffled(self.names) if self.seeding == "random" else self.names
        expect(self.number, event["order"], order)
        self.players = {name: SwissPlayer(name, number) for number, name in enumerate(order, 1)}
        self.results = {name: [] for name in order}
        self.first_colour = Draws(self.seed, "first colour").below(2)
        self._pair()

    def _pair(self) -> None:
        try:
            pairs = sorted(Round(self.players.values(), self.rounds).pair(), key=board_order)
        except Incomplete:
            self.over = True
            return
        self.round += 1
        self.next_round = [
            {
                "id": f"{self.round}.{board}", "round": self.round, "board": board,
                "entrants": list(seat(pair, self.first_colour)), "matches": 1, "extra": 0, "sides": [],
                "arrangements": 1,
            }
            for board, pair in enumerate(pairs, 1)
        ]  # fmt: skip

    def _pairings_planned(self, event: Event) -> None:
        expect(self.number, event["pairings"], self.next_round)
        self.next_round = []
        self.open = {pairing["id"]: pairing["entrants"] for pairing in event["pairings"]}

    def _match_started(self, event: Event) -> None:
        if event["pairing"] not in self.open:
            raise Differs(self.number, event["pairing"], list(self.open))

    def _match_scored(self, event: Event) -> None:
        if event["pairing"] not in self.open:
            raise Differs(self.number, event["pairing"], list(self.open))
        names, (first, second) = self.open.pop(event["pairing"]), event["score"]["ranks"]
        points = ((first < second) + (first <= second)) / 2
        self.results[names[0]].append((names[1], points))
        self.results[names[1]].append((names[0], 1 - points))
        for colour, name in enumerate(names):
            player, other = self.players[name], self.players[names[1 - colour]]
            player.colours.append(colour)
            player.opponents.append(other.name)
        if not self.open:
            self._end_round()

    def _end_round(self) -> None:
        before = {name: player.points for name, player in self.players.items()}
        for name, player in self.players.items():
            other, points = self.results[name][-1]
            player.points += points
            lead = before[name] - before[other]
            player.floats.append(DOWN if lead > 0 else UP if lead < 0 else LEVEL)
        self.over = self.round == self.rounds
        if not self.over:
            self._pair()

    def _tournament_ended(self, event: Event) -> None:
        expect(self.number, (event["cancelled"], self.over), (False, True))

    # Standings.

    def _standings(self, event: Event) -> None:
        expect(self.number, event["rows"], self._rows())

    def _rows(self) -> list[Event]:
        rows: list[Event] = []
        by_points = sorted(self.players.values(), key=lambda player: -player.points)
        for _, level in groupby(by_points, lambda player: player.points):
            names = sorted((player.name for player in level), key=list(self.players).index)
            for tied in self._split(names, 0):
                rank = len(rows) + 1
                rows += [self._row(rank, name, names) for name in tied]
        return rows

    def _row(self, rank: int, name: str, level: list[str]) -> Event:
        points = [score for _, score in self.results[name]]
        return {
            "rank": rank, "entrant": name, "points": self.players[name].points,
            "tie_breaks": [*self._tie_breaks(name), self._against(name, level)],
            "wins": points.count(1), "draws": points.count(0.5), "losses": points.count(0), "byes": 0,
        }  # fmt: skip

    def _tie_breaks(self, name: str) -> list[float]:
        """Return Buchholz, median Buchholz and Sonneborn-Berger."""
        scores = sorted(self.players[other].points for other, _ in self.results[name])
        berger = sum(self.players[other].points * points for other, points in self.results[name])
        return [sum(scores), float(sum(scores[1:-1])), berger]

    def _against(self, name: str, others: list[str]) -> float:
        return float(sum(points for other, points in self.results[name] if other in others))

    def _split(self, tied: list[str], number: int) -> list[list[str]]:
        """Return the entrants in groups that the tie-breaks from that one on do not separate, best first."""
        if len(tied) == 1:
            return [tied]
        if number == 3:
            return self._split_by_encounter(tied)
        values = {name: self._tie_breaks(name)[number] for name in tied}
        groups = [[name for name in tied if values[name] == best] for best in sorted({*values.values()}, reverse=True)]
        return [smaller for group in groups for smaller in self._split(group, number + 1)]

    def _split_by_encounter(self, tied: list[str]) -> list[list[str]]:
        """Direct encounter (C.07, 6): if some have not met, only one that leads in any case is separated."""
        points = {name: self._against(name, tied) for name in tied}
        unmet = {name: len(tied) - 1 - sum(other in tied for other, _ in self.results[name]) for name in tied}
        if any(unmet.values()):
            top = max(tied, key=lambda name: points[name])
            rest = [name for name in tied if name != top]
            if any(points[name] + unmet[name] >= points[top] for name in rest):
                return [tied]
            return [[top], *self._split(rest, 3)]
        groups = [[name for name in tied if points[name] == best] for best in sorted({*points.values()}, reverse=True)]
        return groups if len(groups) == 1 else [smaller for group in groups for smaller in self._split(group, 3)]


def recompute_swiss(events: list[Event]) -> SwissTournament:
    """Return the tournament after these events. Raises Differs."""
    swiss = SwissTournament()
    for event in events:
        swiss.take(event)
    return swiss
