"""Callers for fuzzing: one of each role, with matches and contests of their own."""

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import grpc
from google.protobuf.message import Message
from referee_api.v1 import (
    admin_service_pb2,
    contest_pb2,
    game_pb2,
    game_service_pb2,
    ladder_pb2,
    ladder_service_pb2,
    match_pb2,
    match_service_pb2,
    play_pb2,
    play_service_pb2,
    sprt_pb2,
    token_pb2,
    tournament_pb2,
    tournament_service_pb2,
)
from referee_api.v1.admin_service_pb2_grpc import AdminServiceStub
from referee_api.v1.game_service_pb2_grpc import GameServiceStub
from referee_api.v1.ladder_service_pb2_grpc import LadderServiceStub
from referee_api.v1.match_service_pb2_grpc import MatchServiceStub
from referee_api.v1.play_service_pb2_grpc import PlayServiceStub
from referee_api.v1.tournament_service_pb2_grpc import TournamentServiceStub

from tests.e2e.call_errors import parse_error
from tests.e2e.honest_bots import match_request
from tests.e2e.server import TIMEOUT_S, ServerProcess, bearer, create_organiser_token, register_bots

SEATS = {"alquerque": 2, "trox": 2, "troke": 2, "toc": 4}
"""Number of seats by game."""


@dataclass(frozen=True, slots=True)
class Callers:
    """Callers that share one set of matches.

    They are replaced regularly, because generated requests use up quotas, revoke tokens and pause bots.
    """

    secrets: dict[str, str | None]
    """Token by role, including callers with an invalid token or none."""
    responses: tuple[Message, ...]
    """Responses that they have received so far, whose names and ids make generated requests meaningful."""
    examples: tuple[Message, ...]
    """Valid requests."""


def create_callers(server: ServerProcess, channel: grpc.Channel, number: int, sparring: str) -> Callers:
    """Create new callers, with a match of each game against `sparring` in which they owe a move."""
    owner = create_organiser_token(channel, server.admin_token, f"organiser-{number}")
    bot = f"strange-{number}"
    (secret,) = register_bots(channel, owner, bot)
    created = [match_request(f"{game} of {bot}", game, [bot, sparring] * (seats // 2)) for game, seats in SEATS.items()]
    for request in created:
        MatchServiceStub(channel).CreateMatch(request, metadata=bearer(owner), timeout=TIMEOUT_S)
    secrets: dict[str, str | None] = {
        "public": None,
        "stranger": "rf_0000",
        "spectator": _token(server, channel, token_pb2.ROLE_SPECTATOR, f"spectator-{number}"),
        "bot": secret,
        "author": _token(server, channel, token_pb2.ROLE_AUTHOR, f"author-{number}"),
        "organiser": owner,
        "admin": _token(server, channel, token_pb2.ROLE_ADMIN, f"admin-{number}"),
    }
    _start_matches(channel, secret)
    list_turns = match_service_pb2.ListTurnsRequest(turn_options=play_pb2.TurnOptions(max_legal_moves=10))
    turns = MatchServiceStub(channel).ListTurns(list_turns, metadata=bearer(secret), timeout=TIMEOUT_S)
    moves = [
        match_service_pb2.SubmitMoveRequest(
            request_id=turn.turn_token[-9:],
            match_id=turn.match_id,
            turn_token=turn.turn_token,
            move=turn.legal_moves[0],
        )
        for turn in turns.turns
    ]
    positions = [
        game_service_pb2.ReadPositionRequest(rules=game_pb2.Rules(game=game), max_legal_moves=10) for game in SEATS
    ]
    contests = _create_contests(channel, owner, number, [bot, sparring])
    return Callers(
        secrets,
        (*_game_responses(channel, owner, positions), turns),
        (*created, *positions, *moves, list_turns, *contests),
    )


def end_contests_and_matches(server: ServerProcess, channel: grpc.Channel, sparring: str) -> None:
    """End all contests and matches of `sparring`, because the number of its concurrent matches is limited."""
    metadata = bearer(server.admin_token)
    ladders, tournaments = LadderServiceStub(channel), TournamentServiceStub(channel)
    listed_ladders = ladder_service_pb2.ListLaddersRequest(bot=sparring, page_size=1000)
    for ladder in ladders.ListLadders(listed_ladders, metadata=metadata, timeout=TIMEOUT_S).ladders:
        close = ladder_service_pb2.CloseLadderRequest(ladder=ladder.name)
        ladders.CloseLadder(close, metadata=metadata, timeout=TIMEOUT_S)
    for tournament_phase in (tournament_pb2.TOURNAMENT_PHASE_ENTRY, tournament_pb2.TOURNAMENT_PHASE_PLAYING):
        listed_tournaments = tournament_service_pb2.ListTournamentsRequest(
            bot=sparring, phase=tournament_phase, page_size=1000
        )
        for tournament in tournaments.ListTournaments(
            listed_tournaments, metadata=metadata, timeout=TIMEOUT_S
        ).tournaments:
            cancel = tournament_service_pb2.CancelTournamentRequest(name=tournament.name)
            tournaments.CancelTournament(cancel, metadata=metadata, timeout=TIMEOUT_S)
    for phase in (match_pb2.MATCH_PHASE_WAITING, match_pb2.MATCH_PHASE_PLAYING):
        request = match_service_pb2.ListMatchesRequest(bot=sparring, phase=phase, page_size=100)
        listed = MatchServiceStub(channel).ListMatches(request, metadata=metadata, timeout=TIMEOUT_S)
        for match in listed.matches:
            void = admin_service_pb2.VoidMatchRequest(
                match_id=match.id, request_id=match.id, message="the round is over"
            )
            try:
                AdminServiceStub(channel).VoidMatch(void, metadata=metadata, timeout=TIMEOUT_S)
            except grpc.RpcError as error:
                # The tournament that was cancelled above may have ended it meanwhile.
                if parse_error(error).reason != "MATCH_OVER":
                    raise


def _create_contests(channel: grpc.Channel, owner: str, number: int, bots: Sequence[str]) -> list[Message]:
    """Create a ladder and a tournament of these bots. Return these and other valid requests for contests."""
    ladder, tournament = f"ladder-{number}", f"tournament-{number}"
    terms = match_request("", "troke", bots).terms
    entrants = [contest_pb2.Entrant(bots=[match_pb2.BotRef(bot=bot)]) for bot in bots]
    create_ladder = ladder_service_pb2.CreateLadderRequest(
        request_id=ladder,
        name=ladder,
        terms=ladder_pb2.LadderTerms(match_terms=[terms], max_concurrent_matches=1, max_matches_per_hour=0),
    )
    joins = [ladder_service_pb2.JoinLadderRequest(ladder=ladder, entrant=entrant) for entrant in entrants]
    create_tournament = tournament_service_pb2.CreateTournamentRequest(
        request_id=tournament,
        name=tournament,
        terms=tournament_pb2.TournamentTerms(match_terms=terms, sprt=sprt_pb2.Sprt(elo1=50), max_concurrent_matches=1),
        entrants=entrants,
    )
    start_tournament = tournament_service_pb2.StartTournamentRequest(name=tournament)
    ladders, tournaments, metadata = LadderServiceStub(channel), TournamentServiceStub(channel), bearer(owner)
    ladders.CreateLadder(create_ladder, metadata=metadata, timeout=TIMEOUT_S)
    for join in joins:
        ladders.JoinLadder(join, metadata=metadata, timeout=TIMEOUT_S)
    tournaments.CreateTournament(create_tournament, metadata=metadata, timeout=TIMEOUT_S)
    tournaments.StartTournament(start_tournament, metadata=metadata, timeout=TIMEOUT_S)
    challenge = ladder_service_pb2.ChallengeRequest(request_id="c", ladder=ladder, entrants=bots)
    return [create_ladder, *joins, create_tournament, start_tournament, challenge]


def _token(server: ServerProcess, channel: grpc.Channel, role: token_pb2.Role.ValueType, holder: str) -> str:
    request = admin_service_pb2.CreateTokenRequest(role=role, holder=holder)
    return AdminServiceStub(channel).CreateToken(request, metadata=bearer(server.admin_token), timeout=TIMEOUT_S).secret


def _game_responses(
    channel: grpc.Channel, secret: str, positions: Iterable[game_service_pb2.ReadPositionRequest]
) -> list[Message]:
    games, metadata = GameServiceStub(channel), bearer(secret)
    listed = games.ListGames(game_service_pb2.ListGamesRequest(), metadata=metadata, timeout=TIMEOUT_S)
    return [listed, *(games.ReadPosition(request, metadata=metadata, timeout=TIMEOUT_S) for request in positions)]


def _start_matches(channel: grpc.Channel, secret: str) -> None:
    """Connect the bot until all its matches have started, and disconnect while it owes moves."""
    started, disconnected = set(), threading.Event()
    stream = PlayServiceStub(channel).Play(_hello(disconnected), metadata=bearer(secret), timeout=TIMEOUT_S)
    for response in stream:
        started |= {item.match_started.match.id for item in response.items if item.HasField("match_started")}
        if len(started) == len(SEATS):
            break
    stream.cancel()
    disconnected.set()


def _hello(disconnected: threading.Event) -> Iterator[play_service_pb2.PlayRequest]:
    yield play_service_pb2.PlayRequest(items=[play_pb2.BotItem(hello=play_pb2.Hello(max_matches=64))])
    disconnected.wait(TIMEOUT_S)
