"""Ways to cause each error of a call. Each runs with a new organiser, on a server that all share."""

from collections.abc import Callable
from typing import Any

from referee_api.v1 import clock_pb2, game_pb2, match_pb2, policy_pb2

from tests.e2e import http2
from tests.e2e.organiser import Organiser, call_method, new_organiser

MAX_MESSAGE_BYTES = 4_096
"""Maximum message size that the server is configured with."""
LARGE = "x" * 2 * MAX_MESSAGE_BYTES

ONE_MS_PER_MOVE = clock_pb2.ClockRule(per_move=clock_pb2.PerMove(move_ms=1))
TROKE = game_pb2.Rules(game="troke")
THREE_SEAT_TROKE = game_pb2.Rules(game="troke", options={"seats": "3"})
CONTINUE_WITHOUT_SEAT = policy_pb2.Policies(forfeit_effect=policy_pb2.FORFEIT_EFFECT_RANDOM_MOVES)


def read_position(organiser: Organiser, opening: str = "", **rules: Any) -> Any:
    rules = {"game": "alquerque"} | rules
    return organiser.call("GameService/ReadPosition", rules=rules, opening={"position": opening})


def create(organiser: Organiser, **overrides: Any) -> Any:
    return organiser.call("MatchService/CreateMatch", **organiser.match_request() | overrides)


def register(organiser: Organiser, name: str) -> Any:
    return organiser.call("BotService/RegisterBot", request_id=f"register {name} again", name=name)


def watch(organiser: Organiser, **fields: Any) -> list[Any]:
    return list(organiser.call("MatchService/WatchMatch", match_id=organiser.create_match(), **fields))


def call_for_match(organiser: Organiser, match_id: str, method: str, seat: int = 0, request_id: str = "r") -> Any:
    return organiser.call_as_bot(seat, f"MatchService/{method}", match_id=match_id, request_id=request_id)


def set_quota(organiser: Organiser, **limits: int) -> None:
    """Set the organiser's quota."""
    organiser.call_as_admin("AdminService/SetQuota", holder=organiser.name, quota=limits)


def finish_match(organiser: Organiser) -> str:
    """Play a match to its end, and return its id."""
    match_id = organiser.start_match()
    call_for_match(organiser, match_id, "Resign", request_id="the end")
    return match_id


def create_for_a_paused_bot(organiser: Organiser) -> None:
    organiser.call_as_admin("AdminService/PauseBot", bot=organiser.bots[0], message="a rest")
    create(organiser)


def seat_bot_of_another(organiser: Organiser) -> None:
    with new_organiser(organiser.server, organiser.channel, f"{organiser.name}-guest") as other:
        create(organiser, seats=[match_pb2.BotRef(bot=bot) for bot in other.bots])


def create_twice(organiser: Organiser) -> None:
    create(organiser, request_id="one")
    create(organiser, request_id="one", seed=bytes(32))


def join_taken_seat(organiser: Organiser) -> None:
    organiser.call("MatchService/JoinMatch", match_id=organiser.create_match(), seat=0, bot={"bot": organiser.bots[1]})


def answer_late(organiser: Organiser) -> None:
    organiser.start_match(rule=ONE_MS_PER_MOVE)
    turn = organiser.next_turn()
    organiser.connection(0).receive("match_ended")
    organiser.submit_move(turn, turn.legal_moves[0])


def answer_twice_differently(organiser: Organiser) -> None:
    organiser.start_match()
    turn = organiser.next_turn()
    for move in turn.legal_moves[:2]:
        organiser.submit_move(turn, move)


def resign_twice(organiser: Organiser) -> None:
    """Resign twice from a match that continues without the seat."""
    match_id = organiser.start_match(rules=THREE_SEAT_TROKE, policies=CONTINUE_WITHOUT_SEAT, seating=(0, 1, 1))
    for request_id in ("once", "twice"):
        call_for_match(organiser, match_id, "Resign", request_id=request_id)


def offer_twice(organiser: Organiser) -> None:
    match_id = organiser.start_match()
    for request_id in ("once", "twice"):
        call_for_match(organiser, match_id, "OfferDraw", request_id=request_id)


def submit_move(organiser: Organiser, move: str) -> None:
    organiser.start_match()
    organiser.submit_move(organiser.next_turn(), move)


def exceed_match_quota(organiser: Organiser) -> None:
    set_quota(organiser, max_matches=1)
    create(organiser)
    create(organiser)


def exceed_stream_quota(organiser: Organiser) -> None:
    set_quota(organiser, max_streams=1)
    match_id = organiser.create_match()
    open_stream = organiser.call("MatchService/WatchMatch", match_id=match_id)
    next(open_stream)
    next(organiser.call("MatchService/WatchMatch", match_id=match_id))


def exceed_rate_limit(organiser: Organiser) -> None:
    set_quota(organiser, max_calls_per_minute=1)
    while True:
        organiser.call_as_bot(0, "BotService/GetBot", name=organiser.bots[0])


def send_too_many_bytes(organiser: Organiser) -> None:
    set_quota(organiser, max_received_bytes=1)
    while True:
        organiser.call("BotService/GetBot", name=organiser.bots[0])


def leave_responses_unread(organiser: Organiser) -> None:
    """Leave more answers unread than the holder may have calls open."""
    connection = http2.RawConnection(organiser.server.address, http2.NO_WINDOW)
    try:
        for _ in range(200):
            connection.start_call(token=organiser.token, message=b"")
        while True:
            organiser.call("BotService/GetBot", name=organiser.bots[0])
    finally:
        connection.close()


def exceed_bot_quota(organiser: Organiser) -> None:
    set_quota(organiser, max_bots=len(organiser.bots))
    register(organiser, f"{organiser.name}-more")


def redeem_unknown_code(organiser: Organiser) -> None:
    call_method(organiser.channel, "InvitationService/RedeemInvitation", None, request_id="r", code="x", holder="eve")


CALL_ERRORS: dict[str, Callable[[Organiser], Any]] = {
    "MALFORMED_MOVE": lambda organiser: submit_move(organiser, "nonsense"),
    "MALFORMED_POSITION": lambda organiser: read_position(organiser, opening="x"),
    "UNKNOWN_GAME": lambda organiser: read_position(organiser, game="shogi"),
    "UNKNOWN_OPTION": lambda organiser: read_position(organiser, options={"huf": "true"}),
    "UNKNOWN_PRESET": lambda organiser: read_position(organiser, preset="x"),
    "BAD_OPTION": lambda organiser: read_position(organiser, options={"huff": "perhaps"}),
    "BAD_TIME_CONTROL": lambda organiser: organiser.create_match(
        rule=clock_pb2.ClockRule(sudden_death=clock_pb2.SuddenDeath(main_ms=-1))
    ),
    "BAD_POLICY": lambda organiser: organiser.create_match(policies={"illegal_move": {"max_attempts": 1_001}}),
    "BAD_SEATS": lambda organiser: create(organiser, seats=[match_pb2.BotRef(bot=organiser.bots[0])]),
    "BAD_NAME": lambda organiser: register(organiser, "X"),
    "BAD_FIELD": lambda organiser: create(organiser, seed=b"x"),
    "BAD_PAGE_TOKEN": lambda organiser: organiser.call("BotService/ListBots", page_token="x"),
    "REQUEST_ID_REUSED": create_twice,
    "NUMBER_AHEAD": lambda organiser: watch(organiser, after_number=99),
    "ILLEGAL_MOVE": lambda organiser: submit_move(organiser, "a1-a2"),
    "MATCH_OVER": lambda organiser: call_for_match(organiser, finish_match(organiser), "Resign"),
    "CLOCK_EXPIRED": answer_late,
    "MATCH_NOT_STARTED": lambda organiser: call_for_match(organiser, organiser.create_match(), "Resign"),
    "MATCH_NOT_OVER": lambda organiser: list(
        organiser.call("MatchService/GetRecord", match_id=organiser.create_match())
    ),
    "NO_DRAWS_HERE": lambda organiser: call_for_match(organiser, organiser.start_match(rules=TROKE), "OfferDraw"),
    "DRAW_OFFERED_BEFORE": offer_twice,
    "NO_DRAW_OFFERED": lambda organiser: call_for_match(organiser, organiser.start_match(), "AnswerDraw"),
    "DRAW_NOT_CLAIMABLE": lambda organiser: call_for_match(organiser, organiser.start_match(), "ClaimDraw"),
    "SEAT_TAKEN": join_taken_seat,
    "BOT_PAUSED": create_for_a_paused_bot,
    "CONSENT_MISSING": seat_bot_of_another,
    "NOT_WITHDRAWABLE": lambda organiser: organiser.call(
        "MatchService/WithdrawBot",
        request_id="r",
        match_id=organiser.create_match(seating=(0, 0)),
        bot=organiser.bots[1],
    ),
    "BOT_NOT_PAUSED": lambda organiser: organiser.call("BotService/ReinstateBot", name=organiser.bots[0]),
    "NOT_YOUR_TURN": resign_twice,
    "STALE_TURN": answer_twice_differently,
    "NO_SUCH_MATCH": lambda organiser: organiser.call("MatchService/GetMatch", match_id="nowhere"),
    "NO_SUCH_BOT": lambda organiser: organiser.call("BotService/GetBot", name="nobody"),
    "NO_SUCH_VERSION": lambda organiser: create(
        organiser, seats=[{"bot": bot, "version": "9"} for bot in organiser.bots]
    ),
    "NO_SUCH_TOKEN": lambda organiser: organiser.call(
        "BotService/RevokeBotToken", bot=organiser.bots[0], token_id="tk_0"
    ),
    "BAD_INVITATION": redeem_unknown_code,
    "NO_SUCH_INVITATION": lambda organiser: organiser.call("InvitationService/RevokeInvitation", invitation_id="in_0"),
    "NAME_TAKEN": lambda organiser: register(organiser, organiser.bots[0]),
    "TOO_MANY_MATCHES": exceed_match_quota,
    "TOO_MANY_STREAMS": exceed_stream_quota,
    "TOO_MANY_CALLS": exceed_rate_limit,
    "TOO_MANY_BYTES": send_too_many_bytes,
    "TOO_MANY_CALLS_IN_FLIGHT": leave_responses_unread,
    "TOO_MANY_NAMES": exceed_bot_quota,
    "MESSAGE_TOO_LARGE": lambda organiser: organiser.call("GameService/GetGame", name=LARGE),
    "NO_TOKEN": lambda organiser: call_method(organiser.channel, "GameService/ListGames", None),
    "BAD_TOKEN": lambda organiser: call_method(organiser.channel, "GameService/ListGames", "rf_0000"),
    "NOT_YOURS": lambda organiser: organiser.call_as_bot(0, "MatchService/CreateMatch"),
}
"""Functions by reason: each raises a grpc.RpcError with this reason."""
