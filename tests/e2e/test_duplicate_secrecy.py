"""Duplicate play hides what one match of a set would reveal about the next, in all methods and for all callers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import Message

from tests.e2e.call_errors import reason_of
from tests.e2e.contests import create_ladder, create_tournament, entrants_of
from tests.e2e.fuzz_messages import parts_of, values_of
from tests.e2e.organiser import Organiser, call_method, server_with_organiser

pytestmark = pytest.mark.slow

ATTEMPT = "no move at all"
SPECTATOR = -1


@dataclass(frozen=True, slots=True)
class DuplicateSet:
    organiser: Organiser
    first: str
    """Id of the first match of the set, which is over."""
    second: str
    """Id of the second match, which is being played from the same start."""
    ended: Any
    """The MatchEnded item of the first match."""


@contextmanager
def set_in_second_match(tmp_path: Path) -> Iterator[DuplicateSet]:
    """Create an organiser with two bots, whose first match of a set is over while the second is being played."""
    with server_with_organiser(tmp_path) as organiser:
        create_tournament(
            organiser, round_robin={}, duplicate_play={}, max_concurrent_matches=1, entrants=entrants_of(organiser)
        )
        bots = [organiser.connection(seat) for seat in range(2)]
        organiser.call("TournamentService/StartTournament", name=organiser.name)
        turn = organiser.next_turn(0)
        assert reason_of(organiser.submit_move, turn, ATTEMPT) == "MALFORMED_MOVE"
        bots[0].send(resignation={"match_id": turn.match_id})
        ended = bots[0].receive("match_ended")
        second = bots[0].receive("match_started").match.id
        assert second != turn.match_id
        yield DuplicateSet(organiser, turn.match_id, second, ended)


def texts_in(message: Message) -> Iterator[str]:
    """Yield all strings and bytes anywhere in a message, bytes written as hex."""
    for part in parts_of(message):
        for field, value in part.ListFields():
            for text in values_of(field, value):
                if isinstance(text, str | bytes):
                    yield text if isinstance(text, str) else text.hex()


def all_messages(organiser: Organiser, secret: str, *match_ids: str) -> Iterator[Message]:
    """Yield every message that this caller can get about these matches and their contest."""

    def call(method: str, **fields: Any) -> Any:
        return call_method(organiser.channel, method, secret, **fields)

    for match_id in match_ids:
        match = call("MatchService/GetMatch", match_id=match_id, include_view=True)
        yield match
        watched = call("MatchService/WatchMatch", match_id=match_id, after_number=0, include_view=True)
        for response in watched:
            yield response
            if any(item.entry.number == match.state.entry_number for item in response.items):
                watched.cancel()
                break
    yield call("MatchService/ListMatches", tournament=organiser.name)
    for method in ("ListPairings", "GetTournamentStandings", "GetCrossTable"):
        yield call(f"TournamentService/{method}", tournament=organiser.name)
    yield call("TournamentService/GetTournament", name=organiser.name)
    for form in ("EXPORT_FORMAT_CSV", "EXPORT_FORMAT_JSON"):
        yield from call("TournamentService/ExportTournament", tournament=organiser.name, format=form)
    watched = call("TournamentService/WatchTournament", tournament=organiser.name, after_number=0)
    yield from islice(watched, 2)
    watched.cancel()


def visible_text_by_viewer(duplicate_set: DuplicateSet) -> dict[int, str]:
    """Return by viewer, with or without a seat, all text that it can get about both matches, bytes written as hex."""
    organiser = duplicate_set.organiser
    watcher = organiser.create_token("spectator", "watcher")
    found = {}
    for bot, secret in [(SPECTATOR, watcher), (SPECTATOR - 1, organiser.token), *enumerate(organiser.secrets)]:
        messages = all_messages(organiser, secret, duplicate_set.first, duplicate_set.second)
        found[bot] = "\n".join(text for message in messages for text in texts_in(message))
    return found


def finish_set(duplicate_set: DuplicateSet) -> Any:
    """End the second match, and with it the set. Return the first match as it is shown then."""
    organiser = duplicate_set.organiser
    organiser.connection(0).send(resignation={"match_id": duplicate_set.second})
    list(organiser.call("TournamentService/WatchTournament", tournament=organiser.name))
    return organiser.call("MatchService/GetMatch", match_id=duplicate_set.first).match


def test_the_seed_is_hidden_from_all_callers_until_the_set_is_over(tmp_path: Path) -> None:
    with set_in_second_match(tmp_path) as duplicate_set:
        text_by_viewer = visible_text_by_viewer(duplicate_set)
        assert not duplicate_set.ended.seed_commitment.seed
        match = finish_set(duplicate_set)
        assert match.seed_commitment.seed
        for viewer, text in text_by_viewer.items():
            assert match.seed_commitment.seed.hex() not in text
            assert (ATTEMPT in text) == (viewer == 0)


def test_only_the_organiser_sees_the_openings_until_the_contest_is_over(tmp_path: Path) -> None:
    with server_with_organiser(tmp_path, "--ephemeral") as organiser:
        openings = [{"moves": [{"seat": 0, "move": "c2-c3"}]}]
        create_tournament(
            organiser, round_robin={}, duplicate_play={"openings": openings}, entrants=entrants_of(organiser)
        )
        create_ladder(organiser, duplicate_play={"openings": openings})

        def seen(call: Callable[..., Any]) -> list[int]:
            contests = (
                call("TournamentService/GetTournament", name=organiser.name).tournament,
                call("TournamentService/ListTournaments").tournaments[0],
                next(call("TournamentService/WatchTournament", tournament=organiser.name)).items[0].snapshot.tournament,
                next(call("TournamentService/WatchTournament", tournament=organiser.name, after_number=0))
                .items[0]
                .snapshot.tournament,
                call("LadderService/GetLadder", name=organiser.name).ladder,
                call("LadderService/ListLadders", include_closed=True).ladders[0],
                next(call("LadderService/WatchLadder", ladder=organiser.name)).items[0].snapshot.ladder,
            )
            return [len(contest.terms.duplicate_play.openings) for contest in contests]

        def seen_by_a_bot() -> list[int]:
            return seen(lambda method, **fields: organiser.call_as_bot(0, method, **fields))

        assert seen(organiser.call) == [1] * 7
        assert seen_by_a_bot() == [0] * 7
        organiser.call("TournamentService/CancelTournament", name=organiser.name)
        organiser.call("LadderService/CloseLadder", ladder=organiser.name)
        list(organiser.call("LadderService/WatchLadder", ladder=organiser.name))
        assert seen_by_a_bot() == [1] * 7
