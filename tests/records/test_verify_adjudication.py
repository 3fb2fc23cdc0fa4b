"""Records of matches that their terms ended, and of scores."""

import pytest
from msgspec import UNSET, structs
from referee_values import Adjudication

from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import AdjudicateMatch, StartPlay, SubmitMove
from referee.match.events import Event, MovePlayed, PlayEnded
from referee.records.verify import ReplayMismatch, replay_finished_match
from referee.storage.codec import MATCH_CODEC
from tests.records.matches import decided_events, nim_setup, short_match
from tests.third_party_games.third_party_games import NIM

SCORES = Adjudication(resign_score=300, resign_moves=1)


def lost_by_scores() -> list[Event]:
    return decided_events(
        nim_setup(adjudication=SCORES),
        (10, StartPlay()),
        (1_010, SubmitMove(0, "0.0.1", "1", TurnMeasurement(1_010), score=300)),
        (3_010, SubmitMove(1, "1.1.1", "2", TurnMeasurement(3_000), score=-300)),
    )


def test_a_match_that_both_scores_ended_is_replayed_to_the_same_end() -> None:
    events = lost_by_scores()
    match = replay_finished_match(events, NIM)
    assert match.result
    assert (match.result.reason, match.result.ranks) == ("resign_score", (1, 2))


def test_an_end_without_the_scores_for_it_is_found() -> None:
    *before, moved, ended = lost_by_scores()
    assert isinstance(moved, MovePlayed)
    changed = structs.replace(moved, score=-299)
    with pytest.raises(ReplayMismatch, match="nothing before it leads to that"):
        replay_finished_match([*before, changed, ended], NIM)


def test_scores_without_the_end_that_follows_are_found() -> None:
    events = lost_by_scores()
    with pytest.raises(ReplayMismatch, match="after it"):
        replay_finished_match(events[:-1], NIM)


def test_another_reason_is_found() -> None:
    *before, ended = lost_by_scores()
    assert isinstance(ended, PlayEnded)
    changed = structs.replace(ended, result=structs.replace(ended.result, reason="max_plies"))
    with pytest.raises(ReplayMismatch, match="reason of the result"):
        replay_finished_match([*before, changed], NIM)


def test_a_decision_of_a_person_is_still_accepted() -> None:
    events = decided_events(
        nim_setup(adjudication=SCORES), (10, StartPlay()), (20, AdjudicateMatch((2, 1), "the hall is on fire"))
    )
    replay_finished_match(events, NIM)


def test_terms_and_scores_are_stored_only_if_they_are_set() -> None:
    plain = "".join(map(MATCH_CODEC.encode, short_match()))
    assert 'score":' not in plain.replace("scores", "")
    assert 'adjudication":{' not in plain
    stored = [MATCH_CODEC.encode(event) for event in lost_by_scores()]
    assert '"adjudication":{"resign_score":300,"resign_moves":1}' in stored[0]
    assert stored[2].endswith('"request_id":"","score":300}')
    assert [MATCH_CODEC.decode(line) for line in stored] == lost_by_scores()


def test_a_score_that_is_not_given_cannot_be_written_as_null() -> None:
    played = next(event for event in short_match() if isinstance(event, MovePlayed))
    assert played.score is UNSET
    line = MATCH_CODEC.encode(played).replace('"request_id":""', '"request_id":"","score":null')
    with pytest.raises(ValueError, match="cannot read this entry"):
        MATCH_CODEC.decode(line)
