"""Twenty bot processes in three languages play on one ladder: they join, leave, crash and reconnect.

Afterwards the standings, the ratings, the contest log and the matches must agree with each other.
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

from tests.clients.client_builds import ClientBuilder
from tests.clients.languages import LANGUAGES, Language
from tests.clients.sdk import BotProgram, run_program
from tests.e2e.organiser import call_method
from tests.e2e.server import ServerProcess, create_organiser_token, register_bots, run_server

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

NAMES = [f"bot-{number:02}" for number in range(20)]
LATE, LEAVES, CRASHES, VANISHES = NAMES[14:], NAMES[2], NAMES[3], NAMES[4]
PERMANENT = {*NAMES} - {LEAVES, VANISHES}
PYTHON = [sys.executable, "-m", "referee_client"]
SEARCH_BOT = f"{Path(__file__).with_name('brief_search_bot.py')}:BriefSearch"
"""With its default settings the sample bot takes up to five seconds of CPU time for a move."""
STYLES = ("random", "greedy", SEARCH_BOT, "random")
LADDER = "main"
Key = tuple[str, str]
"""Name and version of a bot."""


def terms() -> ladder_pb2.LadderTerms:
    """Terms of short matches whose clock suffices on a busy machine; a bot that disconnects forfeits soon."""
    gone = policy_pb2.DisconnectPolicy(
        action=policy_pb2.DISCONNECT_ACTION_FORFEIT_AFTER_GRACE_PERIOD, grace_period_ms=2_000
    )
    rule = clock_pb2.ClockRule(fischer=clock_pb2.Fischer(main_ms=600_000, increment_ms=5_000))
    rules = game_pb2.Rules(game="troke", options={"max_plies": "40"})
    match = match_pb2.MatchTerms(
        rules=rules, time_control=clock_pb2.TimeControl(rule=rule), policies=policy_pb2.Policies(disconnect=gone)
    )
    return ladder_pb2.LadderTerms(
        match_terms=[match], provisional_matches=3, max_concurrent_matches=8, max_matches_per_hour=0
    )


class LadderOrganiser:
    """The organiser of the ladder and its bots, each in a process of its own."""

    def __init__(self, server: ServerProcess, channel: grpc.Channel, languages: dict[str, Language], stack: ExitStack):
        self.server, self.channel, self._languages, self._stack = server, channel, languages, stack
        self.token = create_organiser_token(channel, server.admin_token)
        self._secrets = dict(zip(NAMES, register_bots(channel, self.token, *NAMES), strict=True))
        self._running: dict[str, BotProgram] = {}

    def call(self, method: str, **fields: Any) -> Any:
        return call_method(self.channel, method, self.token, **fields)

    def start_bot(self, name: str, version: str = "1") -> None:
        """Start the bot; if it is its first start, also join the ladder."""
        number = NAMES.index(name)
        other = [None, self._languages["go"], self._languages["typescript"]][number % 3]
        command = other.run if other else [*PYTHON, STYLES[number % 4]]
        folder = other.folder if other else None
        bot = run_program(command, self.server, self._secrets[name], folder, BOT_VERSION=version, BOT_MAX_MATCHES="2")
        again = name in self._running
        self._running[name] = self._stack.enter_context(bot)
        if not again:
            call_method(self.channel, "LadderService/JoinLadder", self._secrets[name], ladder=LADDER)

    def kill_bot(self, name: str) -> None:
        self._running[name].close()

    def leave_ladder(self, name: str) -> None:
        call_method(self.channel, "LadderService/LeaveLadder", self._secrets[name], ladder=LADDER)

    def entries(self) -> Iterator[ladder_pb2.LadderEntry]:
        """Yield all ladder entries from the first one until the ladder is closed and the stream ends with status OK."""
        number = 0
        while True:
            call = self.call("LadderService/WatchLadder", ladder=LADDER, after_number=number)
            try:
                for response in call:
                    for entry in (item.entry for item in response.items if item.HasField("entry")):
                        assert entry.number == number + 1, "an entry is missing, or came twice"
                        number = entry.number
                        yield entry
                return
            except grpc.RpcError as ended:  # The timeout of one call; watching resumes after the last entry.
                if ended.code() is not grpc.StatusCode.DEADLINE_EXCEEDED:
                    raise


@pytest.fixture
def languages(client_builder: ClientBuilder) -> dict[str, Language]:
    wanted = {language.name: language for language in LANGUAGES if language.name in ("go", "typescript")}
    for language in wanted.values():
        client_builder.build(language)
    return wanted


@pytest.mark.parametrize("rated", [45, pytest.param(300, marks=pytest.mark.soak)])
def test_twenty_bots_in_three_languages_play_on_one_ladder(
    tmp_path: Path, languages: dict[str, Language], rated: int
) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(run_server(tmp_path))
        channel = stack.enter_context(server.channel())
        organiser = LadderOrganiser(server, channel, languages, stack)
        organiser.call("LadderService/CreateLadder", request_id="make", name=LADDER, terms=terms())
        for name in NAMES:
            if name not in LATE:
                organiser.start_bot(name)
        log = play_until(rated, organiser)
        assert_consistent(organiser, log)
        assert "fault_id" not in server.log.read_text()


def play_until(target: int, organiser: LadderOrganiser) -> list[ladder_pb2.LadderEntry]:
    """Run all incidents, close the ladder when enough matches are rated, and return its whole log."""
    incidents: dict[int, Callable[[], None]] = {
        **{number: partial(organiser.start_bot, name) for number, name in enumerate(LATE, 5)},
        15: partial(organiser.kill_bot, CRASHES),
        20: partial(organiser.leave_ladder, LEAVES),
        25: partial(organiser.kill_bot, VANISHES),
        30: partial(organiser.start_bot, CRASHES, version="2"),
    }
    """Incidents by the number of rated matches at which they happen."""
    log: list[ladder_pb2.LadderEntry] = []
    closing = False
    for entry in organiser.entries():
        log.append(entry)
        rated = sum(one.HasField("match_rated") for one in log)
        if rated in incidents:
            incidents.pop(rated)()
        waited_for = PERMANENT - {change.bot for one in log for change in one.match_rated.ratings}
        # A process may start slowly on a busy machine, but a bot without a match by then is starved.
        if not closing and not incidents and rated >= (4 * target if waited_for else target):
            closing = True
            organiser.call("LadderService/CloseLadder", ladder=LADDER)
    assert log[-1].HasField("closed")
    return log


def assert_consistent(organiser: LadderOrganiser, log: list[ladder_pb2.LadderEntry]) -> None:
    rated = [entry.match_rated for entry in log if entry.HasField("match_rated")]
    assert len({one.match_id for one in rated}) == len(rated) > 40, "a match was rated twice, or too few were played"
    assert_agrees_with_matches(organiser, rated)
    assert_ratings_are_continuous(rated)
    assert_agrees_with_standings(organiser, rated)
    assert_agrees_with_histories(organiser, rated)
    voided = {match.id for match in matches(organiser) if match.result.HasField("voided")}
    assert_pairings_are_valid(log, voided)


def assert_agrees_with_matches(organiser: LadderOrganiser, rated: list[ladder_pb2.MatchRated]) -> None:
    """Assert that exactly the matches with a result were rated, with the same rating changes as in their match logs."""
    over = {match.id: match for match in matches(organiser) if match.phase == match_pb2.MATCH_PHASE_OVER}
    assert {one.match_id for one in rated} == {it.id for it in over.values() if not it.result.HasField("voided")}
    for one in rated:
        ended = [
            entry.play_ended
            for response in organiser.call("MatchService/WatchMatch", match_id=one.match_id, after_number=0)
            for entry in (item.entry for item in response.items)
            if entry.HasField("play_ended")
        ]
        assert [list(each.ratings) for each in ended] == [list(one.ratings)]


def matches(organiser: LadderOrganiser) -> Iterator[match_pb2.Match]:
    page_token = ""
    while True:
        page = organiser.call("MatchService/ListMatches", ladder=LADDER, page_size=500, page_token=page_token)
        yield from page.matches
        page_token = page.next_page_token
        if not page_token:
            return


def assert_ratings_are_continuous(rated: list[ladder_pb2.MatchRated]) -> None:
    """Assert that each rating change starts from the result of the previous change of the same version."""
    now: dict[Key, Any] = {}
    for change in (change for one in rated for change in one.ratings):
        before = now.get((change.bot, change.version))
        assert before is None or change.before == before
        assert change.after.matches == change.before.matches + 1
        now[change.bot, change.version] = change.after


def assert_agrees_with_standings(organiser: LadderOrganiser, rated: list[ladder_pb2.MatchRated]) -> None:
    page = organiser.call("LadderService/ListLadderStandings", ladder=LADDER, all_versions=True, page_size=1000)
    results = {match.id: match.result for match in matches(organiser)}
    for row in page.standings:
        key = (row.entrant.bots[0].bot, row.version)
        mine = [
            (change, results[one.match_id])
            for one in rated
            for change in one.ratings
            if (change.bot, change.version) == key
        ]
        places = Counter(outcome_of(result, change.seat) for change, result in mine)
        assert (row.wins, row.draws, row.losses) == (places["won"], places["shared"], places["lost"]), key
        forfeits = [result for change, result in mine if change.seat in forfeiters(result)]
        assert row.forfeits == len(forfeits), key
        if mine:
            after = mine[-1][0].after
            assert row.rating.matches == after.matches, key
            assert row.lower_bound == row.rating.value - 2 * row.rating.deviation, key
    ranked = [row.lower_bound for row in page.standings if not row.rating.provisional]
    assert ranked == sorted(ranked, reverse=True)
    played = {(change.bot, change.version) for one in rated for change in one.ratings}
    assert played <= {(row.entrant.bots[0].bot, row.version) for row in page.standings} | {(LEAVES, "1")}
    assert {name for name, _ in played} >= PERMANENT, "somebody starved"


def outcome_of(result: Any, seat: int) -> str:
    ranks = [one.rank for one in result.seats]
    if ranks[seat] != 1:
        return "lost"
    return "won" if ranks.count(1) == 1 else "shared"


def forfeiters(result: Any) -> set[int]:
    return {forfeit.seat for forfeit in result.forfeited.forfeits}


def assert_agrees_with_histories(organiser: LadderOrganiser, rated: list[ladder_pb2.MatchRated]) -> None:
    for name in NAMES:
        response = organiser.call("LadderService/ListRatingHistory", ladder=LADDER, bot=name, page_size=1000)
        assert [(point.match_id, point.rating) for point in response.points] == [
            (one.match_id, change.after) for one in rated for change in one.ratings if change.bot == name
        ]


def assert_pairings_are_valid(log: list[ladder_pb2.LadderEntry], voided: set[str]) -> None:
    """Assert that bots were paired only while on the ladder and never with themselves, and that all pairings ended.

    A void match does not count, so its pairing is planned again, and may wait for its bots when the ladder is closed.
    """
    members: set[str] = set()
    left: dict[str, int] = {}
    for entry in log:
        if entry.HasField("entrant_joined"):
            members.add(entry.entrant_joined.entrant.name)
        if entry.HasField("entrant_left"):
            members.discard(entry.entrant_left.entrant)
            left[entry.entrant_left.entrant] = entry.number
        if entry.HasField("pairing") and entry.pairing.phase == contest_pb2.PAIRING_PHASE_PLANNED:
            assert set(entry.pairing.entrants) <= members
            assert len(set(entry.pairing.entrants)) == 2
    assert list(left) == [LEAVES]
    last = {entry.pairing.id: entry.pairing for entry in log if entry.HasField("pairing")}
    begun = [pairing for pairing in last.values() if not voided.issuperset(pairing.match_ids)]
    assert {pairing.phase for pairing in begun} == {contest_pb2.PAIRING_PHASE_DONE}
