"""The real server is killed again and again in the middle of a ladder: it goes on, and every match is rated once."""

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest
from referee_api.v1 import game_pb2, ladder_pb2

from engines.registry import games
from referee.app.contests.book import folded
from referee.app.contests.held_ladder import HeldLadder, LadderFold
from referee.app.contests.log import LADDER, ContestEntry, contest_id
from referee.contest.ladder import recomputed
from referee.contest.ladder_events import Closed, Event, Paired, Rated
from referee.contest.match_events import Began, Scored
from referee.core.events import PlayEnded
from referee.core.setup import Player
from referee.storage.sqlite import SqliteEventLog
from tests.e2e.club import ask, ask_patiently, club
from tests.e2e.contests import ladder_request, match_terms
from tests.e2e.readings import troubles
from tests.e2e.server import serving
from tests.e2e.steadfast import Company, SteadfastBot, Witness

pytestmark = pytest.mark.slow

LADDERS: dict[str, dict[str, Any]] = {
    "main": {"match_terms": [match_terms(game_pb2.Rules(game="troke"))], "provisional_matches": 3},
    "sets": {"match_terms": [match_terms(game_pb2.Rules(game="trox"))], "duplicate": {}, "matches_at_once": 4},
}
SEATS = 5
MOVES_BETWEEN = (30, 250)
"""In all matches together."""
PLAYED_WITHIN_S = 900
"""How long the matches of a ladder may take on a machine that is busy with something else."""


@pytest.mark.parametrize("kills", [2, pytest.param(6, marks=pytest.mark.soak)])
def test_whenever_the_referee_is_killed_a_ladder_goes_on_and_rates_every_match_once(
    tmp_path: Path, rng: random.Random, kills: int
) -> None:
    chance, witness = rng, Witness()
    with serving(tmp_path) as server, server.channel() as channel, club(server, channel, seats=SEATS) as here:
        owner, bots = here.owner, [SteadfastBot(secret, witness) for secret in here.secrets]
        for name, terms in LADDERS.items():
            here.ask("LadderService/CreateLadder", **ladder_request(here, name=name, request_id=name, **terms))
            for seat in range(SEATS):
                here.ask_as(seat, "LadderService/JoinLadder", ladder=name)
    told: dict[str, list[ladder_pb2.LadderEntry]] = {name: [] for name in LADDERS}
    for life in range(kills):
        with serving(tmp_path) as server, server.channel() as channel:
            company = Company(bots, server.address)
            witness.wait_for_more(chance.randint(*MOVES_BETWEEN))
            if life == kills // 2:
                ask(channel, "LadderService/StartSeason", owner, request_id="a season", ladder="main")
            told = {name: heard(channel, owner, name, told[name]) for name in LADDERS}
            server.kill()
            company.goes()
    with serving(tmp_path) as server, server.channel() as channel:
        company = Company(bots, server.address)
        for name in LADDERS:
            until_rated(channel, owner, name, SEATS + 1)
        for name in LADDERS:
            ask(channel, "LadderService/CloseLadder", owner, ladder=name)
        for name in LADDERS:
            list(ask_patiently(channel, "LadderService/WatchLadder", owner, PLAYED_WITHIN_S, {"ladder": name}))
        told = {name: heard(channel, owner, name, told[name]) for name in LADDERS}
        tables = {name: table(channel, owner, name) for name in LADDERS}
        live = ask(channel, "MatchService/ListMatches", owner, phase="PHASE_PLAYING").matches
        company.goes()
        assert not list(troubles(server))

    assert not witness.refused
    assert list(live) == []
    for name, (held, entries, ends) in asyncio.run(stored(tmp_path)).items():
        assert [entry.number for entry in entries] == [*range(1, len(entries) + 1)]
        assert [entry.number for entry in told[name]] == [entry.number for entry in entries]
        check(held, [entry.event for entry in entries[1:]], ends)  # type: ignore[misc]
        assert [(row.entrant.name, row.rating.value) for row in tables[name]] == ranked(held)


def until_rated(channel: Any, secret: str, name: str, many: int) -> None:
    """Come back when so many matches have been rated there."""
    rated = 0
    for response in ask_patiently(
        channel, "LadderService/WatchLadder", secret, PLAYED_WITHIN_S, {"ladder": name, "after": 0}
    ):
        rated += sum(item.entry.HasField("rated") for item in response.items)
        if rated >= many:
            return


def heard(channel: Any, secret: str, name: str, before: list[ladder_pb2.LadderEntry]) -> list[ladder_pb2.LadderEntry]:
    """All that has happened so far. What was told in an earlier life is told again as it was."""
    now, found = 0, list[ladder_pb2.LadderEntry]()
    for response in ask(channel, "LadderService/WatchLadder", secret, ladder=name, after=0):
        now = max([now, *(item.whole.number for item in response.items)])
        found += [item.entry for item in response.items if item.HasField("entry")]
        if found and found[-1].number >= now:
            break
    assert found[: len(before)] == before
    return found


def table(channel: Any, secret: str, name: str) -> list[ladder_pb2.LadderStanding]:
    return list(ask(channel, "LadderService/ListLadderStandings", secret, ladder=name).standings)


def ranked(held: HeldLadder) -> list[tuple[str, float]]:
    """By what the log says: those first who are not provisional, then the best."""
    ladder = held.ladder
    rows = {name: ladder.standing.rating(Player(name, "1")) for name in ladder.entrants}
    order = sorted(rows, key=lambda name: (ladder.terms.provisional(rows[name]), -rows[name].rating.value))
    return [(name, rows[name].rating.value) for name in order]


def check(held: HeldLadder, happened: list[Event], ends: dict[str, PlayEnded]) -> None:
    """Every match that was paired began once, ended once and is rated once, and its ratings follow from the results."""
    assert happened[-1] == Closed()
    assert recomputed(happened) == held.ladder.standing.ratings
    paired = [event.pairing.id for event in happened if isinstance(event, Paired)]
    assert paired == [str(number) for number in range(1, len(paired) + 1)]
    began = [event.match_id for event in happened if isinstance(event, Began)]
    rated = [event.match_id for event in happened if isinstance(event, Rated)]
    assert len(rated) > len(held.ladder.entrants)
    assert sorted(began) == sorted(rated) == sorted(ends)
    assert sum(isinstance(event, Scored) for event in happened) == len(rated)
    for event in happened:
        if isinstance(event, Rated):
            assert held.by_seat(event) == ends[event.match_id].ratings


async def stored(folder: Path) -> dict[str, tuple[HeldLadder, list[ContestEntry], dict[str, PlayEnded]]]:
    """Each ladder, its log, and how its matches ended."""
    log = SqliteEventLog(folder / "data" / "referee.db", lambda: 0)
    found = {}
    for name in LADDERS:
        entries = await log.contests.read(contest_id(LADDER, name))
        held = folded(LadderFold(games()), entries)[-1].state
        ids = [entry.event.match_id for entry in entries if isinstance(entry.event, Began)]
        ends = {match_id: (await log.read(match_id))[-1].event for match_id in ids}
        found[name] = held, entries, {it: end for it, end in ends.items() if isinstance(end, PlayEnded)}
    await log.close()
    return found
