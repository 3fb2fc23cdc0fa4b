"""Matches of a set stay secret until all of them are over, and no longer."""

from collections.abc import Sequence

from referee_values import DuplicatePlay, RoundRobin

from referee.contests.pairing import DuplicateSets
from referee.hosting.contest_log import LADDER, TOURNAMENT
from referee.hosting.contest_workers import DuplicateSecrecy
from referee.live.ports import Entry
from referee.match.events import PlayEnded
from referee.match.state import Match
from tests.hosting.harness import HostingHarness, cup_terms, open_process, start_tournament
from tests.hosting.ladder_harness import ladder_terms, new_ladder, rated, until


class SecrecyObserver:
    """Observes which matches that have ended are secret when the end of one is announced."""

    sees_moves = False

    def __init__(self, harness: HostingHarness) -> None:
        self.is_secret = DuplicateSecrecy({LADDER: harness.ladders.workers, TOURNAMENT: harness.tournaments.workers})
        self.ended: list[Match] = []
        self.secret: list[list[bool]] = []
        harness.referee.subscribe(self)

    def on_entries(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        if isinstance(entries[-1].event, PlayEnded):
            self.ended.append(match)
            self.secret.append([self.is_secret(ended) for ended in self.ended])

    def on_fault(self, match_id: str, fault: Exception) -> None:
        raise AssertionError(match_id) from fault

    def on_presence_changed(self, bot: str) -> None:
        """Ignored."""


async def test_the_last_match_of_a_set_in_a_tournament_is_public_as_soon_as_it_ends() -> None:
    harness = await open_process("a", "b")
    observer = SecrecyObserver(harness)
    harness.voided = frozenset({"1.1/2.1"})
    harness.connect("a", "b")
    duplicate_terms = cup_terms(RoundRobin(cycles=2), duplicate=DuplicateSets(2), max_concurrent_matches=1)
    await start_tournament(harness, duplicate_terms, "a", "b")
    await harness.until_over("cup")
    # The second became void and was played again.
    assert observer.secret[:3] == [[True], [True, True], [True, True, False]]
    assert observer.secret[3:] == [[False, False, False, True], [False, False, False, True, False]]
    assert not any(map(observer.is_secret, observer.ended))
    state = await harness.tournaments.get("cup")
    ids = [match.setup.match_id for match in observer.ended[:3]]
    assert state.tournament.pairings["1.1"].match_ids == dict(zip([(1, 1), (2, 1), (2, 2)], ids, strict=True))


async def test_the_last_match_of_a_set_on_a_ladder_is_public_as_soon_as_it_ends() -> None:
    harness = await open_process("a", "b")
    observer = SecrecyObserver(harness)
    await new_ladder(harness, ladder_terms(duplicate_play=DuplicatePlay(), max_concurrent_matches=1), "a", "b")
    harness.connect("a", "b")
    await until(harness, rated(2))
    assert observer.secret[:2] == [[True], [False, False]]
