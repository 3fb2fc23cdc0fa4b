"""A hostile author, a hostile organiser and a stranger try everything beside honest authors, and gain nothing.

The server has its default limits. Honest bots play a ladder and a tournament with real clocks meanwhile.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest
from referee_api.v1 import bot_pb2, clock_pb2, contest_pb2, entry_pb2, ladder_pb2, policy_pb2, tournament_pb2

from referee.server.settings import SETTINGS
from tests.e2e.contests import call_for_tournament, create_tournament, entrants_of, match_terms
from tests.e2e.fuzz_calls import ALLOWED_REASONS
from tests.e2e.honest_bots import HonestBotsProcess, entries, run_honest_bots, wait_until_online
from tests.e2e.hostile_caller import Victims
from tests.e2e.organiser import Organiser, call_method, new_organiser
from tests.e2e.server import ServerProcess, run_server
from tests.e2e.server_metrics import FAULTS, error_log_lines, metrics
from tests.e2e.test_flood import assert_no_time_lost

pytestmark = pytest.mark.slow

DEFAULT_LIMITS = [
    f"--{name.replace('_', '-')}={SETTINGS[name].default}" for name in ("calls_per_minute", "heartbeat_timeout_ms")
]
AUTHORS = 4
GROUPS = ("spy", "starver", "filler", "flooder")
"""Attackers, each with a token and a holder of its own, so that no other uses up its calls."""
THINK_MS = 50
MAX_MATCHES = 4
"""Matches that an honest bot plays at once, so that few would fill all of its places."""
ATTACK_TIMEOUT_S = 600
NO_SHOW_MS = 500
LATER = {"seconds": 2**32}
FISCHER = clock_pb2.ClockRule(fischer=clock_pb2.Fischer(main_ms=60_000, increment_ms=1_000))
REQUIRED_REFUSALS = {
    *("NOT_YOURS", "CONSENT_MISSING", "BAD_INVITATION", "BAD_FIELD", "MESSAGE_TOO_LARGE", "REQUEST_ID_REUSED"),
    *("TOO_MANY_NAMES", "TOO_MANY_CALLS", "NO_TOKEN", "BAD_TOKEN", "NAME_TAKEN"),
}
"""Reasons that show that the attacks really took place."""


@dataclass(frozen=True, slots=True)
class Author:
    """An honest author with one bot."""

    holder: str
    secret: str
    bot: str
    bot_secret: str

    @classmethod
    def sign_up(cls, host: Organiser, code: str, holder: str, consent: bot_pb2.Consent | None = None) -> "Author":
        redeemed = call_method(
            *(host.channel, "InvitationService/RedeemInvitation", None), code=code, holder=holder, request_id=holder
        )
        bot = f"{holder}-bot"
        fields = {"request_id": bot, "name": bot, "consent": consent}
        registered = call_method(host.channel, "BotService/RegisterBot", redeemed.secret, **fields)
        return cls(holder, redeemed.secret, bot, registered.secret)

    def call(self, host: Organiser, method: str, **fields: Any) -> Any:
        return call_method(host.channel, method, self.secret, **fields)


class Competition:
    """A ladder and a tournament of honest authors. One hostile author enters the tournament and never comes."""

    def __init__(self, host: Organiser, absentee: str) -> None:
        self.host = host
        self.name = host.name
        self.invitation = host.call(
            "InvitationService/CreateInvitation", request_id="i", max_uses=AUTHORS, expire_time=LATER
        )
        anyone = bot_pb2.Consent(scope=bot_pb2.CONSENT_SCOPE_ANYONE)
        consents = [anyone] + [None] * (AUTHORS - 1)
        self.authors = [
            Author.sign_up(host, self.invitation.code, f"honest-{number}", consent)
            for number, consent in enumerate(consents)
        ]
        first = self.authors[0]
        self.looper = first.call(host, "BotService/RegisterBot", request_id="looper", name="looper").secret
        """Token of a bot that calls without end; its owner has an honest bot as well."""
        self.absentee = "absent-bot"
        terms = match_terms()
        terms.time_control.rule.CopyFrom(FISCHER)
        ladder = {"match_terms": [terms], "max_concurrent_matches": 2, "max_matches_per_hour": 0}
        tournament = {"match_terms": terms, "round_robin": {}, "no_show_ms": NO_SHOW_MS}
        host.call("LadderService/CreateLadder", request_id="l", name=self.name, terms=ladder)
        host.call("TournamentService/CreateTournament", request_id="t", name=self.name, terms=tournament)
        for author in self.authors:
            entrant = {"bots": [{"bot": author.bot}]}
            author.call(host, "LadderService/JoinLadder", ladder=self.name, entrant=entrant)
            author.call(host, "TournamentService/EnterTournament", tournament=self.name, entrant=entrant)
        register = {"request_id": self.absentee, "name": self.absentee}
        call_method(host.channel, "BotService/RegisterBot", absentee, **register)
        entrant = {"bots": [{"bot": self.absentee}]}
        enter = {"tournament": self.name, "entrant": entrant}
        call_method(host.channel, "TournamentService/EnterTournament", absentee, **enter)

    @property
    def bots(self) -> list[str]:
        return [author.bot for author in self.authors]

    @property
    def bot_secrets(self) -> list[str]:
        return [author.bot_secret for author in self.authors]

    def victims(self) -> Victims:
        """Return what an attacker knows, after the first match of the ladder has begun."""
        watched = self.host.call("LadderService/WatchLadder", ladder=self.name, after_number=0)
        log = (item.entry for response in watched for item in response.items)
        match_id = next(entry.pairing.match_ids[0] for entry in log if entry.pairing.match_ids)
        watched.cancel()
        open_bot, *bots = self.bots
        victim = self.authors[1]
        terms = match_terms(visibility=policy_pb2.Visibility(kind=policy_pb2.VISIBILITY_KIND_AFTER_END))
        sealed = victim.call(
            *(self.host, "MatchService/CreateMatch"), request_id="m", terms=terms, seats=[{"bot": victim.bot}, {}]
        )
        tokens = victim.call(self.host, "BotService/ListBotTokens", bot=victim.bot).tokens
        return Victims(
            victim.holder,
            self.host.name,
            bots,
            open_bot,
            self.name,
            self.name,
            match_id,
            sealed.match.id,
            self.invitation.invitation.id,
            self.invitation.code,
            tokens[0].id,
        )

    def play_tournament(self) -> list[contest_pb2.Pairing]:
        """Start the tournament, and wait until it is over; return its pairings."""
        self.host.call("TournamentService/StartTournament", name=self.name)
        list(self.host.call("TournamentService/WatchTournament", tournament=self.name))
        found = self.host.call("TournamentService/GetTournament", name=self.name).tournament
        assert found.phase == tournament_pb2.TOURNAMENT_PHASE_FINISHED
        return list(self.host.call("TournamentService/ListPairings", tournament=self.name, page_size=1000).pairings)

    def close_ladder(self) -> list[ladder_pb2.MatchRated]:
        """Close the ladder, wait until its matches are over, and return those that it rated, in order."""
        self.host.call("LadderService/CloseLadder", ladder=self.name)
        watched = self.host.call("LadderService/WatchLadder", ladder=self.name, after_number=0)
        log = [item.entry for response in watched for item in response.items]
        return [entry.match_rated for entry in log if entry.HasField("match_rated")]


@contextmanager
def hostile_process(
    server: ServerProcess, victims: Victims, attackers: dict[str, str], calls: int
) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "tests.e2e.hostile_program", server.address, "--calls", str(calls)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    process.stdin.write(json.dumps({"victims": asdict(victims), "attackers": attackers}))
    process.stdin.close()
    process.stdin = None  # Otherwise communicate() would use it.
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("calls", [0, pytest.param(100, marks=pytest.mark.soak)])
def test_hostile_callers_cost_honest_bots_no_match_no_rating_no_place_and_no_time(tmp_path: Path, calls: int) -> None:
    with (
        run_server(tmp_path, *DEFAULT_LIMITS) as server,
        server.channel() as channel,
        new_organiser(server, channel, "host", 0) as host,
    ):
        host.call_as_admin("AdminService/SetQuota", holder=host.name, quota={"max_calls_per_minute": 100_000})
        author_tokens = {name: create_token(host, "ROLE_AUTHOR", f"author-{name}") for name in GROUPS}
        organiser_tokens = {name: create_token(host, "ROLE_ORGANISER", f"organiser-{name}") for name in GROUPS}
        competition = Competition(host, author_tokens["spy"])
        flags = ("--think-ms", str(THINK_MS), "--max-matches", str(MAX_MATCHES))
        with run_honest_bots(server, tmp_path, competition.bot_secrets, *flags) as honest:
            victims = competition.victims()
            with ExitStack() as stack:
                attackers = [
                    stack.enter_context(hostile_process(server, victims, tokens, calls))
                    for tokens in (author_tokens, organiser_tokens, {"stranger": "", "looper": competition.looper})
                ]
                pairings = competition.play_tournament()
                reports = [process.communicate(timeout=ATTACK_TIMEOUT_S)[0] for process in attackers]
            rated = competition.close_ladder()
            assert not honest.failure()
            assert_nobody_lost(competition, honest, pairings, rated)
        assert_refused(reports)
        assert_no_fault(server)


def test_an_entrant_that_is_paused_in_mid_round_is_absent_and_delays_nobody(tmp_path: Path) -> None:
    with run_server(tmp_path) as server, server.channel() as channel, new_organiser(server, channel, "host", 4) as host:
        *honest, paused = host.bots
        start = {"round_robin": {}, "no_show_ms": NO_SHOW_MS, "entrants": entrants_of(host)}
        create_tournament(host, **start)
        watched = call_method(channel, "TournamentService/WatchTournament", host.token, tournament=host.name)
        with run_honest_bots(server, tmp_path, host.secrets, "--max-matches", "1", "--think-ms", str(THINK_MS)):
            wait_until_online(channel, host.token, host.bots)
            host.call("TournamentService/StartTournament", name=host.name)
            log = (item.entry for response in watched for item in response.items)
            next(entry for entry in log if entry.pairing.match_ids and paused in entry.pairing.entrants)
            host.call_as_admin("AdminService/PauseBot", bot=paused, message="misbehaves")
            assert list(log)[-1].HasField("ended")
        pairings = call_for_tournament(host, "ListPairings", page_size=1000).pairings
        assert {name for pairing in pairings for name in pairing.absent_entrants} == {paused}
        played = [pairing for pairing in pairings if set(pairing.entrants) <= set(honest)]
        assert len(played) == 3
        assert all(pairing.match_ids for pairing in played)


def create_token(host: Organiser, role: str, holder: str) -> str:
    created = host.call_as_admin("AdminService/CreateToken", role=role, holder=holder)
    return str(created.secret)


def assert_nobody_lost(
    competition: Competition,
    honest: HonestBotsProcess,
    pairings: Sequence[contest_pb2.Pairing],
    rated: Sequence[ladder_pb2.MatchRated],
) -> None:
    """Assert that no honest bot lost a match by a fault, rating without play, its place, time, or anything it owns."""
    assert_places_kept(competition, pairings)
    played = [match_id for pairing in pairings for match_id in pairing.match_ids]
    logs: dict[str, list[entry_pb2.Entry]] = {}
    for match_id in [*played, *(event.match_id for event in rated)]:
        logs[match_id] = entries(competition.host.channel, competition.host.token, match_id)
        assert logs[match_id][-1].play_ended.result.HasField("played")
    assert_ratings_changed_by_play(competition, rated)
    for author in competition.authors:
        bot = author.call(competition.host, "BotService/GetBot", name=author.bot).bot
        assert (bot.HasField("pause"), bot.description, bot.owner) == (False, "", author.holder)
        assert len(author.call(competition.host, "BotService/ListBotTokens", bot=author.bot).tokens) == 1
    assert_no_time_lost(logs, honest.thinking_times_us())


def assert_places_kept(competition: Competition, pairings: Sequence[contest_pb2.Pairing]) -> None:
    """Assert that every pairing was played, except those of the bot that never came."""
    honest = [pairing for pairing in pairings if competition.absentee not in pairing.entrants]
    assert len([pairing for pairing in honest if len(pairing.entrants) > 1]) == AUTHORS * (AUTHORS - 1) // 2
    for pairing in pairings:
        assert set(pairing.absent_entrants) <= {competition.absentee}
        assert bool(pairing.match_ids) is (pairing in honest and len(pairing.entrants) > 1)


def assert_ratings_changed_by_play(competition: Competition, rated: Sequence[ladder_pb2.MatchRated]) -> None:
    """Assert that the ratings of the ladder follow from its matches between honest bots alone."""
    assert rated
    host = competition.host
    rows = host.call("LadderService/ListLadderStandings", ladder=competition.name, page_size=1000).standings
    rating = {row.entrant.name: row.rating for row in rows}
    changes = [change for event in rated for change in event.ratings]
    assert {change.bot for change in changes} <= set(competition.bots)
    for bot in competition.bots:
        mine = [change for change in changes if change.bot == bot]
        assert [after.before for after in mine[1:]] == [before.after for before in mine[:-1]]
        if mine:
            assert rating[bot].matches == mine[-1].after.matches == len(mine)
            history = host.call("LadderService/ListRatingHistory", ladder=competition.name, bot=bot).points
            assert history[-1].rating == mine[-1].after


def assert_refused(reports: Sequence[str]) -> None:
    """Assert that the attackers were answered as they should be, by typed errors only."""
    answers: set[str] = set()
    for report in map(json.loads, reports):
        assert not report["surprises"], "\n".join(report["surprises"])
        answers |= report["answers"].keys()
    assert answers - {"accepted"} <= ALLOWED_REASONS
    assert answers >= REQUIRED_REFUSALS


def assert_no_fault(server: ServerProcess) -> None:
    assert not list(error_log_lines(server))
    assert "fault_id" not in server.log.read_text()
    assert not metrics(server).get(FAULTS, 0)
