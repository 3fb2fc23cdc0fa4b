"""Progress of one pairing: scores, void matches, and what is still to be played.

The first result of a match stands; recording another one changes nothing. Only staff can correct it.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from referee.contests.corrections import Correction
from referee.contests.pairing import DueMatch, GameKey, MatchScore, Pairing
from referee.contests.tables.round_result import (
    MISSED,
    TEAM_DRAW,
    TEAM_WIN,
    ResultKind,
    RoundResult,
    points_for_rank,
    round_points,
)
from referee.match.result import share_of_points


class CorrectedScore(Struct, frozen=True, gc=False):
    """A result that staff struck or corrected."""

    correction: Correction
    played: MatchScore
    """The result as it was played."""


class PairingProgress(Struct, frozen=True, gc=False):
    """A pairing, and what has happened in it."""

    pairing: Pairing
    scores: Mapping[int, MatchScore] = field(default_factory=dict)
    """Results by match number."""
    void_counts: Mapping[int, int] = field(default_factory=dict)
    """Number of attempts at a match that became void, by match number."""
    match_ids: Mapping[tuple[int, int], str] = field(default_factory=dict)
    """Ids of matches that were created, by number and attempt, in the order of creation."""
    departed: frozenset[str] = frozenset()
    """Entrants that left before the pairing was done. Matches in play are finished; no others start."""
    absent: frozenset[str] = frozenset()
    """Entrants among them that lost the pairing by absence and are still in the contest."""
    not_before_ms: int = 0
    """When its first match may start (Unix milliseconds). 0: at once."""
    reopened: int = 0
    """Number of times that its result was set aside."""
    boards: int = 0
    """Number of boards of two teams, on each of which one match is played. 0: the entrants are no teams."""
    absent_boards: Mapping[int, frozenset[str]] = field(default_factory=dict)
    """Teams that lost a board by absence, by board."""
    corrections: Mapping[int, CorrectedScore] = field(default_factory=dict)
    """Corrections that count, by match number. A struck match has no score, and is not played again."""

    def with_match_started(self, number: int, attempt: int, match_id: str) -> "PairingProgress":
        return replace(self, match_ids={**self.match_ids, (number, attempt): match_id})

    def with_score(self, number: int, score: MatchScore) -> "PairingProgress":
        return replace(self, scores={**self.scores, number: score})

    def with_correction(self, number: int, correction: Correction, score: MatchScore | None) -> "PairingProgress":
        """Return the pairing after staff corrected a match. `score`: what counts from now on; None: it is struck."""
        known = self.corrections.get(number)
        corrections = {at: corrected for at, corrected in self.corrections.items() if at != number}
        if correction.kind != "restored":
            corrections[number] = CorrectedScore(correction, known.played if known else self.scores[number])
        scores = {at: counted for at, counted in self.scores.items() if at != number}
        return replace(self, scores=scores if score is None else {**scores, number: score}, corrections=corrections)

    @property
    def struck(self) -> frozenset[int]:
        """Numbers of the matches that staff struck."""
        return frozenset(self.corrections.keys() - self.scores.keys())

    def with_void(self, number: int) -> "PairingProgress":
        return replace(self, void_counts={**self.void_counts, number: self.current_attempt(number)})

    def with_departure(self, name: str) -> "PairingProgress":
        return replace(self, departed=self.departed | {name})

    def with_absence(self, names: Iterable[str], board: int = 0) -> "PairingProgress":
        """Return the pairing after entrants were absent from it; of teams, perhaps from one board only."""
        if self.boards:
            return self._with_absent_teams(frozenset(names), board)
        absent = self.absent | {*names}
        return replace(self, departed=self.departed | absent, absent=absent)

    def _with_absent_teams(self, names: frozenset[str], board: int) -> "PairingProgress":
        lost = [board] if board else [due.number for due in self.due_matches]
        absent_boards = {**self.absent_boards, **dict.fromkeys(lost, names)}
        all_lost = frozenset.intersection(*(absent_boards.get(at, frozenset()) for at in range(1, self.boards + 1)))
        return replace(self, absent=self.absent | (all_lost if board else names), absent_boards=absent_boards)

    def with_result_set_aside(self) -> "PairingProgress":
        """Return the pairing as if nothing had been scored; its matches are played as further attempts."""
        attempts = {number: self.current_attempt(number) for number in (*self.scores, *self.struck)}
        return PairingProgress(
            self.pairing,
            void_counts={**self.void_counts, **attempts},
            match_ids=self.match_ids,
            reopened=self.reopened + 1,
            boards=self.boards,
        )

    @property
    def has_begun(self) -> bool:
        """Whether a match was created, or an entrant has left."""
        return bool(self.match_ids or self.scores or self.departed or self.absent_boards)

    def current_attempt(self, number: int) -> int:
        """Return the number, from 1, of the attempt that counts."""
        return self.void_counts.get(number, 0) + 1

    @property
    def due_matches(self) -> list[DueMatch]:
        """Matches that may be played now, including those in play."""
        if self.departed or self.pairing.is_bye:
            return self.matches_in_play
        decided = self.scores.keys() | self.absent_boards.keys() | self.struck
        open_ones = [number for number in range(1, self._last + 1) if number not in decided]
        return [DueMatch(self.pairing, number, self.current_attempt(number)) for number in open_ones]

    @property
    def matches_in_play(self) -> list[DueMatch]:
        """Matches that were created and have no result yet."""
        return [
            DueMatch(self.pairing, number, attempt)
            for number, attempt in self.match_ids
            if number not in self.scores and number not in self.struck and attempt == self.current_attempt(number)
        ]

    @property
    def is_done(self) -> bool:
        if self.departed:
            return not self.matches_in_play
        return self.pairing.is_bye or self._decided == self._last

    @property
    def is_deserted(self) -> bool:
        """Whether all of its entrants lost it by absence."""
        return bool(self.absent) and self.absent.issuperset(self.pairing.entrants)

    def is_set_over(self, number: int, except_id: str = "") -> bool:
        """Return whether each match of a set, except perhaps the one with `except_id`, has a result.

        A void match has none.
        """
        return all(due.set_number != number or due.id == except_id for due in self.due_matches)

    @property
    def _decided(self) -> int:
        """Number of matches that are not played any more."""
        return len(self.scores) + len(self.struck) + len(self.absent_boards)

    @property
    def _last(self) -> int:
        """Number of the last match, as far as is known. Another set is added for as long as two entrants are level."""
        last, limit = self.pairing.matches, self.pairing.matches + self.pairing.extra
        while last < limit and self._decided >= last and self._points(0, last) == self._points(1, last):
            last += self.pairing.arrangements
        return last

    def game_key(self, number: int) -> GameKey | None:
        """Return the key of the game in a match that has a result. None: its moves are not known.

        Other bots play on each board of two teams.
        """
        moves, board = self.scores[number].moves, (f"board {number}",) if self.boards else ()
        return (self.pairing.seats_of_match(number) + board, moves) if moves else None

    @property
    def has_scores(self) -> bool:
        return bool(self.scores)

    @property
    def points(self) -> tuple[float, ...]:
        """Points of each entrant so far, by position."""
        last = max(self.scores, default=0)
        return tuple(self._points(place, last) for place in range(len(self.pairing.entrants)))

    def points_of(self, name: str) -> float:
        """Return the points of an entrant so far, averaged over the seats that it holds."""
        return round_points(sum(self.points_in_match(number, name) for number in self.scores))

    def points_in_match(self, number: int, name: str) -> float:
        """Return the points of an entrant in a match that has a result."""
        places, score = self.pairing.positions_of(name), self.scores[number]
        return round_points(sum(self._share(score, place) for place in places) / len(places))

    def _points(self, place: int, last: int) -> float:
        """Return the points at a position in the matches up to a number."""
        return round_points(sum(self._share(score, place) for number, score in self.scores.items() if number <= last))

    def _share(self, score: MatchScore, place: int) -> float:
        rank = score.ranks[place]
        return share_of_points([rank, *(score.ranks[side[0]] for side in self.pairing.opposing_teams(place))], rank)

    def round_result(self, name: str) -> RoundResult:
        """Return what a pairing that is done contributes to the results of one of its entrants."""
        pairing = self.pairing
        if self.boards:
            return self._team_result(name)
        if pairing.is_bye:
            return RoundResult(ResultKind.BYE, float(pairing.matches), matches=pairing.matches)
        if self.struck and not self.has_scores and not self._left:
            return MISSED
        if self.departed and not (self.has_scores or self.struck):
            return self._never_played(name)
        place = pairing.entrants.index(name)
        others = dict.fromkeys(pairing.entrants[seat] for side in pairing.opposing_teams(place) for seat in side)
        led = [leaders for leaders in map(self._leaders, self.scores.values()) if self._team(place) in leaders]
        sole_wins = sum(len(leaders) == 1 for leaders in led)
        return RoundResult(
            ResultKind.PLAYED,
            self.points_of(name) + self._walkovers(name),
            tuple((other, self._against(name, other)) for other in others),
            place,
            len(self.scores) + self._left,
            wins=sole_wins,
            draws=len(led) - sole_wins,
            walkovers=self._walkovers(name),
        )

    def _team_result(self, name: str) -> RoundResult:
        """Return the match points of a team, which follow from the points on its boards."""
        pairing = self.pairing
        if pairing.is_bye:
            return RoundResult(ResultKind.BYE, TEAM_WIN, matches=self.boards, board_points=float(self.boards))
        (other,) = (entrant for entrant in pairing.entrants if entrant != name)
        mine, theirs = self._board_points(name), self._board_points(other)
        # Two teams without any points were both absent.
        points = TEAM_WIN if mine > theirs else TEAM_DRAW if mine == theirs and mine else 0.0
        unplayed = ResultKind.UNOPPOSED if points == TEAM_WIN else ResultKind.ABSENT
        played = self.has_scores or bool(self.struck)
        on_boards = [self.points_in_match(number, name) for number in self.scores]
        return RoundResult(
            ResultKind.PLAYED if played else unplayed,
            points,
            ((other, mine),),
            pairing.entrants.index(name) if played else None,
            self.boards,
            wins=on_boards.count(1.0),
            draws=on_boards.count(0.5),
            walkovers=self._walkovers(name),
            board_points=mine,
        )

    def _board_points(self, name: str) -> float:
        return self.points_of(name) + self._walkovers(name)

    def _never_played(self, name: str) -> RoundResult:
        pairing = self.pairing
        if len(pairing.participants) > 2:
            return MISSED  # Without all its players, nobody is scored.
        (other,) = (entrant for entrant in pairing.participants if entrant != name)
        present = name not in self.departed
        points = float(pairing.matches) if present else 0.0
        return RoundResult(
            ResultKind.UNOPPOSED if present else ResultKind.ABSENT, points, ((other, points),), matches=pairing.matches
        )

    @property
    def _left(self) -> int:
        """Matches of a pairing of two that were not played because an entrant left."""
        if not self.departed or len(self.pairing.participants) > 2:
            return 0
        return max(0, self.pairing.matches - self._decided)

    def _walkovers(self, name: str) -> int:
        """Unplayed matches of a pairing of two count as won for the entrant that stayed."""
        by_absence = sum(name not in absent for absent in self.absent_boards.values())
        return by_absence + (0 if name in self.departed else self._left)

    def _against(self, name: str, other: str) -> float:
        """Return the points against one opponent, averaged over all pairs of their seats, with walkovers."""
        pairs = [
            (own, opposing) for own in self.pairing.positions_of(name) for opposing in self.pairing.positions_of(other)
        ]
        points = (
            points_for_rank(score.ranks[own], score.ranks[opposing])
            for score in self.scores.values()
            for own, opposing in pairs
        )
        return round_points(sum(points) / len(pairs) + self._walkovers(name))

    def _leaders(self, score: MatchScore) -> set[tuple[str, ...]]:
        """Return the sides that finished first."""
        return {self._team(side[0]) for side in self.pairing.teams if score.ranks[side[0]] == 1}

    def _team(self, place: int) -> tuple[str, ...]:
        """Return the names of the side that contains a position."""
        side = next(side for side in self.pairing.teams if place in side)
        return tuple(self.pairing.entrants[seat] for seat in side)

    @property
    def winner(self) -> str | None:
        """The entrant of two that scored more, or that stayed. None if they are level, or if both have left."""
        first, second = self.pairing.entrants
        if self.departed:
            return next((name for name in self.pairing.entrants if name not in self.departed), None)
        first_points, second_points = self.points
        if first_points == second_points:
            return None
        return first if first_points > second_points else second
