"""Records of contests whose results staff corrected: what followed from it is computed again."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from referee_values import Swiss

from referee.contests.ladder.events import MatchCorrected, MatchRated
from referee.contests.pairing import MatchScore
from referee.contests.strength.rating import RatingRecord
from referee.contests.tournament.events import ScoreCorrected
from referee.hosting.contest_log import ContestEntry
from referee.records import verify_contest
from referee.records.record_reader import RecordStatus
from tests.contests.correction_examples import correct, restore, strike
from tests.hosting.harness import HostingHarness, Store, cup_terms, tournament_request
from tests.hosting.ladder_harness import CONTEST, ladder_terms, open_with_ladder, rated, until
from tests.records.contests import PlayedContest, played_contest, run


async def play_corrected_ladder() -> PlayedContest:
    """Return a ladder whose matches were corrected in its first season, in its second one, and after its end."""
    harness = await open_with_ladder(ladder_terms(), *"abcd")
    harness.connect(*"abcd")
    await until(harness, rated(6))
    first, second = [entry.event.match_id for entry in await rated_entries(harness)][:2]
    await harness.ladders.correct("main", strike(first))
    await harness.ladders.start_season("main", "org/season")
    await until(harness, rated(4))
    await harness.ladders.correct("main", correct(second, 1, 1))
    await harness.ladders.correct("main", restore(first))
    await harness.ladders.close("main")
    await until(harness, lambda state: state.over)
    await harness.ladders.correct("main", strike(second))
    return await played_contest(harness, CONTEST)


async def rated_entries(harness: HostingHarness) -> list[Any]:
    entries = await harness.store.matches.contests.read(CONTEST)
    return [entry for entry in entries if isinstance(entry.event, MatchRated)]


async def play_corrected_cup() -> PlayedContest:
    store = Store()
    await store.register(*"abcd")
    harness = HostingHarness(store)
    await harness.open()
    await harness.tournaments.create(tournament_request(cup_terms(Swiss(rounds=2)), *"abcd"))
    await harness.tournaments.start("cup")
    harness.connect(*"abcd")
    state = await harness.until_over("cup")
    first, second, *_ = [next(iter(course.match_ids.values())) for course in state.tournament.pairings.values()]
    await harness.tournaments.correct("cup", correct(first, 2, 1))
    await harness.tournaments.correct("cup", strike(second))
    await harness.tournaments.correct("cup", restore(first))
    await harness.tournaments.correct("cup", correct(first, 1, 1))
    return await played_contest(harness, "tournament/cup")


def changed(played: PlayedContest, kind: type, change: Callable[[Any], Any]) -> list[ContestEntry]:
    """Return the log with another event in place of the first one of a kind."""
    at = next(number for number, entry in enumerate(played.entries) if isinstance(entry.event, kind))
    entries = list(played.entries)
    entries[at] = replace(entries[at], event=change(entries[at].event))
    return entries


@cache
def corrected_ladder() -> PlayedContest:
    return run(play_corrected_ladder())


@cache
def corrected_cup() -> PlayedContest:
    return run(play_corrected_cup())


@pytest.mark.parametrize("played", [corrected_ladder, corrected_cup])
def test_a_corrected_contest_is_fine(played: Callable[[], PlayedContest], tmp_path: Path) -> None:
    verdict = played().verdict(tmp_path)
    assert verdict.status is RecordStatus.FINE, verdict


def other_rating(event: MatchCorrected) -> MatchCorrected:
    (season, *later) = event.seasons
    rows = (replace(season.rows[0], rating=RatingRecord()), *season.rows[1:])
    return replace(event, seasons=(replace(season, rows=rows), *later))


def other_match(event: MatchCorrected) -> MatchCorrected:
    return replace(event, correction=replace(event.correction, match_id="other"))


def other_score(event: ScoreCorrected) -> ScoreCorrected:
    return replace(event, score=MatchScore((1, 1)))


@pytest.mark.parametrize(
    ("played", "kind", "change", "sentence"),
    [
        (corrected_ladder, MatchCorrected, other_rating, "seasons.0.rows.0.rating"),
        (corrected_ladder, MatchCorrected, other_match, "was not rated"),
        (corrected_cup, ScoreCorrected, other_score, "score.ranks"),
    ],
)
def test_what_does_not_follow_from_a_correction_is_named(
    played: Callable[[], PlayedContest], kind: type, change: Callable[[Any], Any], sentence: str, tmp_path: Path
) -> None:
    assert sentence in played().first_difference(tmp_path, changed(played(), kind, change))


def test_corrections_that_would_take_long_are_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify_contest, "MAX_RATED_AGAIN", 5)
    played = corrected_ladder()
    assert "more than 5 matches" in played.first_difference(tmp_path, played.entries)


def test_the_record_has_no_request_ids_of_corrections(tmp_path: Path) -> None:
    text = corrected_ladder().write(tmp_path).read_text(encoding="utf-8")
    assert (text.count('"correction '), "ann/r" in text) == (4, False)
    assert "struck" in text
