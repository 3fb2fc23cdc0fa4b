"""Computes a ladder again (docs/ladders.md): pairings, seats, rating changes and the standings of each season."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby, islice
from math import exp, isclose
from typing import Any

from tests.recomputation.joint_estimates import Results
from tests.recomputation.rating_updates import SCALE, Player, Rating, Ratings, points_of
from tests.recomputation.signed_lines import Differs, Draws

Event = dict[str, Any]


@dataclass
class Paired:
    """A pairing that was planned."""

    names: list[str]
    matches: int
    attempts: dict[int, int] = field(default_factory=dict)
    """Number of void attempts of each match."""
    started: dict[tuple[int, int], str] = field(default_factory=dict)
    """Ids of matches by number and attempt."""
    scored: set[int] = field(default_factory=set)
    left: bool = False

    def due(self) -> list[tuple[int, int]]:
        """Return the matches that were not created yet, as number and attempt."""
        numbers = [] if self.left else [number for number in range(1, self.matches + 1) if number not in self.scored]
        return [place for match in numbers if (place := (match, self.attempts.get(match, 0) + 1)) not in self.started]

    def in_play(self) -> list[tuple[int, int]]:
        return [
            (number, attempt)
            for number, attempt in self.started
            if number not in self.scored and attempt == self.attempts.get(number, 0) + 1
        ]


ROUNDED_TO = 0.01
"""Step of the numbers in standings."""


def expect(number: int, recorded: object, computed: object, rel_tol: float = 1e-9, abs_tol: float = 0) -> None:
    """Raise Differs unless the values are equal, numbers up to this relative or absolute difference."""
    if not _equal(recorded, computed, rel_tol, abs_tol):
        raise Differs(number, recorded, computed)


def _equal(value: Any, other: Any, *tolerances: float) -> bool:
    if isinstance(value, float) and isinstance(other, float):
        rel_tol, abs_tol = tolerances
        return isclose(value, other, rel_tol=rel_tol, abs_tol=abs_tol)
    if isinstance(value, dict) and isinstance(other, dict):
        return value.keys() == other.keys() and all(_equal(value[key], other[key], *tolerances) for key in value)
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(_equal(*both, *tolerances) for both in zip(value, other, strict=True))
    return bool(value == other)


class Ladder:
    """Call `take` for each event; it raises Differs."""

    def __init__(self) -> None:
        self.number = 0
        self.entrants: dict[str, Event] = {}
        self.everybody: dict[str, Event] = {}
        self.pairings: dict[str, Paired] = {}
        self.last_pairing: dict[str, int] = {}
        self.met: defaultdict[str, list[str]] = defaultdict(list)
        """Opponents of each entrant, each at its last meeting only."""
        self.seats: defaultdict[tuple[str, int], int] = defaultdict(int)
        self.available: dict[str, Event] = {}
        self.expected: list[list[str]] = []
        """Pairings that are still to come of a planning."""
        self.ratings = Ratings()
        self.season = 1
        self.joint = Results()
        self.tables: list[Callable[[], list[Event]]] = []
        """Compute the standings of the seasons that are over."""
        self.results: defaultdict[Player, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
        self.last_player: dict[str, Player] = {}
        self.score: tuple[str, list[int]] | None = None
        """Entrants' ranks in the last score, with the id of the match."""

    def take(self, event: Event) -> None:
        self.number += 1
        if self.expected and event["kind"] != "pairing_planned":
            raise Differs(self.number, event["kind"], self.expected[0])
        getattr(self, f"_{event['kind']}")(event)

    def _ladder_created(self, event: Event) -> None:
        self.seed, self.terms = bytes.fromhex(event["seed"]), event["terms"]["value"]
        assert self.terms["partner_rule"] == "individual"
        assert "duplicate_play" not in self.terms, "sets are beyond this program"

    def _entrant_joined(self, event: Event) -> None:
        entrant = event["entrant"]
        self.entrants[entrant["name"]] = self.everybody[entrant["name"]] = entrant
        self.last_pairing[entrant["name"]] = len(self.pairings)

    def _entrant_left(self, event: Event) -> None:
        name = event["name"]
        del self.entrants[name]
        self.available.pop(name, None)
        for paired in self.pairings.values():
            paired.left |= name in paired.names and (bool(paired.due()) or bool(paired.in_play()))

    # Pairings.

    def _pairing_planned(self, event: Event) -> None:
        pairing, planning = event["pairing"], event["planning"]
        if event["challenge"]:
            draws = Draws(self.seed, f"pairing {len(self.pairings) + 1}")
            self.expected = [self._seated(pairing["entrants"], draws)]
        elif not self.expected and planning:
            self.expected = self._planned(planning)
        if not self.expected:
            raise Differs(self.number, pairing["entrants"], "no pairing")
        computed = {
            "id": str(len(self.pairings) + 1), "round": 0, "board": 0, "entrants": self.expected.pop(0),
            "matches": 1, "extra": 0, "sides": [], "arrangements": 1,
        }  # fmt: skip
        expect(self.number, pairing, computed)
        self._add(pairing["id"], pairing["entrants"])

    def _add(self, pairing: str, names: list[str]) -> None:
        self.pairings[pairing] = Paired(names, 1)
        for seat, name in enumerate(names):
            other = names[1 - seat]
            self.met[name] = [*(opponent for opponent in self.met[name] if opponent != other), other]
            self.seats[name, seat] += 1
            self.last_pairing[name] = len(self.pairings)

    def _planned(self, planning: Event) -> list[list[str]]:
        """Return the pairings of one planning."""
        known = {**self.available, **{entrant["name"]: entrant for entrant in planning["changed"]}}
        self.available = {name: known[name] for name in self.entrants if name in known and name not in planning["gone"]}
        reserved: list[str] = []
        for key, paired in self.pairings.items():
            for number, attempt in paired.due():
                if f"{key}/{number}.{attempt}" not in planning["deferred"] and {*paired.names} <= {*self.available}:
                    reserved += paired.names
        most = len(self.available) if planning["max_pairings"] is None else planning["max_pairings"]
        in_play = sum(len(paired.in_play()) for paired in self.pairings.values())
        if at_once := self.terms.get("max_concurrent_matches"):
            most = min(most, at_once - in_play - len(reserved) // 2)
        waiting = {name for name, entrant in self.available.items() if entrant["free_slots"] > reserved.count(name)}
        fresh = in_play > 0 and not planning["allow_early_rematch"]
        draws = Draws(self.seed, f"pairing {len(self.pairings) + 1}")
        return list(islice(self._tables(waiting, fresh, draws), max(0, most)))

    def _tables(self, waiting: set[str], fresh: bool, draws: Draws) -> Iterator[list[str]]:
        for _, group in groupby(sorted(waiting, key=lambda name: (self._urgency(name), name)), self._urgency):
            seekers = [name for name in group if name in waiting]
            while seekers and len(waiting) >= 2:
                seeker = draws.one_of(seekers)
                opponents = self._suitable(seeker, sorted(waiting - {seeker}), fresh)
                if opponents:
                    opponent = draws.one_of(opponents)
                    waiting -= {seeker, opponent}
                    yield self._seated([seeker, opponent], draws)
                seekers = [name for name in seekers if name in waiting and name != seeker]

    def _urgency(self, name: str) -> tuple[bool, bool, int, float]:
        rating, since = self._rating(name), len(self.pairings) - self.last_pairing[name]
        return since < 2 * len(self.available), not self._is_provisional(rating), -since, -rating.deviation

    def _suitable(self, seeker: str, opponents: list[str], fresh: bool) -> list[str]:
        distance = min(self.terms["rematch_after"], len(self.available) - 2) if fresh else 0
        owners = {*self.entrants[seeker]["owners"]}
        left = [
            name
            for name in opponents
            if owners.isdisjoint(self.entrants[name]["owners"]) and not self._penalty(seeker, name, distance)
        ]
        if not left:
            return []
        penalties = {name: self._penalty(seeker, name, self.terms["rematch_after"]) for name in left}
        left = [name for name in left if penalties[name] == min(penalties.values())]
        information = {name: self._information(self._rating(seeker), self._rating(name)) for name in left}
        return [name for name in left if information[name] >= 0.25 * max(information.values())]

    def _penalty(self, name: str, other: str, distance: int) -> int:
        return sum(
            max(0, distance - (len(self.met[mine]) - 1 - self.met[mine].index(its)))
            for mine, its in ((name, other), (other, name))
            if its in self.met[mine]
        )

    @staticmethod
    def _information(rating: Rating, other: Rating) -> float:
        x = (rating.value - other.value) / SCALE
        return 1 / ((2 + exp(x) + exp(-x)) * (rating.deviation**2 + other.deviation**2 + SCALE**2))

    def _seated(self, names: list[str], draws: Draws) -> list[str]:
        first, second = sorted(names)
        sums = {
            order: sum((self.seats[name, seat] + 1) ** 2 for seat, name in enumerate(order))
            for order in ((first, second), (second, first))
        }
        return list(draws.one_of([order for order, total in sums.items() if total == min(sums.values())]))

    def _rating(self, name: str) -> Rating:
        return self.ratings.now((self.entrants[name]["bots"][0]["bot"], self.available[name]["versions"][0]), 0)

    def _is_provisional(self, rating: Rating) -> bool:
        return bool(rating.matches < self.terms["provisional_matches"])

    # Matches and ratings.

    def _match_started(self, event: Event) -> None:
        paired, place = self.pairings[event["pairing"]], (event["number"], event["attempt"])
        if place not in paired.due():
            raise Differs(self.number, place, paired.due())
        paired.started[place] = event["match_id"]

    def _match_scored(self, event: Event) -> None:
        paired = self.pairings[event["pairing"]]
        place = event["number"], paired.attempts.get(event["number"], 0) + 1
        if place not in paired.in_play():
            raise Differs(self.number, place, paired.in_play())
        paired.scored.add(event["number"])
        self.score = paired.started[place], event["score"]["ranks"]

    def _match_voided(self, event: Event) -> None:
        attempts = self.pairings[event["pairing"]].attempts
        attempts[event["number"]] = attempts.get(event["number"], 0) + 1

    def _match_rated(self, event: Event) -> None:
        players = [(side[0]["bot"], side[0]["version"]) for side in event["finish"]["sides"]]
        ranks, at_ms = event["finish"]["ranks"], event["at_ms"]
        if self.score and self.score[0] == event["match_id"]:
            expect(self.number, ranks, self.score[1])
        owners = [self._owner(bot) for bot, _ in players]
        weight = self.ratings.weight(players, owners, at_ms)
        expect(self.number, event["weight"], weight)
        changes = self.ratings.changes(players, ranks, weight, at_ms)
        computed = [
            {
                "player": {"bot": player[0], "version": player[1]},
                "before": self._written(before),
                "after": self._written(after),
            }
            for player, (before, after) in zip(players, changes, strict=True)
        ]
        expect(self.number, event["changes"], computed)
        self.joint.add(players, points_of(ranks, 0), weight)
        after = [self._read(change["after"]) for change in event["changes"]]
        self.ratings.add(players, owners, after, at_ms)
        for place, player in enumerate(players):
            points = points_of(ranks, place)
            self.results[player][{1.0: 0, 0.5: 1, 0.0: 2}[points]] += 1
            self.results[player][3] += {"bot": player[0], "version": player[1]} in event["forfeited"]
            present = [name for name, entrant in self.entrants.items() if entrant["bots"][0]["bot"] == player[0]]
            self.last_player |= dict.fromkeys(present, player)

    def _owner(self, bot: str) -> str:
        found = [who["owners"] for who in self.everybody.values() if who["bots"][0]["bot"] == bot and who["owners"]]
        return str(found[0][0]) if found else bot

    @staticmethod
    def _written(rating: Rating) -> Event:
        return {"rating": {"value": rating.value, "deviation": rating.deviation}, "matches": rating.matches}

    @staticmethod
    def _read(written: Event) -> Rating:
        return Rating(written["rating"]["value"], written["rating"]["deviation"], written["matches"])

    # Seasons and the end.

    def _season_started(self, event: Event) -> None:
        self.season += 1
        expect(self.number, event["season"], self.season)
        self.tables.append(self._standings(0))
        self.joint.season = self.season
        self.ratings.start_season()
        self.results = defaultdict(lambda: [0, 0, 0, 0])

    def _standings(self, at_ms: int) -> Callable[[], list[Event]]:
        """Return the computation of the standings as they are now."""
        season = len(self.tables) + 1
        ratings = replace(self.ratings, known={**self.ratings.known}, rated_ms={**self.ratings.rated_ms})
        ratings.last_version = {**self.ratings.last_version}
        players = {
            name: self.last_player.get(name, (entrant["bots"][0]["bot"], entrant["bots"][0]["version"]))
            for name, entrant in self.entrants.items()
        }
        results = self.results

        def computed() -> list[Event]:
            for player, (value, deviation) in self.joint.estimates(season).items():
                ratings.known[player] = Rating(value, deviation, ratings.known[player].matches)
            return self._table(players, ratings, results, at_ms)

        return computed

    def _table(
        self, players: dict[str, Player], ratings: Ratings, results: defaultdict[Player, list[int]], at_ms: int
    ) -> list[Event]:
        rows = []
        for name, player in players.items():
            rating = ratings.now(player, at_ms)
            order = (self._is_provisional(rating), -rating.lower_bound, -rating.value, player)
            rows.append((order, name, player, rating))
        return [
            {
                "rank": rank, "entrant": name, "version": player[1], "value": rating.value,
                "deviation": rating.deviation, "matches": rating.matches,
                "provisional": self._is_provisional(rating),
                **dict(zip(("wins", "draws", "losses", "forfeits"), results[player], strict=True)),
            }
            for rank, (_, name, player, rating) in enumerate(sorted(rows), 1)
        ]  # fmt: skip

    def _ladder_paused(self, _: Event) -> None:
        """Only the availability of opponents follows from it."""

    _ladder_resumed = _ladder_closing = _ladder_paused

    def _ladder_closed(self, _: Event) -> None:
        if any(paired.in_play() for paired in self.pairings.values()):
            raise Differs(self.number, "ladder_closed", "a match is in play")
        self.tables.append(self._standings(max(self.ratings.rated_ms.values(), default=0)))

    def _season_standings(self, event: Event) -> None:
        if not self.tables:
            raise Differs(self.number, event["season"], "no season")
        expect(self.number, event["season"], self.season - len(self.tables) + 1)
        # Standings are rounded: what differs in its last bits may be rounded up here and down there.
        expect(self.number, event["rows"], self.tables.pop(0)(), abs_tol=1.01 * ROUNDED_TO)

    def finish(self) -> None:
        """Check that nothing is missing at the end."""
        assert not self.tables, "standings are missing"


def recompute_ladder(events: list[Event]) -> Ladder:
    """Return the ladder after these events. Raises Differs."""
    ladder = Ladder()
    for event in events:
        ladder.take(event)
    ladder.finish()
    return ladder
