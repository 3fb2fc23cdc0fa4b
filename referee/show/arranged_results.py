"""Results of a ladder that look arranged: what would rarely happen by chance if all bots always tried to win.

Each finding has its probability. Because many pairs of bots are examined, something rare happens somewhere on every
ladder; so the chance of each finding is multiplied by the number of tests, and only what is still rare is shown. No
finding is proof: a bot may simply suit its opponent, or may have crashed.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from statistics import median

MAX_CHANCE = 0.01
"""A finding is shown if it happens by chance on fewer than one of a hundred ladders."""
MIN_REPETITIONS = 3
"""Number of identical games of a pair from which they are shown."""
EARLY_SHARE = 0.25
"""A loss is early within this share of the usual length of a match."""

Pair = tuple[str, str]
"""Two entrants."""


@dataclass(frozen=True, slots=True)
class ReviewedMatch:
    """A rated match between two entrants. Times are Unix milliseconds."""

    start_ms: int
    end_ms: int
    entrants: Pair
    """In the order of seats."""
    points: float
    """Points of the first: 1, 0.5 or 0."""
    expected: float
    """Points of the first that the ratings before the match predict."""
    given_up: bool = False
    """Whether the loser resigned or forfeited."""
    moves: tuple[str, ...] | None = None
    """None: the record was not read."""

    @property
    def winner(self) -> str:
        return "" if self.points == 0.5 else self.entrants[self.points == 0]

    @property
    def loser(self) -> str:
        return "" if self.points == 0.5 else self.entrants[self.points == 1]

    def expected_of(self, name: str) -> float:
        return self.expected if name == self.entrants[0] else 1 - self.expected


@dataclass(frozen=True, slots=True)
class ReviewFinding:
    """Something that looks arranged."""

    what: str
    """One sentence without a full stop."""
    chance: float | None
    """Chance that something as rare is found on a ladder of bots that always try to win. None: not a matter of
    chance."""


def find_arranged(matches: Sequence[ReviewedMatch]) -> list[ReviewFinding]:
    """Return what looks arranged, the rarest first."""
    pairs: defaultdict[Pair, list[ReviewedMatch]] = defaultdict(list)
    for match in matches:
        pairs[min(match.entrants), max(match.entrants)].append(match)
    usual = median([len(match.moves) for match in matches if match.moves is not None] or [0])
    early = [
        game for game in matches if game.given_up and game.moves is not None and len(game.moves) < EARLY_SHARE * usual
    ]
    tests = [
        *(
            _unexpected_wins(name, other, played)
            for (first, second), played in pairs.items()
            for name, other in _both(first, second)
        ),
        *_lonely_wins(matches, pairs),
        *_early_losses(matches, early, pairs),
    ]
    rare = [
        ReviewFinding(finding.what, chance)
        for finding in tests
        if (chance := min(1.0, (finding.chance or 0) * len(tests))) < MAX_CHANCE
    ]
    return [*sorted(rare, key=lambda finding: finding.chance or 0), *_identical_games(pairs)]


def _both(first: str, second: str) -> tuple[Pair, Pair]:
    return (first, second), (second, first)


def _unexpected_wins(name: str, other: str, played: Sequence[ReviewedMatch]) -> ReviewFinding:
    """Compare the wins of a pair with what the ratings predict."""
    wins = sum(match.winner == name for match in played)
    promised = [match.expected_of(name) for match in played]
    what = (
        f"{name} won {wins} of {len(played)} matches against {other}; the ratings predicted {sum(promised):.1f} points"
    )
    return ReviewFinding(what, chance_of_wins(promised, wins))


def _lonely_wins(
    matches: Sequence[ReviewedMatch], pairs: Mapping[Pair, Sequence[ReviewedMatch]]
) -> Iterable[ReviewFinding]:
    """Compare the wins of a pair while nobody else played with those of the same pair at other times."""
    lonely = _lonely_matches(matches)
    for (first, second), played in pairs.items():
        alone = [match for match in played if id(match) in lonely]
        if 0 < len(alone) < len(played):
            for name, other in _both(first, second):
                wins, all_wins = (sum(match.winner == name for match in some) for some in (alone, played))
                what = (
                    f"{name} won {wins} of {len(alone)} matches against {other} while nobody else played, "
                    f"and {all_wins - wins} of {len(played) - len(alone)} at other times"
                )
                yield ReviewFinding(what, chance_of_share(len(played), all_wins, len(alone), wins))


def _lonely_matches(matches: Sequence[ReviewedMatch]) -> set[int]:
    """Return the identities of the matches during which no other pair played."""
    lonely = set()
    in_order = sorted(matches, key=lambda match: match.start_ms)
    for place, match in enumerate(in_order):
        before = (other for other in in_order[:place] if other.end_ms >= match.start_ms)
        after = (other for other in in_order[place + 1 :] if other.start_ms <= match.end_ms)
        if all(set(other.entrants) == set(match.entrants) for some in (before, after) for other in some):
            lonely.add(id(match))
    return lonely


def _early_losses(
    matches: Sequence[ReviewedMatch], early: Sequence[ReviewedMatch], pairs: Mapping[Pair, Sequence[ReviewedMatch]]
) -> Iterable[ReviewFinding]:
    """Compare how often an entrant gives up early against one opponent with how often it does against all."""
    known = [match for match in matches if match.moves is not None]
    for (first, second), played in pairs.items():
        for name, other in _both(first, second):
            own = [match for match in known if name in match.entrants]
            given_up = [match for match in early if match.loser == name]
            here = sum(other in match.entrants for match in given_up)
            against = sum(match.moves is not None for match in played)
            if here:
                what = (
                    f"{name} gave up early in {here} of {against} matches against {other}, "
                    f"and in {len(given_up) - here} of {len(own) - against} against others"
                )
                yield ReviewFinding(what, chance_of_share(len(own), len(given_up), against, here))


def _identical_games(pairs: Mapping[Pair, Sequence[ReviewedMatch]]) -> Iterable[ReviewFinding]:
    for (name, other), played in pairs.items():
        games = [(match.entrants, match.moves) for match in played if match.moves]
        repeated = len(games) - len(set(games))
        if repeated >= MIN_REPETITIONS:
            what = (
                f"{name} and {other} played {len(games)} games, of which {repeated} repeat an earlier one move by move"
            )
            yield ReviewFinding(what, None)


def chance_of_wins(chances: Iterable[float], wins: int) -> float:
    """Return the chance of at least so many wins in matches with these chances to win."""
    by_wins = [1.0]
    for chance in chances:
        by_wins = [
            stays * (1 - chance) + comes * chance for stays, comes in zip([*by_wins, 0.0], [0.0, *by_wins], strict=True)
        ]
    return min(1.0, sum(by_wins[wins:]))


def chance_of_share(total: int, hits: int, drawn: int, drawn_hits: int) -> float:
    """Return the chance that at least `drawn_hits` of the hits are among the drawn ones (Fisher's exact test)."""
    most = min(hits, drawn)
    ways = sum(comb(hits, count) * comb(total - hits, drawn - count) for count in range(drawn_hits, most + 1))
    return ways / comb(total, drawn)
