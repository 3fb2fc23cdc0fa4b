"""Ways to cause each error that the contract lists for ladders and tournaments, by method and reason.

Each runs with a new organiser, who has no contests yet, on a server that all share.
"""

from collections.abc import Callable
from typing import Any

from referee_api.v1 import clock_pb2, game_pb2, match_pb2

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
from tests.e2e.organiser import Organiser
from tests.e2e.provoking_calls import limited

Provoke = Callable[[Organiser], Any]

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
        "UNKNOWN_GAME": lambda organiser: make(organiser, rules(game="chess")),
        "UNKNOWN_OPTION": lambda organiser: make(organiser, rules(options={"huf": "true"})),
        "UNKNOWN_PRESET": lambda organiser: make(organiser, rules(preset="x")),
        "BAD_OPTION": lambda organiser: make(organiser, rules(options={"huff": "perhaps"})),
        "BAD_TIME_CONTROL": lambda organiser: make(
            organiser, rules(), time_control=clock_pb2.TimeControl(rule=NO_TIME)
        ),
        "BAD_POLICY": lambda organiser: make(organiser, rules(), policies={"illegal_move": {"max_attempts": 1_001}}),
        "MALFORMED_POSITION": lambda organiser: make(organiser, rules(), **opening(position="x")),
        "MALFORMED_MOVE": lambda organiser: make(organiser, rules(), **opening((0, "nonsense"))),
        "ILLEGAL_MOVE": lambda organiser: make(organiser, rules(), **opening((0, "a1-a2"))),
        "NOT_YOUR_TURN": lambda organiser: make(organiser, rules(), **opening((1, "c4-c3"))),
        "BAD_NAME": lambda organiser: make(organiser, rules(), name="X"),
        "NAME_TAKEN": lambda organiser: [make(organiser, rules(), request_id=one) for one in ("one", "two")],
        "REQUEST_ID_REUSED": lambda organiser: [make(organiser, rules(), title=title) for title in ("One", "Two")],
    }


def make_ladder(organiser: Organiser, rules: game_pb2.Rules, **more: Any) -> None:
    new_ladder(organiser, match_terms=[with_its_own(rules, more)], **more)


def make_tournament(organiser: Organiser, rules: game_pb2.Rules, **more: Any) -> None:
    new_tournament(organiser, match_terms=with_its_own(rules, more), round_robin={}, **more)


def with_its_own(rules: game_pb2.Rules, more: dict[str, Any]) -> match_pb2.MatchTerms:
    """Return terms of a match; the fields that belong to them are removed from `more`."""
    terms = match_terms(rules)
    for name in ("time_control", "policies"):
        if name in more:
            terms.MergeFrom(match_pb2.MatchTerms(**{name: more.pop(name)}))
    return terms


def join(organiser: Organiser, **entrant: Any) -> Any:
    return in_ladder(organiser, "JoinLadder", entrant=entrant)


def enter(organiser: Organiser, **entrant: Any) -> Any:
    return in_tournament(organiser, "EnterTournament", entrant=entrant)


def closed(organiser: Organiser) -> None:
    """Create a ladder of the organiser and close it."""
    new_ladder(organiser)
    in_ladder(organiser, "CloseLadder")


def cancelled(organiser: Organiser) -> None:
    """Create a tournament of the organiser and cancel it."""
    new_tournament(organiser)
    organiser.call(f"{TOURNAMENT}/CancelTournament", name=organiser.name)


def pause(organiser: Organiser) -> str:
    """Pause a bot of the organiser, and return its name."""
    organiser.call_as_admin("AdminService/PauseBot", bot=organiser.bots[0], message="a rest")
    return organiser.bots[0]


def after(first: Provoke, call: Provoke) -> Provoke:
    def asked(organiser: Organiser) -> None:
        first(organiser)
        call(organiser)

    return asked


def itself(organiser: Organiser) -> dict[str, Any]:
    return {"bots": [{"bot": organiser.bots[0]}]}


def another_under_the_same_name(come: Callable[..., Any]) -> Provoke:
    def asked(organiser: Organiser) -> None:
        for bot in organiser.bots:
            come(organiser, name="one-name", bots=[{"bot": bot}])

    return asked


def challenge(organiser: Organiser, *, request_id: str = "a challenge", names: list[str] | None = None) -> Any:
    names = organiser.bots if names is None else names
    return in_ladder(organiser, "Challenge", request_id=request_id, entrants=names)


def all_in(organiser: Organiser) -> None:
    new_ladder(organiser)
    joined(organiser, *range(len(organiser.bots)))


def challenge_a_paused_bot(organiser: Organiser) -> None:
    all_in(organiser)
    pause(organiser)
    challenge(organiser)


def challenge_beyond_the_quota(organiser: Organiser) -> None:
    all_in(organiser)
    limited(organiser, max_matches=1)
    for request_id in ("one", "two"):
        challenge(organiser, request_id=request_id)


def challenge_otherwise(organiser: Organiser) -> None:
    all_in(organiser)
    challenge(organiser)
    challenge(organiser, names=[organiser.bots[0], a_third(organiser)])


def a_test_for_two(organiser: Organiser) -> None:
    new_tournament(organiser, entrants=entrants(organiser), sprt={"elo1": 10})


def a_third(organiser: Organiser) -> str:
    """Register a third bot of the organiser, and return its name."""
    third: str = organiser.call("BotService/RegisterBot", request_id="a third", name=f"{organiser.name}-third").bot.name
    return third


def enter_a_third(organiser: Organiser) -> None:
    enter(organiser, bots=[{"bot": a_third(organiser)}])


def finish(organiser: Organiser) -> None:
    """Finish a tournament of two entrants by withdrawing one."""
    started(organiser)
    in_tournament(organiser, "WithdrawEntrant", entrant=organiser.bots[0])


def season(organiser: Organiser, ladder: str) -> Any:
    return organiser.call(f"{LADDER}/StartSeason", ladder=ladder, request_id="a season")


def watch_more(organiser: Organiser, method: str) -> None:
    """Open more streams than the quota of the organiser allows."""
    limited(organiser, max_streams=1)
    kind = "ladder" if "Ladder" in method else "tournament"
    open_already = organiser.call(method, **{kind: organiser.name})
    next(open_already)
    next(organiser.call(method, **{kind: organiser.name}))


PROVOKED: dict[str, dict[str, Provoke]] = {
    f"{LADDER}/CreateLadder": of_terms(make_ladder)
    | {
        "BAD_SEATS": lambda organiser: new_ladder(organiser, match_terms=[match_terms(), match_terms(TOC)]),
    },
    f"{LADDER}/GetLadder": {"NO_SUCH_LADDER": lambda organiser: organiser.call(f"{LADDER}/GetLadder", name="nowhere")},
    f"{LADDER}/ListLadders": {
        "BAD_PAGE_TOKEN": lambda organiser: organiser.call(f"{LADDER}/ListLadders", page_token="x"),
        "UNKNOWN_GAME": lambda organiser: organiser.call(f"{LADDER}/ListLadders", game="chess"),
    },
    f"{LADDER}/JoinLadder": {
        "NO_SUCH_LADDER": lambda organiser: join(organiser, **itself(organiser)),
        "LADDER_CLOSED": after(closed, lambda organiser: join(organiser, **itself(organiser))),
        "ALREADY_IN": after(all_in, lambda organiser: join(organiser, name="again", **itself(organiser))),
        "NAME_TAKEN": after(new_ladder, another_under_the_same_name(join)),
        "BAD_SEATS": after(
            new_ladder, lambda organiser: join(organiser, name="two", bots=[{"bot": bot} for bot in organiser.bots])
        ),
        "NO_SUCH_BOT": after(new_ladder, lambda organiser: join(organiser, **NOBODY[0])),
        "NO_SUCH_VERSION": after(
            new_ladder, lambda organiser: join(organiser, bots=[{"bot": organiser.bots[0], "version": "9"}])
        ),
        "BOT_PAUSED": after(new_ladder, lambda organiser: join(organiser, bots=[{"bot": pause(organiser)}])),
    },
    f"{LADDER}/LeaveLadder": {
        "NO_SUCH_LADDER": lambda organiser: in_ladder(organiser, "LeaveLadder", entrant="x"),
        "NOT_A_MEMBER": after(
            new_ladder, lambda organiser: in_ladder(organiser, "LeaveLadder", entrant=organiser.bots[0])
        ),
    },
    f"{LADDER}/Challenge": {
        "NO_SUCH_LADDER": challenge,
        "LADDER_CLOSED": after(after(all_in, lambda organiser: in_ladder(organiser, "CloseLadder")), challenge),
        "NOT_A_MEMBER": after(new_ladder, challenge),
        "BAD_SEATS": after(all_in, lambda organiser: challenge(organiser, names=organiser.bots[:1])),
        "BOT_PAUSED": challenge_a_paused_bot,
        "TOO_MANY_MATCHES": challenge_beyond_the_quota,
        "REQUEST_ID_REUSED": challenge_otherwise,
    },
    f"{LADDER}/StartSeason": {
        "NO_SUCH_LADDER": lambda organiser: season(organiser, organiser.name),
        "LADDER_CLOSED": after(closed, lambda organiser: season(organiser, organiser.name)),
    },
    f"{LADDER}/PauseLadder": {
        "NO_SUCH_LADDER": lambda organiser: in_ladder(organiser, "PauseLadder"),
        "LADDER_CLOSED": after(closed, lambda organiser: in_ladder(organiser, "PauseLadder")),
    },
    f"{LADDER}/ResumeLadder": {
        "NO_SUCH_LADDER": lambda organiser: in_ladder(organiser, "ResumeLadder"),
        "LADDER_CLOSED": after(closed, lambda organiser: in_ladder(organiser, "ResumeLadder")),
    },
    f"{LADDER}/CloseLadder": {"NO_SUCH_LADDER": lambda organiser: in_ladder(organiser, "CloseLadder")},
    f"{LADDER}/ListLadderStandings": {
        "NO_SUCH_LADDER": lambda organiser: in_ladder(organiser, "ListLadderStandings"),
        "BAD_PAGE_TOKEN": after(
            new_ladder, lambda organiser: in_ladder(organiser, "ListLadderStandings", page_token="x")
        ),
    },
    f"{LADDER}/ListRatingHistory": {
        "NO_SUCH_LADDER": lambda organiser: in_ladder(organiser, "ListRatingHistory", bot=organiser.bots[0]),
        "NO_SUCH_BOT": after(new_ladder, lambda organiser: in_ladder(organiser, "ListRatingHistory", bot="nobody")),
        "NO_SUCH_VERSION": after(
            new_ladder, lambda organiser: in_ladder(organiser, "ListRatingHistory", bot=organiser.bots[0], version="9")
        ),
        "BAD_PAGE_TOKEN": after(
            new_ladder,
            lambda organiser: in_ladder(organiser, "ListRatingHistory", bot=organiser.bots[0], page_token="x"),
        ),
    },
    f"{LADDER}/WatchLadder": {
        "NO_SUCH_LADDER": lambda organiser: list(in_ladder(organiser, "WatchLadder")),
        "NUMBER_AHEAD": after(new_ladder, lambda organiser: list(in_ladder(organiser, "WatchLadder", after_number=99))),
        "TOO_MANY_STREAMS": after(new_ladder, lambda organiser: watch_more(organiser, f"{LADDER}/WatchLadder")),
    },
    f"{TOURNAMENT}/CreateTournament": of_terms(make_tournament)
    | {
        "BAD_SEATS": lambda organiser: new_tournament(
            organiser, entrants=[{"name": "two", "bots": [{"bot": bot} for bot in organiser.bots]}]
        ),
        "NO_SUCH_LADDER": lambda organiser: new_tournament(organiser, round_robin={}, ladder="nowhere"),
        "NO_SUCH_BOT": lambda organiser: new_tournament(organiser, entrants=NOBODY),
        "NO_SUCH_VERSION": lambda organiser: new_tournament(
            organiser, entrants=[{"bots": [{"bot": organiser.bots[0], "version": "9"}]}]
        ),
    },
    f"{TOURNAMENT}/GetTournament": {
        "NO_SUCH_TOURNAMENT": lambda organiser: organiser.call(f"{TOURNAMENT}/GetTournament", name="nowhere")
    },
    f"{TOURNAMENT}/ListTournaments": {
        "BAD_PAGE_TOKEN": lambda organiser: organiser.call(f"{TOURNAMENT}/ListTournaments", page_token="x"),
        "UNKNOWN_GAME": lambda organiser: organiser.call(f"{TOURNAMENT}/ListTournaments", game="chess"),
    },
    f"{TOURNAMENT}/EnterTournament": {
        "NO_SUCH_TOURNAMENT": lambda organiser: enter(organiser, **itself(organiser)),
        "TOURNAMENT_STARTED": after(started, enter_a_third),
        "TOURNAMENT_OVER": after(cancelled, lambda organiser: enter(organiser, **itself(organiser))),
        "ALREADY_IN": after(
            lambda organiser: new_tournament(organiser, entrants=entrants(organiser)),
            lambda organiser: enter(organiser, name="again", **itself(organiser)),
        ),
        "NAME_TAKEN": after(new_tournament, another_under_the_same_name(enter)),
        "BAD_SEATS": after(
            new_tournament,
            lambda organiser: enter(organiser, name="two", bots=[{"bot": bot} for bot in organiser.bots]),
        ),
        "NO_SUCH_BOT": after(new_tournament, lambda organiser: enter(organiser, **NOBODY[0])),
        "NO_SUCH_VERSION": after(
            new_tournament, lambda organiser: enter(organiser, bots=[{"bot": organiser.bots[0], "version": "9"}])
        ),
        "BOT_PAUSED": after(new_tournament, lambda organiser: enter(organiser, bots=[{"bot": pause(organiser)}])),
        "WRONG_ENTRANT_COUNT": after(a_test_for_two, enter_a_third),
    },
    f"{TOURNAMENT}/WithdrawEntrant": {
        "NO_SUCH_TOURNAMENT": lambda organiser: in_tournament(organiser, "WithdrawEntrant", entrant="x"),
        "NOT_AN_ENTRANT": after(
            new_tournament, lambda organiser: in_tournament(organiser, "WithdrawEntrant", entrant="x")
        ),
        "TOURNAMENT_OVER": after(
            lambda organiser: [
                started(organiser),
                organiser.call(f"{TOURNAMENT}/CancelTournament", name=organiser.name),
            ],
            lambda organiser: in_tournament(organiser, "WithdrawEntrant", entrant=organiser.bots[0]),
        ),
    },
    f"{TOURNAMENT}/StartTournament": {
        "NO_SUCH_TOURNAMENT": lambda organiser: organiser.call(f"{TOURNAMENT}/StartTournament", name="nowhere"),
        "WRONG_ENTRANT_COUNT": after(
            new_tournament, lambda organiser: organiser.call(f"{TOURNAMENT}/StartTournament", name=organiser.name)
        ),
        "NOT_AN_ENTRANT": lambda organiser: started(organiser, gauntlet={"challengers": ["nobody"]}),
        "TOURNAMENT_OVER": after(
            cancelled, lambda organiser: organiser.call(f"{TOURNAMENT}/StartTournament", name=organiser.name)
        ),
    },
    f"{TOURNAMENT}/CancelTournament": {
        "NO_SUCH_TOURNAMENT": lambda organiser: organiser.call(f"{TOURNAMENT}/CancelTournament", name="nowhere"),
        "TOURNAMENT_OVER": after(
            finish, lambda organiser: organiser.call(f"{TOURNAMENT}/CancelTournament", name=organiser.name)
        ),
    },
    f"{TOURNAMENT}/ListPairings": {
        "NO_SUCH_TOURNAMENT": lambda organiser: in_tournament(organiser, "ListPairings"),
        "BAD_PAGE_TOKEN": after(started, lambda organiser: in_tournament(organiser, "ListPairings", page_token="x")),
        "NOT_AN_ENTRANT": after(started, lambda organiser: in_tournament(organiser, "ListPairings", entrant="nobody")),
    },
    f"{TOURNAMENT}/GetTournamentStandings": {
        "NO_SUCH_TOURNAMENT": lambda organiser: in_tournament(organiser, "GetTournamentStandings"),
        "TOURNAMENT_NOT_STARTED": after(
            new_tournament, lambda organiser: in_tournament(organiser, "GetTournamentStandings")
        ),
    },
    f"{TOURNAMENT}/GetCrossTable": {
        "NO_SUCH_TOURNAMENT": lambda organiser: in_tournament(organiser, "GetCrossTable"),
        "TOURNAMENT_NOT_STARTED": after(new_tournament, lambda organiser: in_tournament(organiser, "GetCrossTable")),
    },
    f"{TOURNAMENT}/ExportTournament": {
        "NO_SUCH_TOURNAMENT": lambda organiser: in_tournament(
            organiser, "ExportTournament", format="EXPORT_FORMAT_CSV"
        ),
        "TOURNAMENT_NOT_STARTED": after(
            new_tournament, lambda organiser: in_tournament(organiser, "ExportTournament", format="EXPORT_FORMAT_CSV")
        ),
        "NOT_EXPORTABLE": after(
            lambda organiser: started(organiser, elimination={}),
            lambda organiser: in_tournament(organiser, "ExportTournament", format="EXPORT_FORMAT_TRF"),
        ),
    },
    f"{TOURNAMENT}/WatchTournament": {
        "NO_SUCH_TOURNAMENT": lambda organiser: in_tournament(organiser, "WatchTournament"),
        "NUMBER_AHEAD": after(
            new_tournament, lambda organiser: in_tournament(organiser, "WatchTournament", after_number=99)
        ),
        "TOO_MANY_STREAMS": after(
            new_tournament, lambda organiser: watch_more(organiser, f"{TOURNAMENT}/WatchTournament")
        ),
    },
    "MatchService/ListMatches": {
        "NO_SUCH_LADDER": lambda organiser: organiser.call("MatchService/ListMatches", ladder="nowhere"),
        "NO_SUCH_TOURNAMENT": lambda organiser: organiser.call("MatchService/ListMatches", tournament="nowhere"),
    },
}
"""Functions by method and reason: each raises a grpc.RpcError with this reason."""
