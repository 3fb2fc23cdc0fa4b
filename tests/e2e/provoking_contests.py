"""Ways to cause each error that the contract lists for ladders and tournaments, by method and reason.

Each runs with a new club, which has no contests yet, on a server that all share.
"""

from collections.abc import Callable
from typing import Any

from referee_api.v1 import clock_pb2, game_pb2, match_pb2

from tests.e2e.club import Club
from tests.e2e.contests import (
    TOC,
    entrants,
    in_ladder,
    in_tournament,
    joined,
    match_terms,
    new_ladder,
    new_tournament,
    started,
)
from tests.e2e.provoking_calls import limited

Provoke = Callable[[Club], Any]

LADDER = "LadderService"
TOURNAMENT = "TournamentService"
BY_OTHERS = {"DRAINING", "SLOW_CONSUMER"}
"""Errors that need a server of their own."""

NOBODY = [{"bots": [{"bot": "nobody"}]}]
NO_TIME = clock_pb2.ClockRule(sudden_death=clock_pb2.SuddenDeath(main_ms=-1))


def rules(**rules: Any) -> game_pb2.Rules:
    return game_pb2.Rules(**{"game": "alquerque"} | rules)


def opening(*moves: tuple[int, str], position: str = "") -> dict[str, Any]:
    """Return terms of duplicate play from this opening."""
    told = {"position": position, "moves": [{"seat": seat, "move": move} for seat, move in moves]}
    return {"duplicate_play": {"openings": [told]}}


def of_terms(make: Callable[..., Any]) -> dict[str, Provoke]:
    """Return the errors about terms that both kinds of contests have; `make` creates a contest with the terms."""
    return {
        "UNKNOWN_GAME": lambda here: make(here, rules(game="chess")),
        "UNKNOWN_OPTION": lambda here: make(here, rules(options={"huf": "true"})),
        "UNKNOWN_PRESET": lambda here: make(here, rules(preset="x")),
        "BAD_OPTION": lambda here: make(here, rules(options={"huff": "perhaps"})),
        "BAD_TIME_CONTROL": lambda here: make(here, rules(), time_control=clock_pb2.TimeControl(rule=NO_TIME)),
        "BAD_POLICY": lambda here: make(here, rules(), policies={"illegal_move": {"max_attempts": 1_001}}),
        "MALFORMED_POSITION": lambda here: make(here, rules(), **opening(position="x")),
        "MALFORMED_MOVE": lambda here: make(here, rules(), **opening((0, "nonsense"))),
        "ILLEGAL_MOVE": lambda here: make(here, rules(), **opening((0, "a1-a2"))),
        "NOT_YOUR_TURN": lambda here: make(here, rules(), **opening((1, "c4-c3"))),
        "BAD_NAME": lambda here: make(here, rules(), name="X"),
        "NAME_TAKEN": lambda here: [make(here, rules(), request_id=one) for one in ("one", "two")],
        "REQUEST_ID_REUSED": lambda here: [make(here, rules(), title=title) for title in ("One", "Two")],
    }


def make_ladder(here: Club, rules: game_pb2.Rules, **more: Any) -> None:
    new_ladder(here, match_terms=[with_its_own(rules, more)], **more)


def make_tournament(here: Club, rules: game_pb2.Rules, **more: Any) -> None:
    new_tournament(here, match_terms=with_its_own(rules, more), round_robin={}, **more)


def with_its_own(rules: game_pb2.Rules, more: dict[str, Any]) -> match_pb2.MatchTerms:
    """Return terms of a match; the fields that belong to them are removed from `more`."""
    terms = match_terms(rules)
    for name in ("time_control", "policies"):
        if name in more:
            terms.MergeFrom(match_pb2.MatchTerms(**{name: more.pop(name)}))
    return terms


def join(here: Club, **entrant: Any) -> Any:
    return in_ladder(here, "JoinLadder", entrant=entrant)


def enter(here: Club, **entrant: Any) -> Any:
    return in_tournament(here, "EnterTournament", entrant=entrant)


def closed(here: Club) -> None:
    """Create a ladder of the club and close it."""
    new_ladder(here)
    in_ladder(here, "CloseLadder")


def cancelled(here: Club) -> None:
    """Create a tournament of the club and cancel it."""
    new_tournament(here)
    here.ask(f"{TOURNAMENT}/CancelTournament", name=here.name)


def pause(here: Club) -> str:
    """Pause a bot of the club, and return its name."""
    here.ask_admin("AdminService/PauseBot", bot=here.bots[0], message="a rest")
    return here.bots[0]


def after(first: Provoke, ask: Provoke) -> Provoke:
    def asked(here: Club) -> None:
        first(here)
        ask(here)

    return asked


def itself(here: Club) -> dict[str, Any]:
    return {"bots": [{"bot": here.bots[0]}]}


def another_under_the_same_name(come: Callable[..., Any]) -> Provoke:
    def asked(here: Club) -> None:
        for bot in here.bots:
            come(here, name="one-name", bots=[{"bot": bot}])

    return asked


def challenge(here: Club, *, request_id: str = "a challenge", names: list[str] | None = None) -> Any:
    names = here.bots if names is None else names
    return in_ladder(here, "Challenge", request_id=request_id, entrants=names)


def all_in(here: Club) -> None:
    new_ladder(here)
    joined(here, *range(len(here.bots)))


def challenge_a_paused_bot(here: Club) -> None:
    all_in(here)
    pause(here)
    challenge(here)


def challenge_beyond_the_quota(here: Club) -> None:
    all_in(here)
    limited(here, max_matches=1)
    for request_id in ("one", "two"):
        challenge(here, request_id=request_id)


def challenge_otherwise(here: Club) -> None:
    all_in(here)
    challenge(here)
    challenge(here, names=[here.bots[0], a_third(here)])


def a_test_for_two(here: Club) -> None:
    new_tournament(here, entrants=entrants(here), sprt={"elo1": 10})


def a_third(here: Club) -> str:
    """Register a third bot of the club, and return its name."""
    third: str = here.ask("BotService/RegisterBot", request_id="a third", name=f"{here.name}-third").bot.name
    return third


def enter_a_third(here: Club) -> None:
    enter(here, bots=[{"bot": a_third(here)}])


def finish(here: Club) -> None:
    """Finish a tournament of two entrants by withdrawing one."""
    started(here)
    in_tournament(here, "WithdrawEntrant", entrant=here.bots[0])


def season(here: Club, ladder: str) -> Any:
    return here.ask(f"{LADDER}/StartSeason", ladder=ladder, request_id="a season")


def watch_more(here: Club, method: str) -> None:
    """Open more streams than the quota of the club allows."""
    limited(here, max_streams=1)
    kind = "ladder" if "Ladder" in method else "tournament"
    open_already = here.ask(method, **{kind: here.name})
    next(open_already)
    next(here.ask(method, **{kind: here.name}))


PROVOKED: dict[str, dict[str, Provoke]] = {
    f"{LADDER}/CreateLadder": of_terms(make_ladder)
    | {
        "BAD_SEATS": lambda here: new_ladder(here, match_terms=[match_terms(), match_terms(TOC)]),
    },
    f"{LADDER}/GetLadder": {"NO_SUCH_LADDER": lambda here: here.ask(f"{LADDER}/GetLadder", name="nowhere")},
    f"{LADDER}/ListLadders": {
        "BAD_PAGE_TOKEN": lambda here: here.ask(f"{LADDER}/ListLadders", page_token="x"),
        "UNKNOWN_GAME": lambda here: here.ask(f"{LADDER}/ListLadders", game="chess"),
    },
    f"{LADDER}/JoinLadder": {
        "NO_SUCH_LADDER": lambda here: join(here, **itself(here)),
        "LADDER_CLOSED": after(closed, lambda here: join(here, **itself(here))),
        "ALREADY_IN": after(all_in, lambda here: join(here, name="again", **itself(here))),
        "NAME_TAKEN": after(new_ladder, another_under_the_same_name(join)),
        "BAD_SEATS": after(new_ladder, lambda here: join(here, name="two", bots=[{"bot": bot} for bot in here.bots])),
        "NO_SUCH_BOT": after(new_ladder, lambda here: join(here, **NOBODY[0])),
        "NO_SUCH_VERSION": after(new_ladder, lambda here: join(here, bots=[{"bot": here.bots[0], "version": "9"}])),
        "BOT_PAUSED": after(new_ladder, lambda here: join(here, bots=[{"bot": pause(here)}])),
    },
    f"{LADDER}/LeaveLadder": {
        "NO_SUCH_LADDER": lambda here: in_ladder(here, "LeaveLadder", entrant="x"),
        "NOT_A_MEMBER": after(new_ladder, lambda here: in_ladder(here, "LeaveLadder", entrant=here.bots[0])),
    },
    f"{LADDER}/Challenge": {
        "NO_SUCH_LADDER": challenge,
        "LADDER_CLOSED": after(after(all_in, lambda here: in_ladder(here, "CloseLadder")), challenge),
        "NOT_A_MEMBER": after(new_ladder, challenge),
        "BAD_SEATS": after(all_in, lambda here: challenge(here, names=here.bots[:1])),
        "BOT_PAUSED": challenge_a_paused_bot,
        "TOO_MANY_MATCHES": challenge_beyond_the_quota,
        "REQUEST_ID_REUSED": challenge_otherwise,
    },
    f"{LADDER}/StartSeason": {
        "NO_SUCH_LADDER": lambda here: season(here, here.name),
        "LADDER_CLOSED": after(closed, lambda here: season(here, here.name)),
    },
    f"{LADDER}/PauseLadder": {
        "NO_SUCH_LADDER": lambda here: in_ladder(here, "PauseLadder"),
        "LADDER_CLOSED": after(closed, lambda here: in_ladder(here, "PauseLadder")),
    },
    f"{LADDER}/ResumeLadder": {
        "NO_SUCH_LADDER": lambda here: in_ladder(here, "ResumeLadder"),
        "LADDER_CLOSED": after(closed, lambda here: in_ladder(here, "ResumeLadder")),
    },
    f"{LADDER}/CloseLadder": {"NO_SUCH_LADDER": lambda here: in_ladder(here, "CloseLadder")},
    f"{LADDER}/ListLadderStandings": {
        "NO_SUCH_LADDER": lambda here: in_ladder(here, "ListLadderStandings"),
        "BAD_PAGE_TOKEN": after(new_ladder, lambda here: in_ladder(here, "ListLadderStandings", page_token="x")),
    },
    f"{LADDER}/ListRatingHistory": {
        "NO_SUCH_LADDER": lambda here: in_ladder(here, "ListRatingHistory", bot=here.bots[0]),
        "NO_SUCH_BOT": after(new_ladder, lambda here: in_ladder(here, "ListRatingHistory", bot="nobody")),
        "NO_SUCH_VERSION": after(
            new_ladder, lambda here: in_ladder(here, "ListRatingHistory", bot=here.bots[0], version="9")
        ),
        "BAD_PAGE_TOKEN": after(
            new_ladder, lambda here: in_ladder(here, "ListRatingHistory", bot=here.bots[0], page_token="x")
        ),
    },
    f"{LADDER}/WatchLadder": {
        "NO_SUCH_LADDER": lambda here: list(in_ladder(here, "WatchLadder")),
        "NUMBER_AHEAD": after(new_ladder, lambda here: list(in_ladder(here, "WatchLadder", after_number=99))),
        "TOO_MANY_STREAMS": after(new_ladder, lambda here: watch_more(here, f"{LADDER}/WatchLadder")),
    },
    f"{TOURNAMENT}/CreateTournament": of_terms(make_tournament)
    | {
        "BAD_SEATS": lambda here: new_tournament(
            here, entrants=[{"name": "two", "bots": [{"bot": bot} for bot in here.bots]}]
        ),
        "NO_SUCH_LADDER": lambda here: new_tournament(here, round_robin={}, ladder="nowhere"),
        "NO_SUCH_BOT": lambda here: new_tournament(here, entrants=NOBODY),
        "NO_SUCH_VERSION": lambda here: new_tournament(
            here, entrants=[{"bots": [{"bot": here.bots[0], "version": "9"}]}]
        ),
    },
    f"{TOURNAMENT}/GetTournament": {
        "NO_SUCH_TOURNAMENT": lambda here: here.ask(f"{TOURNAMENT}/GetTournament", name="nowhere")
    },
    f"{TOURNAMENT}/ListTournaments": {
        "BAD_PAGE_TOKEN": lambda here: here.ask(f"{TOURNAMENT}/ListTournaments", page_token="x"),
        "UNKNOWN_GAME": lambda here: here.ask(f"{TOURNAMENT}/ListTournaments", game="chess"),
    },
    f"{TOURNAMENT}/EnterTournament": {
        "NO_SUCH_TOURNAMENT": lambda here: enter(here, **itself(here)),
        "TOURNAMENT_STARTED": after(started, enter_a_third),
        "TOURNAMENT_OVER": after(cancelled, lambda here: enter(here, **itself(here))),
        "ALREADY_IN": after(
            lambda here: new_tournament(here, entrants=entrants(here)),
            lambda here: enter(here, name="again", **itself(here)),
        ),
        "NAME_TAKEN": after(new_tournament, another_under_the_same_name(enter)),
        "BAD_SEATS": after(
            new_tournament, lambda here: enter(here, name="two", bots=[{"bot": bot} for bot in here.bots])
        ),
        "NO_SUCH_BOT": after(new_tournament, lambda here: enter(here, **NOBODY[0])),
        "NO_SUCH_VERSION": after(
            new_tournament, lambda here: enter(here, bots=[{"bot": here.bots[0], "version": "9"}])
        ),
        "BOT_PAUSED": after(new_tournament, lambda here: enter(here, bots=[{"bot": pause(here)}])),
        "WRONG_ENTRANT_COUNT": after(a_test_for_two, enter_a_third),
    },
    f"{TOURNAMENT}/WithdrawEntrant": {
        "NO_SUCH_TOURNAMENT": lambda here: in_tournament(here, "WithdrawEntrant", entrant="x"),
        "NOT_AN_ENTRANT": after(new_tournament, lambda here: in_tournament(here, "WithdrawEntrant", entrant="x")),
        "TOURNAMENT_OVER": after(
            lambda here: [started(here), here.ask(f"{TOURNAMENT}/CancelTournament", name=here.name)],
            lambda here: in_tournament(here, "WithdrawEntrant", entrant=here.bots[0]),
        ),
    },
    f"{TOURNAMENT}/StartTournament": {
        "NO_SUCH_TOURNAMENT": lambda here: here.ask(f"{TOURNAMENT}/StartTournament", name="nowhere"),
        "WRONG_ENTRANT_COUNT": after(
            new_tournament, lambda here: here.ask(f"{TOURNAMENT}/StartTournament", name=here.name)
        ),
        "NOT_AN_ENTRANT": lambda here: started(here, gauntlet={"challengers": ["nobody"]}),
        "TOURNAMENT_OVER": after(cancelled, lambda here: here.ask(f"{TOURNAMENT}/StartTournament", name=here.name)),
    },
    f"{TOURNAMENT}/CancelTournament": {
        "NO_SUCH_TOURNAMENT": lambda here: here.ask(f"{TOURNAMENT}/CancelTournament", name="nowhere"),
        "TOURNAMENT_OVER": after(finish, lambda here: here.ask(f"{TOURNAMENT}/CancelTournament", name=here.name)),
    },
    f"{TOURNAMENT}/ListPairings": {
        "NO_SUCH_TOURNAMENT": lambda here: in_tournament(here, "ListPairings"),
        "BAD_PAGE_TOKEN": after(started, lambda here: in_tournament(here, "ListPairings", page_token="x")),
        "NOT_AN_ENTRANT": after(started, lambda here: in_tournament(here, "ListPairings", entrant="nobody")),
    },
    f"{TOURNAMENT}/GetTournamentStandings": {
        "NO_SUCH_TOURNAMENT": lambda here: in_tournament(here, "GetTournamentStandings"),
        "TOURNAMENT_NOT_STARTED": after(new_tournament, lambda here: in_tournament(here, "GetTournamentStandings")),
    },
    f"{TOURNAMENT}/GetCrossTable": {
        "NO_SUCH_TOURNAMENT": lambda here: in_tournament(here, "GetCrossTable"),
        "TOURNAMENT_NOT_STARTED": after(new_tournament, lambda here: in_tournament(here, "GetCrossTable")),
    },
    f"{TOURNAMENT}/ExportTournament": {
        "NO_SUCH_TOURNAMENT": lambda here: in_tournament(here, "ExportTournament", format="EXPORT_FORMAT_CSV"),
        "TOURNAMENT_NOT_STARTED": after(
            new_tournament, lambda here: in_tournament(here, "ExportTournament", format="EXPORT_FORMAT_CSV")
        ),
        "NOT_EXPORTABLE": after(
            lambda here: started(here, elimination={}),
            lambda here: in_tournament(here, "ExportTournament", format="EXPORT_FORMAT_TRF"),
        ),
    },
    f"{TOURNAMENT}/WatchTournament": {
        "NO_SUCH_TOURNAMENT": lambda here: in_tournament(here, "WatchTournament"),
        "NUMBER_AHEAD": after(new_tournament, lambda here: in_tournament(here, "WatchTournament", after_number=99)),
        "TOO_MANY_STREAMS": after(new_tournament, lambda here: watch_more(here, f"{TOURNAMENT}/WatchTournament")),
    },
    "MatchService/ListMatches": {
        "NO_SUCH_LADDER": lambda here: here.ask("MatchService/ListMatches", ladder="nowhere"),
        "NO_SUCH_TOURNAMENT": lambda here: here.ask("MatchService/ListMatches", tournament="nowhere"),
    },
}
"""Functions by method and reason: each raises a grpc.RpcError with this reason."""
