"""One ladder, as a value: how it stands, and how an event changes it.

`evolve` makes it so and never refuses: an event has already happened. What may happen next is said in
`climbing`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from referee.contest import rated
from referee.contest.balance import NOTHING, Balance
from referee.contest.duplicate import Start, start_of
from referee.contest.habits import Habits
from referee.contest.ladder_events import (
    Closed,
    Closing,
    Entrant,
    Event,
    Joined,
    Left,
    Paired,
    Paused,
    Rated,
    Resumed,
    SeasonBegan,
)
from referee.contest.ladder_terms import Terms
from referee.contest.match_events import Began, Scored, Voided
from referee.contest.pairing import Course, Due, Pairing
from referee.core.setup import Player


class Phase(Enum):
    OPEN = "open"
    CLOSING = "closing"
    """It pairs nobody any more, and waits for the matches that are being played."""
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Season:
    """What ratings and results make of everybody within one."""

    ratings: Mapping[Player, rated.Rated] = field(default_factory=dict)
    balances: Mapping[Player, Balance] = field(default_factory=dict)
    players: Mapping[str, Player] = field(default_factory=dict)
    """The version with which each entrant was rated last, by its name."""

    def rating(self, player: Player) -> rated.Rated:
        return self.ratings.get(player, rated.NEW)

    def balance(self, player: Player) -> Balance:
        return self.balances.get(player, NOTHING)


@dataclass(frozen=True, slots=True)
class Ladder:
    terms: Terms
    phase: Phase = Phase.OPEN
    paused: bool = False
    """It begins no matches until it is resumed."""
    message: str = ""
    """Why it was closed."""
    entrants: Mapping[str, Entrant] = field(default_factory=dict)
    """Who is in, in the order of coming."""
    known: Mapping[str, Entrant] = field(default_factory=dict)
    """Whoever was in, with the bots that it had last."""
    season: int = 1
    standing: Season = field(default_factory=Season)
    """Of the present season."""
    past: tuple[tuple[Season, Mapping[str, Entrant]], ...] = ()
    """Earlier seasons, from the first, with who was in at their ends."""
    seasons_asked: Mapping[str, int] = field(default_factory=dict)
    """Which season a request began."""
    courses: Mapping[str, Course] = field(default_factory=dict)
    """By id, in the order of planning. Those that are done leave when the next is planned, but for challenges."""
    challenges: Mapping[str, str] = field(default_factory=dict)
    """Pairings that somebody asked for: their ids, by the request."""
    planned: int = 0
    """Pairings so far."""
    habits: Habits = field(default_factory=Habits)
    last: Mapping[str, int] = field(default_factory=dict)
    """The number of everybody's last pairing; of who had none, of the last that it was not there for."""

    @property
    def open(self) -> list[Course]:
        """Pairings that are planned or being played; of a ladder that closes the latter alone, for the others lapse."""
        still = [course for course in self.courses.values() if not course.done]
        return still if self.phase is Phase.OPEN else [course for course in still if course.playing]

    @property
    def playing(self) -> list[Due]:
        """Matches that have begun and have no result yet."""
        return [due for course in self.courses.values() for due in course.playing]

    @property
    def due(self) -> list[Due]:
        """Matches that have not begun: those first that somebody asked for."""
        if self.phase is not Phase.OPEN:
            return []
        asked = set(self.challenges.values())
        first = sorted(self.open, key=lambda course: course.pairing.id not in asked)
        return [due for course in first for due in course.due if (due.number, due.attempt) not in course.match_ids]

    def turn(self, pairing: Pairing) -> int:
        """Which in the order of planning it is, from 0."""
        return int(pairing.id) - 1

    def kind(self, pairing: Pairing) -> int:
        """Which of the terms its matches are played by."""
        return self.turn(pairing) % self.terms.kinds

    def start_of(self, due: Due) -> Start | None:
        """What the match has in common with the others of its set; None where nothing is played twice."""
        duplicate = self.terms.duplicate
        return start_of(due, duplicate, self.terms.chance, self.turn(due.pairing)) if duplicate else None

    def waited(self, name: str) -> int:
        """How many pairings there were since its last."""
        return self.planned - self.last[name]

    def challenges_of(self, name: str) -> int:
        """How many challenges the entrant waits for."""
        return sum(due.pairing.id in self.challenges.values() and name in due.pairing.entrants for due in self.due)

    def entrant_of(self, bot: str) -> Entrant | None:
        """Who is in with this bot. Most are called as their bot is."""
        called_so = self.entrants.get(bot)
        if called_so and bot in {player.bot for player in called_so.bots}:
            return called_so
        return next((it for it in self.entrants.values() if bot in {player.bot for player in it.bots}), None)


def evolve(ladder: Ladder, event: Event) -> Ladder:
    return EVOLVE[type(event)](ladder, event)


def replay(terms: Terms, events: Iterable[Event]) -> Ladder:
    """The ladder that these events made."""
    ladder = Ladder(terms)
    for event in events:
        ladder = evolve(ladder, event)
    return ladder


def recomputed(events: Iterable[Event]) -> dict[Player, rated.Rated]:
    """The ratings, computed again from nothing but the results."""
    ratings: dict[Player, rated.Rated] = {}
    for event in events:
        if isinstance(event, Rated):
            ratings = rated.rated([event.finish], ratings)
        elif isinstance(event, SeasonBegan):
            ratings = rated.new_season(ratings)
    return ratings


def _joined(ladder: Ladder, event: Joined) -> Ladder:
    entrant = event.entrant
    return replace(
        ladder,
        entrants={**ladder.entrants, entrant.name: entrant},
        known={**ladder.known, entrant.name: entrant},
        last={**ladder.last, entrant.name: ladder.planned},
    )


def _left(ladder: Ladder, event: Left) -> Ladder:
    """What it is in the middle of is played to the end, and nothing else."""
    entrants = {name: entrant for name, entrant in ladder.entrants.items() if name != event.name}
    courses = {
        key: course.without(event.name) if event.name in course.pairing.entrants and not course.done else course
        for key, course in ladder.courses.items()
    }
    return replace(ladder, entrants=entrants, courses=courses)


def _paired(ladder: Ladder, event: Paired) -> Ladder:
    pairing, asked = event.pairing, set(ladder.challenges.values())
    kept = {key: course for key, course in ladder.courses.items() if key in asked or not course.done}
    planned = ladder.planned + 1
    return replace(
        ladder,
        courses={**kept, pairing.id: Course(pairing)},
        challenges={**ladder.challenges, event.challenge: pairing.id} if event.challenge else ladder.challenges,
        planned=planned,
        habits=ladder.habits.after(pairing.entrants, pairing.sides, ladder.terms.rematch_after),
        last={**ladder.last, **dict.fromkeys(pairing.entrants, planned)},
    )


def _began(ladder: Ladder, event: Began) -> Ladder:
    return _with(ladder, ladder.courses[event.pairing].began(event.number, event.attempt, event.match_id))


def _scored(ladder: Ladder, event: Scored) -> Ladder:
    return _with(ladder, ladder.courses[event.pairing].scored(event.number, event.score))


def _voided(ladder: Ladder, event: Voided) -> Ladder:
    return _with(ladder, ladder.courses[event.pairing].made_void(event.number))


def _rated(ladder: Ladder, event: Rated) -> Ladder:
    standing = ladder.standing
    players = {entrant.name: it for it in event.finish.players if (entrant := _entrant(ladder, it))}
    balances = {
        player: standing.balance(player).after(event.finish, player, player in event.forfeited)
        for player in event.finish.players
    }
    now = Season(
        {**standing.ratings, **{change.player: change.after for change in event.changes}},
        {**standing.balances, **balances},
        {**standing.players, **players},
    )
    return replace(ladder, standing=now)


def _entrant(ladder: Ladder, player: Player) -> Entrant | None:
    return ladder.entrants.get(player.bot) if ladder.terms.bots > 1 else ladder.entrant_of(player.bot)


def _season_began(ladder: Ladder, event: SeasonBegan) -> Ladder:
    asked = {**ladder.seasons_asked, event.request: event.season} if event.request else ladder.seasons_asked
    return replace(
        ladder,
        season=event.season,
        standing=Season(rated.new_season(ladder.standing.ratings), {}, ladder.standing.players),
        past=(*ladder.past, (ladder.standing, ladder.entrants)),
        seasons_asked=asked,
    )


def _paused(ladder: Ladder, _: Paused) -> Ladder:
    return replace(ladder, paused=True)


def _resumed(ladder: Ladder, _: Resumed) -> Ladder:
    return replace(ladder, paused=False)


def _closing(ladder: Ladder, event: Closing) -> Ladder:
    return replace(ladder, phase=Phase.CLOSING, message=event.message)


def _closed(ladder: Ladder, _: Closed) -> Ladder:
    return replace(ladder, phase=Phase.CLOSED)


def _with(ladder: Ladder, course: Course) -> Ladder:
    return replace(ladder, courses={**ladder.courses, course.pairing.id: course})


EVOLVE: dict[type, Callable[[Ladder, Any], Ladder]] = {
    Joined: _joined,
    Left: _left,
    Paired: _paired,
    Began: _began,
    Scored: _scored,
    Voided: _voided,
    Rated: _rated,
    SeasonBegan: _season_began,
    Paused: _paused,
    Resumed: _resumed,
    Closing: _closing,
    Closed: _closed,
}
