"""Ways to cause each error: by a call, by an item of a Play stream, or by how a bot uses the stream.

Each runs with a new organiser, on a server that all share.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from referee_api.v1 import clock_pb2, error_pb2, game_pb2, play_pb2, play_service_pb2, policy_pb2
from referee_api.v1.play_service_pb2_grpc import PlayServiceStub

from tests.e2e import http2
from tests.e2e.bot_connection import BotConnection, connect_bot
from tests.e2e.contests import (
    call_for_ladder,
    call_for_tournament,
    create_ladder,
    create_tournament,
    entrants_of,
    join_ladder,
    start_tournament,
)
from tests.e2e.organiser import ONE_MS, Organiser, call_method, new_organiser
from tests.e2e.server import TIMEOUT_S, bearer, register_bots

MAX_MESSAGE_BYTES = 4_096
"""Maximum message size that the server is configured with."""
LARGE = "x" * 2 * MAX_MESSAGE_BYTES

NEGATIVE_TIME = clock_pb2.ClockRule(sudden_death=clock_pb2.SuddenDeath(main_ms=-1))
TROKE = game_pb2.Rules(game="troke")
THREE_SEAT_TROKE = game_pb2.Rules(game="troke", options={"seats": "3"})
CONTINUE_WITHOUT_SEAT = policy_pb2.Policies(forfeit_effect=policy_pb2.FORFEIT_EFFECT_RANDOM_MOVES)

Cause = Callable[[Organiser], Any]


def steps(*causes: Cause) -> Cause:
    """Return the function that makes these calls; the last one causes the error."""

    def cause(organiser: Organiser) -> Any:
        return [cause(organiser) for cause in causes][-1]

    return cause


def calling(method: str, **fields: Any) -> Cause:
    """Return the function that makes this call as the organiser; `{bot}` in a text is its first bot."""

    def cause(organiser: Organiser) -> Any:
        texts = {name: text.format(bot=organiser.bots[0]) for name, text in fields.items() if isinstance(text, str)}
        return organiser.call(method, **fields | texts)

    return cause


def reading(**fields: Any) -> Cause:
    return calling("GameService/ReadPosition", **{"rules": {"game": "alquerque"}} | fields)


def with_rules(**rules: Any) -> Cause:
    return reading(rules={"game": "alquerque"} | rules)


def creating(**overrides: Any) -> Cause:
    return lambda organiser: organiser.call("MatchService/CreateMatch", **organiser.match_request() | overrides)


def registering(name: str) -> Cause:
    return calling("BotService/RegisterBot", request_id="register again", name=name)


def in_match(method: str, as_created: bool = False, request_id: str = "r", **terms: Any) -> Cause:
    """Return the function that calls a method for a new match, which is only created or has started."""

    def cause(organiser: Organiser) -> Any:
        match_id = organiser.create_match(**terms) if as_created else organiser.start_match(**terms)
        return organiser.call_as_bot(0, f"MatchService/{method}", match_id=match_id, request_id=request_id)

    return cause


def twice(method: str, **terms: Any) -> Cause:
    """Return the function that calls a method of a started match twice with different request ids."""

    def cause(organiser: Organiser) -> None:
        match_id = organiser.start_match(**terms)
        for request_id in ("once", "again"):
            organiser.call_as_bot(0, f"MatchService/{method}", match_id=match_id, request_id=request_id)

    return cause


def with_quota(cause: Cause, **limits: int) -> Cause:
    return steps(lambda organiser: organiser.set_quota(**limits), cause)


def repeating(cause: Cause) -> Cause:
    """Return the function that repeats this until it fails."""

    def repeat(organiser: Organiser) -> None:
        while True:
            cause(organiser)

    return repeat


def submitting(*moves: str) -> Cause:
    """Return the function that answers one turn by these moves; an empty one is the next legal move."""

    def cause(organiser: Organiser) -> None:
        organiser.start_match()
        turn = organiser.next_turn()
        for number, move in enumerate(moves):
            organiser.submit_move(turn, move or turn.legal_moves[number])

    return cause


def answer_late(organiser: Organiser) -> play_pb2.Turn:
    """Let the time of the first turn run out, and return the turn."""
    organiser.start_match(rule=ONE_MS)
    turn: play_pb2.Turn = organiser.next_turn()
    organiser.connection(0).receive("match_ended")
    return turn


def submit_late(organiser: Organiser) -> None:
    turn = answer_late(organiser)
    organiser.submit_move(turn, turn.legal_moves[0])


def create_for_a_paused_bot(organiser: Organiser) -> None:
    organiser.call_as_admin("AdminService/PauseBot", bot=organiser.bots[0], message="a rest")
    creating()(organiser)


def seat_bot_of_another(organiser: Organiser) -> None:
    with new_organiser(organiser.server, organiser.channel, f"{organiser.name}-guest") as other:
        creating(seats=[{"bot": bot} for bot in other.bots])(organiser)


def join_taken_seat(organiser: Organiser) -> None:
    organiser.call("MatchService/JoinMatch", match_id=organiser.create_match(), seat=0, bot={"bot": organiser.bots[1]})


def withdraw_without_a_seat(organiser: Organiser) -> None:
    match_id = organiser.create_match(seating=(0, 0))
    organiser.call("MatchService/WithdrawBot", request_id="r", match_id=match_id, bot=organiser.bots[1])


def watch_two_matches(organiser: Organiser) -> None:
    match_id = organiser.create_match()
    streams = [organiser.call("MatchService/WatchMatch", match_id=match_id) for _ in range(2)]
    for stream in streams:
        next(stream)


def leave_responses_unread(organiser: Organiser) -> None:
    """Leave more answers unread than the holder may have calls open."""
    connection = http2.RawConnection(organiser.server.address, http2.NO_WINDOW)
    try:
        for _ in range(200):
            connection.start_call(token=organiser.token, message=b"")
        repeating(GET_BOT)(organiser)
    finally:
        connection.close()


GET_BOT = calling("BotService/GetBot", name="{bot}")
exceed_rate_limit = with_quota(
    repeating(lambda organiser: organiser.call_as_bot(0, "BotService/GetBot", name=organiser.bots[0])),
    max_calls_per_minute=1,
)

CALL_ERRORS: dict[str, Cause] = {
    "MALFORMED_MOVE": submitting("nonsense"),
    "MALFORMED_POSITION": reading(opening={"position": "x"}),
    "UNKNOWN_GAME": with_rules(game="shogi"),
    "UNKNOWN_OPTION": with_rules(options={"huf": "true"}),
    "UNKNOWN_PRESET": with_rules(preset="x"),
    "BAD_OPTION": with_rules(options={"huff": "perhaps"}),
    "BAD_TIME_CONTROL": lambda organiser: organiser.create_match(rule=NEGATIVE_TIME),
    "BAD_POLICY": lambda organiser: organiser.create_match(policies={"illegal_move": {"max_attempts": 1_001}}),
    "BAD_SEATS": lambda organiser: organiser.create_match(seating=(0,)),
    "BAD_NAME": registering("X"),
    "BAD_FIELD": creating(seed=b"x"),
    "BAD_PAGE_TOKEN": calling("BotService/ListBots", page_token="x"),
    "REQUEST_ID_REUSED": steps(creating(request_id="one"), creating(request_id="one", seed=bytes(32))),
    "NUMBER_AHEAD": lambda organiser: organiser.call(
        "MatchService/WatchMatch", match_id=organiser.create_match(), after_number=99
    ),
    "ILLEGAL_MOVE": submitting("a1-a2"),
    "MATCH_OVER": twice("Resign"),
    "CLOCK_EXPIRED": submit_late,
    "MATCH_NOT_STARTED": in_match("Resign", as_created=True),
    "MATCH_NOT_OVER": lambda organiser: organiser.call("MatchService/GetRecord", match_id=organiser.create_match()),
    "NO_DRAWS_HERE": in_match("OfferDraw", rules=TROKE),
    "DRAW_OFFERED_BEFORE": twice("OfferDraw"),
    "NO_DRAW_OFFERED": in_match("AnswerDraw"),
    "DRAW_NOT_CLAIMABLE": in_match("ClaimDraw"),
    "SEAT_TAKEN": join_taken_seat,
    "BOT_PAUSED": create_for_a_paused_bot,
    "CONSENT_MISSING": seat_bot_of_another,
    "NOT_WITHDRAWABLE": withdraw_without_a_seat,
    "BOT_NOT_PAUSED": calling("BotService/ReinstateBot", name="{bot}"),
    "NOT_YOUR_TURN": twice("Resign", rules=THREE_SEAT_TROKE, policies=CONTINUE_WITHOUT_SEAT, seating=(0, 1, 1)),
    "STALE_TURN": submitting("", ""),
    "NO_SUCH_MATCH": calling("MatchService/GetMatch", match_id="nowhere"),
    "NO_SUCH_BOT": calling("BotService/GetBot", name="nobody"),
    "NO_SUCH_VERSION": lambda organiser: creating(seats=[{"bot": bot, "version": "9"} for bot in organiser.bots])(
        organiser
    ),
    "NO_SUCH_TOKEN": calling("BotService/RevokeBotToken", bot="{bot}", token_id="tk_0"),
    "BAD_INVITATION": calling("InvitationService/RedeemInvitation", request_id="r", code="x", holder="eve"),
    "NO_SUCH_INVITATION": calling("InvitationService/RevokeInvitation", invitation_id="in_0"),
    "NAME_TAKEN": registering("{bot}"),
    "TOO_MANY_MATCHES": with_quota(steps(creating(), creating()), max_matches=1),
    "TOO_MANY_STREAMS": with_quota(watch_two_matches, max_streams=1),
    "TOO_MANY_CALLS": exceed_rate_limit,
    "TOO_MANY_BYTES": with_quota(repeating(GET_BOT), max_received_bytes=1),
    "TOO_MANY_CALLS_IN_FLIGHT": leave_responses_unread,
    "TOO_MANY_NAMES": with_quota(registering("{bot}-more"), max_bots=2),
    "MESSAGE_TOO_LARGE": calling("GameService/GetGame", name=LARGE),
    "NO_TOKEN": lambda organiser: call_method(organiser.channel, "GameService/ListGames", None),
    "BAD_TOKEN": lambda organiser: call_method(organiser.channel, "GameService/ListGames", "rf_0000"),
    "NOT_YOURS": lambda organiser: organiser.call_as_bot(0, "MatchService/CreateMatch"),
}
"""Causes by reason: each raises a grpc.RpcError with this reason, and so do those of contests and streams."""


# Ladders and tournaments


def for_ladder(method: str, **fields: Any) -> Cause:
    return lambda organiser: call_for_ladder(organiser, method, **fields)


def for_tournament(method: str, **fields: Any) -> Cause:
    return lambda organiser: call_for_tournament(organiser, method, **fields)


def enter(organiser: Organiser, **entrant: Any) -> Any:
    entrant = {"bots": [{"bot": organiser.bots[0]}]} | entrant
    return call_for_tournament(organiser, "EnterTournament", entrant=entrant)


def cancel_tournament(organiser: Organiser) -> Any:
    return organiser.call("TournamentService/CancelTournament", name=organiser.name)


def enter_third_bot(organiser: Organiser) -> Any:
    name = f"{organiser.name}-third"
    registering(name)(organiser)
    return enter(organiser, bots=[{"bot": name}])


def challenge_between_bots_of_one_author(organiser: Organiser) -> Any:
    author, ladder = f"{organiser.name}-author", organiser.name
    token = organiser.create_token("author", author)
    bots = [f"{author}-{number}" for number in (1, 2)]
    create_ladder(organiser)
    for secret in register_bots(organiser.channel, token, *bots):
        call_method(organiser.channel, "LadderService/JoinLadder", secret, ladder=ladder)
    return call_for_ladder(organiser, "Challenge", request_id="a challenge", entrants=bots)


def request_bye(organiser: Organiser) -> Any:
    bye = {"entrant": organiser.bots[0], "round": 1, "kind": "BYE_KIND_HALF_POINT"}
    return call_for_tournament(organiser, "RequestBye", **bye)


CONTEST_ERRORS: dict[str, Cause] = {
    "NO_SUCH_LADDER": for_ladder("CloseLadder"),
    "LADDER_CLOSED": steps(create_ladder, for_ladder("CloseLadder"), lambda organiser: join_ladder(organiser, 0)),
    "NOT_A_MEMBER": steps(create_ladder, for_ladder("LeaveLadder", entrant="x")),
    "SAME_OWNER": challenge_between_bots_of_one_author,
    "CONTEST_NOT_OVER": steps(create_ladder, for_ladder("GetLadderRecord")),
    "NO_SUCH_TOURNAMENT": cancel_tournament,
    "TOURNAMENT_NOT_STARTED": steps(create_tournament, for_tournament("GetTournamentStandings")),
    "TOURNAMENT_STARTED": steps(start_tournament, enter_third_bot),
    "TOURNAMENT_OVER": steps(create_tournament, cancel_tournament, enter),
    "ENTRIES_CLOSED": steps(partial(create_tournament, round_robin={}, entries_close_at={"seconds": 1}), enter),
    "ALREADY_IN": steps(create_tournament, enter, partial(enter, name="again")),
    "NOT_AN_ENTRANT": steps(create_tournament, for_tournament("WithdrawEntrant", entrant="x")),
    "WRONG_ENTRANT_COUNT": steps(
        lambda organiser: create_tournament(organiser, entrants=entrants_of(organiser), sprt={"elo1": 10}),
        enter_third_bot,
    ),
    "BYE_NOT_POSSIBLE": steps(partial(start_tournament, swiss={"rounds": 1}), request_bye),
    "NO_SUCH_PAIRING": steps(start_tournament, for_tournament("ReopenPairing", pairing_id="9.9", message="by staff")),
    "PAIRING_NOT_CHANGEABLE": steps(
        start_tournament, for_tournament("ReopenPairing", pairing_id="1.1", message="by staff")
    ),
    "NOT_EXPORTABLE": steps(
        partial(start_tournament, elimination={}), for_tournament("ExportTournament", format="EXPORT_FORMAT_TRF")
    ),
}


# Play streams


def send(organiser: Organiser, **item: Any) -> error_pb2.ErrorDetail:
    """Send an item as the bot in seat 0, and return the error in its verdict."""
    organiser.connection(0).send(item_id=1, **item)
    verdict = organiser.connection(0).receive("verdict")
    assert verdict.item_id == 1
    error: error_pb2.ErrorDetail = verdict.rejected.error
    return error


def sending(kind: str, **terms: Any) -> Callable[[Organiser], error_pb2.ErrorDetail]:
    """Return the function that sends an item of this kind for a new match."""
    return lambda organiser: send(organiser, **{kind: {"match_id": organiser.start_match(**terms)}})


def send_move(organiser: Organiser, turn: play_pb2.Turn, move: str) -> error_pb2.ErrorDetail:
    return send(organiser, move={"match_id": turn.match_id, "turn_token": turn.turn_token, "move": move})


def send_illegal_move(organiser: Organiser) -> error_pb2.ErrorDetail:
    organiser.start_match()
    return send_move(organiser, organiser.next_turn(), "a1-a2")


def send_move_of_other_seat(organiser: Organiser) -> error_pb2.ErrorDetail:
    return send(organiser, move={"match_id": organiser.start_match(), "turn_token": "1.0.1", "move": "a1-a2"})


def send_late(organiser: Organiser) -> error_pb2.ErrorDetail:
    turn = answer_late(organiser)
    return send_move(organiser, turn, turn.legal_moves[0])


VERDICT_ERRORS: dict[str, Callable[[Organiser], error_pb2.ErrorDetail]] = {
    "ILLEGAL_MOVE": send_illegal_move,
    "UNKNOWN_GAME": lambda organiser: send(organiser, hello={"games": ["shogi"]}),
    "BAD_FIELD": lambda organiser: send(organiser, move={"match_id": organiser.start_match(), "turn_token": "x"}),
    "CLOCK_EXPIRED": send_late,
    "NO_DRAWS_HERE": sending("draw_offer", rules=TROKE),
    "NO_DRAW_OFFERED": sending("draw_answer"),
    "DRAW_NOT_CLAIMABLE": sending("draw_claim"),
    "NO_SUCH_MATCH": lambda organiser: send(organiser, resignation={"match_id": "nowhere"}),
    "NOT_YOURS": send_move_of_other_seat,
}
"""Functions by reason, at least one for each kind of item: each returns the error in a verdict."""


def opening_with(**item: Any) -> Cause:
    """Return the function that begins a stream with this item."""
    request = play_service_pb2.PlayRequest(items=[play_pb2.BotItem(**item)])

    def cause(organiser: Organiser) -> None:
        play = PlayServiceStub(organiser.channel).Play
        list(play(iter([request]), metadata=bearer(organiser.secrets[0]), timeout=TIMEOUT_S))

    return cause


def open_without_a_token(organiser: Organiser) -> None:
    list(PlayServiceStub(organiser.channel).Play(iter([]), timeout=TIMEOUT_S))


def open_second_session(organiser: Organiser) -> None:
    older = organiser.connection(0)
    with connect_bot(organiser.channel, organiser.secrets[0]):
        older.receive("turn")


def receive_with_revoked_token(organiser: Organiser) -> None:
    bot = organiser.bots[0]
    stream = organiser.connection(0)
    (token,) = organiser.call("BotService/ListBotTokens", bot=bot).tokens
    organiser.call("BotService/RevokeBotToken", bot=bot, token_id=token.id)
    stream.receive("turn")


def exceed_stream_quota(organiser: Organiser) -> None:
    organiser.set_quota(max_bot_streams=1)
    organiser.connection(0)
    BotConnection(organiser.channel, organiser.secrets[0])


def exceed_rate_limit_of_stream(organiser: Organiser) -> None:
    stream = organiser.connection(0)
    organiser.set_quota(max_calls_per_minute=1)
    for _ in range(10):
        stream.send(hello={})
    stream.receive("turn")


def send_large_message(organiser: Organiser) -> None:
    organiser.connection(0).send(hello={"version": LARGE})
    organiser.next_turn()


STREAM_ERRORS: dict[str, Cause] = {
    "HELLO_EXPECTED": opening_with(pong={"id": 1}),
    "UNKNOWN_GAME": opening_with(hello={"games": ["shogi"]}),
    "BAD_FIELD": opening_with(hello={"version": "1\n2"}),
    "SESSION_TAKEN_OVER": open_second_session,
    "NO_TOKEN": open_without_a_token,
    "BAD_TOKEN": receive_with_revoked_token,
    "TOO_MANY_STREAMS": exceed_stream_quota,
    "TOO_MANY_CALLS": exceed_rate_limit_of_stream,
    "MESSAGE_TOO_LARGE": send_large_message,
}
