"""A hostile author, a hostile organiser and a stranger try everything beside honest authors, and gain nothing.

The server has its default limits. Honest bots play a ladder and a tournament with real clocks meanwhile.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path

import pytest
from referee_api.v1 import bot_pb2, clock_pb2, contest_pb2, entry_pb2, ladder_pb2, policy_pb2, tournament_pb2

from referee.server.settings import SETTINGS
from tests.e2e.contests import (
    call_for_ladder,
    call_for_tournament,
    create_ladder,
    create_tournament,
    entrants_of,
    match_terms,
)
from tests.e2e.fuzz_calls import ALLOWED_REASONS
from tests.e2e.honest_bots import HonestBotsProcess, entries, run_honest_bots
from tests.e2e.hostile_attacks import Victims
from tests.e2e.organiser import Organiser, call_method, entries_of, new_organiser
from tests.e2e.server import ServerProcess, run_server
from tests.e2e.server_metrics import FAULTS, error_log_lines, metrics
from tests.e2e.test_flood import assert_no_time_lost
from tests.e2e.test_permissions import LATER

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
FISCHER = clock_pb2.ClockRule(fischer=clock_pb2.Fischer(main_ms=60_000, increment_ms=1_000))
REQUIRED_REFUSALS = {
    *("NOT_YOURS", "CONSENT_MISSING", "BAD_INVITATION", "BAD_FIELD", "MESSAGE_TOO_LARGE"),
    *("TOO_MANY_NAMES", "TOO_MANY_CALLS", "NO_TOKEN", "BAD_TOKEN", "NAME_TAKEN"),
}
"""Reasons that show that the attacks really took place."""


def enter_contests(host: Organiser, author: Organiser) -> None:
    (entrant,) = entrants_of(author)
    author.call("LadderService/JoinLadder", ladder=host.name, entrant=entrant)
    author.call("TournamentService/EnterTournament", tournament=host.name, entrant=entrant)


class Competition:
    """A ladder and a tournament of honest authors. One hostile author enters the tournament and never comes."""

    def __init__(self, host: Organiser, absentee: str) -> None:
        self.host = host
        invite = {"request_id": "i", "max_uses": AUTHORS, "expire_time": LATER}
        self.invitation = host.call("InvitationService/CreateInvitation", **invite)
        terms = match_terms()
        terms.time_control.rule.CopyFrom(FISCHER)
        create_ladder(host, match_terms=[terms], max_concurrent_matches=2)
        create_tournament(host, match_terms=terms, round_robin={}, no_show_ms=NO_SHOW_MS)
        self.authors = [self._sign_up(f"honest-{number}") for number in range(AUTHORS)]
        self.authors[0].set_consent(scope=bot_pb2.CONSENT_SCOPE_ANYONE)
        for author in self.authors:
            enter_contests(host, author)
        own = {"request_id": "looper", "name": "looper"}
        self.looper = self.authors[0].call("BotService/RegisterBot", **own).secret
        """Token of a bot that calls without end; its owner has an honest bot as well."""
        hostile = Organiser(host.server, host.channel, "absent", 1, absentee)
        (self.absentee,) = hostile.bots
        hostile.call("TournamentService/EnterTournament", tournament=host.name, entrant=entrants_of(hostile)[0])

    def _sign_up(self, holder: str) -> Organiser:
        redeem = {"code": self.invitation.code, "holder": holder, "request_id": holder}
        redeemed = call_method(self.host.channel, "InvitationService/RedeemInvitation", None, **redeem)
        return Organiser(self.host.server, self.host.channel, holder, 1, redeemed.secret)

    @property
    def bots(self) -> list[str]:
        return [author.bots[0] for author in self.authors]

    def victims(self) -> Victims:
        """Return what an attacker knows, after the first match of the ladder has begun."""
        watched = call_for_ladder(self.host, "WatchLadder", after_number=0)
        log = (entry for response in watched for entry in entries_of(response))
        match_id = next(entry.pairing.match_ids[0] for entry in log if entry.pairing.match_ids)
        watched.cancel()
        open_bot, *bots = self.bots
        victim = self.authors[1]
        terms = match_terms(visibility=policy_pb2.Visibility(kind=policy_pb2.VISIBILITY_KIND_AFTER_END))
        request = {"request_id": "m", "terms": terms, "seats": [{"bot": victim.bots[0]}, {}]}
        sealed = victim.call("MatchService/CreateMatch", **request)
        tokens = victim.call("BotService/ListBotTokens", bot=victim.bots[0]).tokens
        return Victims(
            holder=victim.name,
            organiser=self.host.name,
            bots=tuple(bots),
            open_bot=open_bot,
            contest=self.host.name,
            match_in_play=match_id,
            sealed_match=sealed.match.id,
            invitation=self.invitation.invitation.id,
            used_code=self.invitation.code,
            token_id=tokens[0].id,
        )

    def play_tournament(self) -> list[contest_pb2.Pairing]:
        """Start the tournament, and wait until it is over; return its pairings."""
        self.host.call("TournamentService/StartTournament", name=self.host.name)
        call_for_tournament(self.host, "WatchTournament")
        found = self.host.call("TournamentService/GetTournament", name=self.host.name).tournament
        assert found.phase == tournament_pb2.TOURNAMENT_PHASE_FINISHED
        return list(call_for_tournament(self.host, "ListPairings", page_size=1000).pairings)

    def close_ladder(self) -> list[ladder_pb2.MatchRated]:
        """Close the ladder, wait until its matches are over, and return those that it rated, in order."""
        call_for_ladder(self.host, "CloseLadder")
        watched = call_for_ladder(self.host, "WatchLadder", after_number=0)
        log = [entry for response in watched for entry in entries_of(response)]
        return [entry.match_rated for entry in log if entry.HasField("match_rated")]


@contextmanager
def hostile_process(
    server: ServerProcess, victims: Victims, attackers: dict[str, str], calls: int
) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "tests.e2e.hostile_attacks", server.address, "--calls", str(calls)]
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
        host.set_quota(max_calls_per_minute=100_000)
        author_tokens, organiser_tokens = (
            {name: host.create_token(role, f"{role}-{name}") for name in GROUPS} for role in ("author", "organiser")
        )
        competition = Competition(host, author_tokens["spy"])
        flags = ("--think-ms", str(THINK_MS), "--max-matches", str(MAX_MATCHES))
        secrets = [author.secrets[0] for author in competition.authors]
        with run_honest_bots(server, tmp_path, secrets, *flags) as honest:
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
        assert not list(error_log_lines(server))
        assert "fault_id" not in server.log.read_text()
        assert not metrics(server).get(FAULTS, 0)


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
        (name,) = author.bots
        bot = author.call("BotService/GetBot", name=name).bot
        assert (bot.HasField("pause"), bot.description, bot.owner) == (False, "", author.name)
        assert len(author.call("BotService/ListBotTokens", bot=name).tokens) == 1
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
    rows = call_for_ladder(competition.host, "ListLadderStandings", page_size=1000).standings
    rating = {row.entrant.name: row.rating for row in rows}
    changes = [change for event in rated for change in event.ratings]
    assert {change.bot for change in changes} <= set(competition.bots)
    for bot in competition.bots:
        mine = [change for change in changes if change.bot == bot]
        assert [after.before for after in mine[1:]] == [before.after for before in mine[:-1]]
        if mine:
            assert rating[bot].matches == mine[-1].after.matches == len(mine)
            history = call_for_ladder(competition.host, "ListRatingHistory", bot=bot).points
            assert history[-1].rating == mine[-1].after


def assert_refused(reports: Sequence[str]) -> None:
    """Assert that the attackers were answered as they should be, by typed errors only."""
    answers: set[str] = set()
    for report in map(json.loads, reports):
        assert not report["surprises"], "\n".join(report["surprises"])
        answers |= report["answers"].keys()
    assert answers - {"accepted"} <= ALLOWED_REASONS
    assert answers >= REQUIRED_REFUSALS
