"""Duplicate play hides what one match of a set would reveal about the next, in all methods and for all callers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message

from tests.e2e.club import Club, ask, club, club_alone
from tests.e2e.contests import entrants, new_ladder, new_tournament
from tests.e2e.fuzz_messages import each
from tests.e2e.refused import need_promised, refused
from tests.e2e.server import run_server

pytestmark = pytest.mark.slow

ATTEMPT = "no move at all"
SPECTATOR = -1


@dataclass(frozen=True, slots=True)
class Scene:
    here: Club
    first: str
    """Id of the first match of the set, which is over."""
    second: str
    """Id of the second match, which is being played from the same start."""
    ended: Any
    """The MatchEnded item of the first match."""


@contextmanager
def at_the_second_match(tmp_path: Path) -> Iterator[Scene]:
    """Create a club of two whose first match of a set is over while the second is being played."""
    with run_server(tmp_path) as server, server.channel() as channel, club(server, channel, "sealed", 2) as here:
        new_tournament(here, round_robin={}, duplicate_play={}, max_concurrent_matches=1, entrants=entrants(here))
        bots = [here.connection(seat) for seat in range(2)]
        here.ask("TournamentService/StartTournament", name=here.name)
        turn = here.turn(0)
        asked = {"request_id": "an attempt", "match_id": turn.match_id, "turn_token": turn.turn_token}
        with pytest.raises(grpc.RpcError) as no:
            here.ask_as(0, "MatchService/SubmitMove", move=ATTEMPT, **asked)
        assert refused(no.value).reason == "MALFORMED_MOVE"
        bots[0].send(resignation={"match_id": turn.match_id})
        ended = bots[0].receive("match_ended")
        second = bots[0].receive("match_started").match.id
        assert second != turn.match_id
        yield Scene(here, turn.match_id, second, ended)


def strings(message: Message) -> Iterator[str | bytes]:
    """Yield all strings and bytes anywhere in a message."""
    for field, value in message.ListFields():
        for one in each(field, value):
            if isinstance(one, Message):
                yield from strings(one)
            elif isinstance(one, str | bytes):
                yield one


def everything(here: Club, secret: str, *match_ids: str) -> Iterator[Message]:
    """Yield every message that this caller can get about these matches and their contest."""

    def asked(method: str, **fields: Any) -> Any:
        return ask(here.channel, method, secret, **fields)

    for match_id in match_ids:
        whole = asked("MatchService/GetMatch", match_id=match_id, include_view=True)
        yield whole
        watched = asked("MatchService/WatchMatch", match_id=match_id, after_number=0, include_view=True)
        for response in watched:
            yield response
            if any(item.entry.number == whole.state.entry_number for item in response.items):
                watched.cancel()
                break
    yield asked("MatchService/ListMatches", tournament=here.name)
    for method in ("ListPairings", "GetTournamentStandings", "GetCrossTable"):
        yield asked(f"TournamentService/{method}", tournament=here.name)
    yield asked("TournamentService/GetTournament", name=here.name)
    for form in ("EXPORT_FORMAT_CSV", "EXPORT_FORMAT_JSON"):
        yield from asked("TournamentService/ExportTournament", tournament=here.name, format=form)
    watched = asked("TournamentService/WatchTournament", tournament=here.name, after_number=0)
    yield from islice(watched, 2)
    watched.cancel()


def told_to_everybody(scene: Scene) -> dict[int, str]:
    """Return by viewer, with or without a seat, all text that it can get about both matches, bytes written as hex."""
    here = scene.here
    watcher = here.ask_admin("AdminService/CreateToken", role="ROLE_SPECTATOR", holder="watcher").secret
    found = {}
    for bot, secret in [(SPECTATOR, watcher), (SPECTATOR - 1, here.owner), *enumerate(here.secrets)]:
        messages = everything(here, secret, scene.first, scene.second)
        found[bot] = "\n".join(as_text(one) for message in messages for one in strings(message))
    return found


def as_text(word: str | bytes) -> str:
    return word if isinstance(word, str) else word.hex()


def finished(scene: Scene) -> Any:
    """End the second match, and with it the set. Return the first match as it is shown then."""
    here = scene.here
    here.connection(0).send(resignation={"match_id": scene.second})
    list(here.ask("TournamentService/WatchTournament", tournament=here.name))
    return here.ask("MatchService/GetMatch", match_id=scene.first).match


def test_the_seed_stays_hidden_from_everybody_until_the_set_is_over(tmp_path: Path) -> None:
    with at_the_second_match(tmp_path) as scene:
        told = told_to_everybody(scene)
        assert not scene.ended.seed_commitment.seed
        match = finished(scene)
        assert match.seed_commitment.seed
        for viewer, text in told.items():
            assert match.seed_commitment.seed.hex() not in text
            assert (ATTEMPT in text) == (viewer == 0)


def test_the_record_of_a_match_is_out_when_its_set_is_over(tmp_path: Path) -> None:
    with at_the_second_match(tmp_path) as scene:
        here = scene.here
        assert not here.ask("MatchService/GetMatch", match_id=scene.first).match.HasField("record")
        with pytest.raises(grpc.RpcError) as no:
            list(here.ask("MatchService/GetRecord", match_id=scene.first))
        told = refused(no.value)
        assert told.reason == "MATCH_NOT_OVER"
        assert "other matches of its duplicate set" in told.sentence
        need_promised(told)

        first = finished(scene)
        assert here.connection(0).receive("match_ended").seed_commitment.seed == first.seed_commitment.seed
        second = here.ask("MatchService/GetMatch", match_id=scene.second).match
        assert first.HasField("record")
        assert first.seed_commitment.seed == second.seed_commitment.seed
        assert list(here.ask("MatchService/GetRecord", match_id=scene.first))
        entries = [one for response in everything(here, here.owner, scene.first) for one in strings(response)]
        assert ATTEMPT in entries


def test_openings_are_their_organisers_until_the_end(tmp_path: Path) -> None:
    with club_alone(tmp_path, "--ephemeral") as here:
        openings = [{"moves": [{"seat": 0, "move": "c2-c3"}]}]
        new_tournament(here, round_robin={}, duplicate_play={"openings": openings}, entrants=entrants(here))
        new_ladder(here, duplicate_play={"openings": openings})

        def seen(ask: Callable[..., Any]) -> list[int]:
            contests = (
                ask("TournamentService/GetTournament", name=here.name).tournament,
                ask("TournamentService/ListTournaments").tournaments[0],
                next(ask("TournamentService/WatchTournament", tournament=here.name)).items[0].snapshot.tournament,
                next(ask("TournamentService/WatchTournament", tournament=here.name, after_number=0))
                .items[0]
                .snapshot.tournament,
                ask("LadderService/GetLadder", name=here.name).ladder,
                ask("LadderService/ListLadders", include_closed=True).ladders[0],
                next(ask("LadderService/WatchLadder", ladder=here.name)).items[0].snapshot.ladder,
            )
            return [len(contest.terms.duplicate_play.openings) for contest in contests]

        def seen_by_a_bot() -> list[int]:
            return seen(lambda method, **fields: here.ask_as(0, method, **fields))

        assert seen(here.ask) == [1] * 7
        assert seen_by_a_bot() == [0] * 7
        here.ask("TournamentService/CancelTournament", name=here.name)
        here.ask("LadderService/CloseLadder", ladder=here.name)
        list(here.ask("LadderService/WatchLadder", ladder=here.name))
        assert seen_by_a_bot() == [1] * 7
