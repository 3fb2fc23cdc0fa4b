"""Ways to cause each error of a call. Each runs with a new club, on a server that all share."""

from collections.abc import Callable
from typing import Any

from referee_api.v1 import clock_pb2, game_pb2, match_pb2, policy_pb2

from tests.e2e import http2
from tests.e2e.club import Club, ask

MESSAGE_AT_MOST_BYTES = 4_096
"""Maximum message size that the server is configured with."""
LARGE = "x" * 2 * MESSAGE_AT_MOST_BYTES

NO_TIME = clock_pb2.ClockRule(per_move=clock_pb2.PerMove(move_ms=1))
TROKE = game_pb2.Rules(game="troke")
TROKE_OF_THREE = game_pb2.Rules(game="troke", options={"seats": "3"})
GO_ON = policy_pb2.Policies(forfeit_effect=policy_pb2.FORFEIT_EFFECT_RANDOM_MOVES)


def read(here: Club, opening: str = "", **rules: Any) -> Any:
    rules = {"game": "alquerque"} | rules
    return here.ask("GameService/ReadPosition", rules=rules, opening={"position": opening})


def create(here: Club, **otherwise: Any) -> Any:
    return here.ask("MatchService/CreateMatch", **here.wanted() | otherwise)


def register(here: Club, name: str) -> Any:
    return here.ask("BotService/RegisterBot", request_id=f"register {name} again", name=name)


def watch(here: Club, **fields: Any) -> list[Any]:
    return list(here.ask("MatchService/WatchMatch", match_id=here.waiting(), **fields))


def in_match(here: Club, match_id: str, method: str, seat: int = 0, request_id: str = "r") -> Any:
    return here.ask_as(seat, f"MatchService/{method}", match_id=match_id, request_id=request_id)


def limited(here: Club, **limits: int) -> None:
    """Set the club's quota."""
    here.ask_admin("AdminService/SetQuota", holder=here.name, quota=limits)


def over(here: Club) -> str:
    """Play a match to its end, and return its id."""
    match_id = here.playing()
    in_match(here, match_id, "Resign", request_id="the end")
    return match_id


def create_for_a_paused_bot(here: Club) -> None:
    here.ask_admin("AdminService/PauseBot", bot=here.bots[0], message="a rest")
    create(here)


def create_twice(here: Club) -> None:
    create(here, request_id="one")
    create(here, request_id="one", seed=bytes(32))


def join_where_another_sits(here: Club) -> None:
    here.ask("MatchService/JoinMatch", match_id=here.waiting(), seat=0, bot={"bot": here.bots[1]})


def answer_late(here: Club) -> None:
    here.playing(rule=NO_TIME)
    turn = here.turn()
    here.connection(0).receive("match_ended")
    here.submit(turn, turn.legal_moves[0])


def answer_twice_and_otherwise(here: Club) -> None:
    here.playing()
    turn = here.turn()
    for move in turn.legal_moves[:2]:
        here.submit(turn, move)


def resign_twice(here: Club) -> None:
    """Resign twice from a match that continues without the seat."""
    match_id = here.playing(rules=TROKE_OF_THREE, policies=GO_ON, seating=(0, 1, 1))
    for request_id in ("once", "twice"):
        in_match(here, match_id, "Resign", request_id=request_id)


def offer_twice(here: Club) -> None:
    match_id = here.playing()
    for request_id in ("once", "twice"):
        in_match(here, match_id, "OfferDraw", request_id=request_id)


def submit(here: Club, move: str) -> None:
    here.playing()
    here.submit(here.turn(), move)


def make_more_matches(here: Club) -> None:
    limited(here, max_matches=1)
    create(here)
    create(here)


def open_more_streams(here: Club) -> None:
    limited(here, max_streams=1)
    match_id = here.waiting()
    open_already = here.ask("MatchService/WatchMatch", match_id=match_id)
    next(open_already)
    next(here.ask("MatchService/WatchMatch", match_id=match_id))


def call_more(here: Club) -> None:
    limited(here, max_calls_per_minute=1)
    while True:
        here.ask("BotService/GetBot", name=here.bots[0])


def leave_answers_unread(here: Club) -> None:
    """Leave more answers unread than the holder may have calls open."""
    raw = http2.Raw(here.server.address, http2.NO_WINDOW)
    try:
        for _ in range(200):
            raw.begin(token=here.owner, message=b"")
        while True:
            here.ask("BotService/GetBot", name=here.bots[0])
    finally:
        raw.close()


def register_more(here: Club) -> None:
    limited(here, max_bots=len(here.bots))
    register(here, f"{here.name}-more")


IN_CALLS: dict[str, Callable[[Club], Any]] = {
    "MALFORMED_MOVE": lambda here: submit(here, "nonsense"),
    "MALFORMED_POSITION": lambda here: read(here, opening="x"),
    "UNKNOWN_GAME": lambda here: read(here, game="chess"),
    "UNKNOWN_OPTION": lambda here: read(here, options={"huf": "true"}),
    "UNKNOWN_PRESET": lambda here: read(here, preset="x"),
    "BAD_OPTION": lambda here: read(here, options={"huff": "perhaps"}),
    "BAD_TIME_CONTROL": lambda here: here.waiting(
        rule=clock_pb2.ClockRule(sudden_death=clock_pb2.SuddenDeath(main_ms=-1))
    ),
    "BAD_POLICY": lambda here: here.waiting(policies={"illegal_move": {"max_attempts": 1_001}}),
    "BAD_SEATS": lambda here: create(here, seats=[match_pb2.BotRef(bot=here.bots[0])]),
    "BAD_NAME": lambda here: register(here, "X"),
    "BAD_FIELD": lambda here: create(here, seed=b"x"),
    "BAD_PAGE_TOKEN": lambda here: here.ask("BotService/ListBots", page_token="x"),
    "REQUEST_ID_REUSED": create_twice,
    "NUMBER_AHEAD": lambda here: watch(here, after_number=99),
    "ILLEGAL_MOVE": lambda here: submit(here, "a1-a2"),
    "MATCH_OVER": lambda here: in_match(here, over(here), "Resign"),
    "CLOCK_EXPIRED": answer_late,
    "MATCH_NOT_STARTED": lambda here: in_match(here, here.waiting(), "Resign"),
    "MATCH_NOT_OVER": lambda here: list(here.ask("MatchService/GetRecord", match_id=here.waiting())),
    "NO_DRAWS_HERE": lambda here: in_match(here, here.playing(rules=TROKE), "OfferDraw"),
    "DRAW_OFFERED_BEFORE": offer_twice,
    "NO_DRAW_OFFERED": lambda here: in_match(here, here.playing(), "AnswerDraw"),
    "DRAW_NOT_CLAIMABLE": lambda here: in_match(here, here.playing(), "ClaimDraw"),
    "SEAT_TAKEN": join_where_another_sits,
    "BOT_PAUSED": create_for_a_paused_bot,
    "BOT_NOT_PAUSED": lambda here: here.ask("BotService/ReinstateBot", name=here.bots[0]),
    "NOT_YOUR_TURN": resign_twice,
    "STALE_TURN": answer_twice_and_otherwise,
    "NO_SUCH_MATCH": lambda here: here.ask("MatchService/GetMatch", match_id="nowhere"),
    "NO_SUCH_BOT": lambda here: here.ask("BotService/GetBot", name="nobody"),
    "NO_SUCH_VERSION": lambda here: create(here, seats=[{"bot": bot, "version": "9"} for bot in here.bots]),
    "NO_SUCH_TOKEN": lambda here: here.ask("BotService/RevokeBotToken", bot=here.bots[0], token_id="tk_0"),
    "NAME_TAKEN": lambda here: register(here, here.bots[0]),
    "TOO_MANY_MATCHES": make_more_matches,
    "TOO_MANY_STREAMS": open_more_streams,
    "TOO_MANY_CALLS": call_more,
    "TOO_MANY_CALLS_IN_FLIGHT": leave_answers_unread,
    "TOO_MANY_NAMES": register_more,
    "MESSAGE_TOO_LARGE": lambda here: here.ask("GameService/GetGame", name=LARGE),
    "NO_TOKEN": lambda here: ask(here.channel, "GameService/ListGames", None),
    "BAD_TOKEN": lambda here: ask(here.channel, "GameService/ListGames", "rf_0000"),
    "NOT_YOURS": lambda here: here.ask_as(0, "MatchService/CreateMatch"),
}
"""Functions by reason: each raises a grpc.RpcError with this reason."""
