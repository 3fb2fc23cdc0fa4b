"""Twenty bot processes of three languages on one ladder: they join, leave, crash and come back.

Afterwards the ladder's table, its ratings, its log and the matches themselves must tell one and the same story.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import pytest
from referee_api.v1 import clock_pb2, contest_pb2, game_pb2, ladder_pb2, match_pb2, policy_pb2

from tests.clients.languages import LANGUAGES, Language
from tests.clients.sdk import Program, started
from tests.clients.workshop import Workshop
from tests.e2e.club import ask
from tests.e2e.server import Running, organiser, registered, serving

pytestmark = pytest.mark.slow

NAMES = [f"bot-{number:02}" for number in range(20)]
LATE, LEAVES, CRASHES, VANISHES = NAMES[14:], NAMES[2], NAMES[3], NAMES[4]
STAY = {*NAMES} - {LEAVES, VANISHES}
PYTHON = [sys.executable, "-m", "referee_client"]
SEARCH = f"{Path(__file__).with_name('brief.py')}:BriefSearch"
"""The sample bot as it is takes up to five seconds of a processor for a move."""
STYLES = ("random", "greedy", SEARCH, "random")
LADDER = "main"
Key = tuple[str, str]
"""A bot, and its version."""


def terms() -> ladder_pb2.LadderTerms:
    """Short games by a clock that no busy machine decides; who vanishes loses soon."""
    gone = policy_pb2.GonePolicy(action=policy_pb2.GONE_ACTION_FORFEIT_AFTER_GRACE, grace_ms=2_000)
    rule = clock_pb2.ClockRule(fischer=clock_pb2.Fischer(main_ms=600_000, increment_ms=5_000))
    rules = game_pb2.Rules(game="troke", options={"max_plies": "40"})
    match = match_pb2.MatchTerms(
        rules=rules, time_control=clock_pb2.TimeControl(rule=rule), policies=policy_pb2.Policies(gone=gone)
    )
    return ladder_pb2.LadderTerms(match_terms=[match], provisional_matches=3, matches_at_once=8)


class Club:
    """The bots of the ladder, each a process, and what its organiser says."""

    def __init__(self, server: Running, channel: grpc.Channel, languages: dict[str, Language], stack: ExitStack):
        self.server, self.channel, self._languages, self._stack = server, channel, languages, stack
        self.owner = organiser(channel, server.admin_token)
        self._secrets = dict(zip(NAMES, registered(channel, self.owner, *NAMES), strict=True))
        self._running: dict[str, Program] = {}

    def ask(self, method: str, **fields: Any) -> Any:
        return ask(self.channel, method, self.owner, **fields)

    def comes(self, name: str, version: str = "1") -> None:
        """It starts, and joins in its own name unless it has."""
        number = NAMES.index(name)
        other = [None, self._languages["go"], self._languages["typescript"]][number % 3]
        command = other.run if other else [*PYTHON, STYLES[number % 4]]
        folder = other.folder if other else None
        bot = started(command, self.server, self._secrets[name], folder, BOT_VERSION=version, BOT_MATCHES_AT_MOST="2")
        again = name in self._running
        self._running[name] = self._stack.enter_context(bot)
        if not again:
            ask(self.channel, "LadderService/JoinLadder", self._secrets[name], ladder=LADDER)

    def crashes(self, name: str) -> None:
        self._running[name].ends()

    def leaves(self, name: str) -> None:
        ask(self.channel, "LadderService/LeaveLadder", self._secrets[name], ladder=LADDER)

    def entries(self) -> Iterator[ladder_pb2.LadderEntry]:
        """From the first on, as they happen, until the ladder is closed and the stream has ended in order."""
        number = 0
        while True:
            call = self.ask("LadderService/WatchLadder", ladder=LADDER, after=number)
            try:
                for told in call:
                    for entry in (item.entry for item in told.items if item.HasField("entry")):
                        assert entry.number == number + 1, "an entry is missing, or came twice"
                        number = entry.number
                        yield entry
                return
            except grpc.RpcError as ended:  # The test's own patience with one call; watching goes on where it was.
                if ended.code() is not grpc.StatusCode.DEADLINE_EXCEEDED:
                    raise


@pytest.fixture
def languages(workshop: Workshop) -> dict[str, Language]:
    wanted = {language.name: language for language in LANGUAGES if language.name in ("go", "typescript")}
    for language in wanted.values():
        workshop.build(language)
    return wanted


@pytest.mark.parametrize("rated", [45, pytest.param(300, marks=pytest.mark.soak)])
def test_twenty_processes_of_three_languages_climb_until_enough_matches_are_rated(
    tmp_path: Path, languages: dict[str, Language], rated: int
) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(serving(tmp_path))
        channel = stack.enter_context(server.channel())
        club = Club(server, channel, languages, stack)
        club.ask("LadderService/CreateLadder", request_id="make", name=LADDER, terms=terms())
        for name in NAMES:
            if name not in LATE:
                club.comes(name)
        log = played_until(rated, club)
        agree(club, log)
        assert "something broke" not in server.log.read_text()


def played_until(enough: int, club: Club) -> list[ladder_pb2.LadderEntry]:
    """All that happened until the ladder was closed, and its last match over."""
    incidents: dict[int, Callable[[], None]] = {
        **{number: partial(club.comes, name) for number, name in enumerate(LATE, 5)},
        15: partial(club.crashes, CRASHES),
        20: partial(club.leaves, LEAVES),
        25: partial(club.crashes, VANISHES),
        30: partial(club.comes, CRASHES, version="2"),
    }
    """By how many matches have been rated."""
    log: list[ladder_pb2.LadderEntry] = []
    closing = False
    for entry in club.entries():
        log.append(entry)
        rated = sum(one.HasField("rated") for one in log)
        if rated in incidents:
            incidents.pop(rated)()
        waited_for = STAY - {change.bot for one in log for change in one.rated.ratings}
        # On a busy machine a process may take long to start; but whoever is not paired in so many matches starves.
        if not closing and not incidents and rated >= (4 * enough if waited_for else enough):
            closing = True
            club.ask("LadderService/CloseLadder", ladder=LADDER)
    assert log[-1].HasField("closed")
    return log


def agree(club: Club, log: list[ladder_pb2.LadderEntry]) -> None:
    rated = [entry.rated for entry in log if entry.HasField("rated")]
    assert len({one.match_id for one in rated}) == len(rated) > 40, "a match was rated twice, or too few were played"
    agrees_with_the_matches(club, rated)
    agrees_with_itself(rated)
    agrees_with_the_table(club, rated)
    agrees_with_the_histories(club, rated)
    agrees_with_what_was_done(log)


def agrees_with_the_matches(club: Club, rated: list[ladder_pb2.MatchRated]) -> None:
    """Every match that has a result was rated, and no other; and it tells the same of what that did."""
    over = {match.id: match for match in matches(club) if match.phase == match_pb2.PHASE_OVER}
    assert {one.match_id for one in rated} == {it.id for it in over.values() if not it.result.HasField("voided")}
    for one in rated:
        ended = [
            entry.play_ended
            for told in club.ask("MatchService/WatchMatch", match_id=one.match_id, after=0)
            for entry in (item.entry for item in told.items)
            if entry.HasField("play_ended")
        ]
        assert [list(each.ratings) for each in ended] == [list(one.ratings)]


def matches(club: Club) -> Iterator[match_pb2.Match]:
    token = ""
    while True:
        page = club.ask("MatchService/ListMatches", ladder=LADDER, page_size=500, page_token=token)
        yield from page.matches
        token = page.next_page_token
        if not token:
            return


def agrees_with_itself(rated: list[ladder_pb2.MatchRated]) -> None:
    """Each change begins where the last one of that version ended."""
    now: dict[Key, Any] = {}
    for change in (change for one in rated for change in one.ratings):
        before = now.get((change.bot, change.version))
        assert before is None or change.before == before
        assert change.after.matches == change.before.matches + 1
        now[change.bot, change.version] = change.after


def agrees_with_the_table(club: Club, rated: list[ladder_pb2.MatchRated]) -> None:
    page = club.ask("LadderService/ListLadderStandings", ladder=LADDER, all_versions=True, page_size=1000)
    results = {match.id: match.result for match in matches(club)}
    for row in page.standings:
        key = (row.entrant.bots[0].bot, row.version)
        mine = [
            (change, results[one.match_id])
            for one in rated
            for change in one.ratings
            if (change.bot, change.version) == key
        ]
        places = Counter(place(result, change.seat) for change, result in mine)
        assert (row.wins, row.draws, row.losses) == (places["won"], places["shared"], places["lost"]), key
        forfeits = [result for change, result in mine if change.seat in forfeiters(result)]
        assert row.forfeits == len(forfeits), key
        if mine:
            assert row.rating == mine[-1][0].after, key
    ranked = [row.rating.value for row in page.standings if not row.rating.provisional]
    assert ranked == sorted(ranked, reverse=True)
    played = {(change.bot, change.version) for one in rated for change in one.ratings}
    assert played <= {(row.entrant.bots[0].bot, row.version) for row in page.standings} | {(LEAVES, "1")}
    assert {name for name, _ in played} >= STAY, "somebody starved"


def place(result: Any, seat: int) -> str:
    ranks = [one.rank for one in result.seats]
    if ranks[seat] != 1:
        return "lost"
    return "won" if ranks.count(1) == 1 else "shared"


def forfeiters(result: Any) -> set[int]:
    return {forfeit.seat for forfeit in result.forfeited.forfeits}


def agrees_with_the_histories(club: Club, rated: list[ladder_pb2.MatchRated]) -> None:
    for name in NAMES:
        told = club.ask("LadderService/ListRatingHistory", ladder=LADDER, bot=name, page_size=1000)
        assert [(point.match_id, point.rating) for point in told.points] == [
            (one.match_id, change.after) for one in rated for change in one.ratings if change.bot == name
        ]


def agrees_with_what_was_done(log: list[ladder_pb2.LadderEntry]) -> None:
    """Nobody was paired before it came or after it went, nor with itself; and what was begun was played to its end."""
    here: set[str] = set()
    left: dict[str, int] = {}
    for entry in log:
        if entry.HasField("joined"):
            here.add(entry.joined.entrant.name)
        if entry.HasField("left"):
            here.discard(entry.left.entrant)
            left[entry.left.entrant] = entry.number
        if entry.HasField("pairing") and entry.pairing.phase == contest_pb2.PAIRING_PHASE_PLANNED:
            assert set(entry.pairing.entrants) <= here
            assert len(set(entry.pairing.entrants)) == 2
    assert list(left) == [LEAVES]
    last = {entry.pairing.id: entry.pairing for entry in log if entry.HasField("pairing")}
    begun = {pairing.phase for pairing in last.values() if pairing.match_ids}
    assert begun == {contest_pb2.PAIRING_PHASE_DONE}
