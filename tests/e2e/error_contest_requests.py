"""Ways to cause each error that the contract lists for ladders and tournaments, by method and reason.

Each runs with a new organiser, who has no contests yet, on a server that all share.
"""

from collections.abc import Callable
from typing import Any

from referee_api.v1 import bot_pb2, clock_pb2, contest_pb2, game_pb2, match_pb2

from tests.e2e.contests import (
    TOC,
    call_for_ladder,
    call_for_tournament,
    create_ladder,
    create_tournament,
    entrants_of,
    join_ladder,
    match_terms,
    play_match,
    start_tournament,
)
from tests.e2e.error_requests import set_quota
from tests.e2e.organiser import Organiser, call_method, new_organiser
from tests.e2e.server import register_bots

ErrorCause = Callable[[Organiser], Any]

LADDER = "LadderService"
TOURNAMENT = "TournamentService"
TESTED_ELSEWHERE = {"DRAINING", "SLOW_CONSUMER"}
"""Errors that need a server of their own; other tests cause them."""

UNKNOWN_ENTRANT = [{"bots": [{"bot": "nobody"}]}]
NEGATIVE_TIME = clock_pb2.ClockRule(sudden_death=clock_pb2.SuddenDeath(main_ms=-1))


def rules(**rules: Any) -> game_pb2.Rules:
    return game_pb2.Rules(**{"game": "alquerque"} | rules)


def opening(*moves: tuple[int, str], position: str = "") -> dict[str, Any]:
    """Return terms of duplicate play from this opening."""
    entry = {"position": position, "moves": [{"seat": seat, "move": move} for seat, move in moves]}
    return {"duplicate_play": {"openings": [entry]}}


def errors_in_terms(create: Callable[..., Any]) -> dict[str, ErrorCause]:
    """Return the errors about terms that both kinds of contests have; `create` creates a contest with such terms."""
    return {
        "UNKNOWN_GAME": lambda organiser: create(organiser, rules(game="shogi")),
        "UNKNOWN_OPTION": lambda organiser: create(organiser, rules(options={"huf": "true"})),
        "UNKNOWN_PRESET": lambda organiser: create(organiser, rules(preset="x")),
        "BAD_OPTION": lambda organiser: create(organiser, rules(options={"huff": "perhaps"})),
        "BAD_TIME_CONTROL": lambda organiser: create(
            organiser, rules(), time_control=clock_pb2.TimeControl(rule=NEGATIVE_TIME)
        ),
        "BAD_POLICY": lambda organiser: create(organiser, rules(), policies={"illegal_move": {"max_attempts": 1_001}}),
        "MALFORMED_POSITION": lambda organiser: create(organiser, rules(), **opening(position="x")),
        "MALFORMED_MOVE": lambda organiser: create(organiser, rules(), **opening((0, "nonsense"))),
        "ILLEGAL_MOVE": lambda organiser: create(organiser, rules(), **opening((0, "a1-a2"))),
        "NOT_YOUR_TURN": lambda organiser: create(organiser, rules(), **opening((1, "c4-c3"))),
        "BAD_NAME": lambda organiser: create(organiser, rules(), name="X"),
        "NAME_TAKEN": lambda organiser: [create(organiser, rules(), request_id=one) for one in ("one", "two")],
        "REQUEST_ID_REUSED": lambda organiser: [create(organiser, rules(), title=title) for title in ("One", "Two")],
    }


def create_ladder_with_rules(organiser: Organiser, rules: game_pb2.Rules, **terms: Any) -> None:
    create_ladder(organiser, match_terms=[take_match_terms(rules, terms)], **terms)


def create_tournament_with_rules(organiser: Organiser, rules: game_pb2.Rules, **terms: Any) -> None:
    create_tournament(organiser, match_terms=take_match_terms(rules, terms), round_robin={}, **terms)


def take_match_terms(rules: game_pb2.Rules, fields: dict[str, Any]) -> match_pb2.MatchTerms:
    """Return terms of a match; the fields that belong to them are removed from `fields`."""
    terms = match_terms(rules)
    for name in ("time_control", "policies"):
        if name in fields:
            terms.MergeFrom(match_pb2.MatchTerms(**{name: fields.pop(name)}))
    return terms


def join(organiser: Organiser, **entrant: Any) -> Any:
    return call_for_ladder(organiser, "JoinLadder", entrant=entrant)


def enter(organiser: Organiser, **entrant: Any) -> Any:
    return call_for_tournament(organiser, "EnterTournament", entrant=entrant)


def create_closed_ladder(organiser: Organiser) -> None:
    """Create a ladder of the organiser and close it."""
    create_ladder(organiser)
    call_for_ladder(organiser, "CloseLadder")


def create_cancelled_tournament(organiser: Organiser) -> None:
    """Create a tournament of the organiser and cancel it."""
    create_tournament(organiser)
    organiser.call(f"{TOURNAMENT}/CancelTournament", name=organiser.name)


def pause_bot(organiser: Organiser) -> str:
    """Pause a bot of the organiser, and return its name."""
    organiser.call_as_admin("AdminService/PauseBot", bot=organiser.bots[0], message="a rest")
    return organiser.bots[0]


def after_setup(setup: ErrorCause, call: ErrorCause) -> ErrorCause:
    def cause(organiser: Organiser) -> None:
        setup(organiser)
        call(organiser)

    return cause


def first_entrant(organiser: Organiser) -> dict[str, Any]:
    return {"bots": [{"bot": organiser.bots[0]}]}


def add_two_bots_with_one_name(add: Callable[..., Any]) -> ErrorCause:
    def cause(organiser: Organiser) -> None:
        for bot in organiser.bots:
            add(organiser, name="one-name", bots=[{"bot": bot}])

    return cause


def challenge(organiser: Organiser, *, request_id: str = "a challenge", names: list[str] | None = None) -> Any:
    names = organiser.bots if names is None else names
    return call_for_ladder(organiser, "Challenge", request_id=request_id, entrants=names)


def create_ladder_of_all_bots(organiser: Organiser) -> None:
    create_ladder(organiser)
    join_ladder(organiser, *range(len(organiser.bots)))


def challenge_a_paused_bot(organiser: Organiser) -> None:
    create_ladder_of_all_bots(organiser)
    pause_bot(organiser)
    challenge(organiser)


def with_another_holder(call: Callable[[Organiser, Organiser], Any]) -> ErrorCause:
    """Call with the organiser and with another one, whose bots take matches only in contests that they enter."""

    def cause(organiser: Organiser) -> None:
        with new_organiser(organiser.server, organiser.channel, f"{organiser.name}-guest") as other:
            call(organiser, other)

    return cause


def challenge_without_consent(organiser: Organiser, other: Organiser) -> None:
    create_ladder(organiser)
    for seat in (0, 1):
        other.call_as_bot(seat, f"{LADDER}/JoinLadder", ladder=organiser.name)
    other.set_consent(scope=bot_pb2.CONSENT_SCOPE_OWN)
    challenge(organiser, names=other.bots)


def challenge_between_bots_of_one_author(organiser: Organiser) -> None:
    author, ladder = f"{organiser.name}-author", organiser.name
    created = organiser.call_as_admin("AdminService/CreateToken", role="ROLE_AUTHOR", holder=author)
    bots = [f"{author}-{number}" for number in (1, 2)]
    create_ladder(organiser)
    for secret in register_bots(organiser.channel, created.secret, *bots):
        call_method(organiser.channel, f"{LADDER}/JoinLadder", secret, ladder=ladder)
    challenge(organiser, names=bots)


def challenge_beyond_the_quota(organiser: Organiser) -> None:
    create_ladder_of_all_bots(organiser)
    set_quota(organiser, max_matches=1)
    for request_id in ("one", "two"):
        challenge(organiser, request_id=request_id)


def challenge_twice_differently(organiser: Organiser) -> None:
    create_ladder_of_all_bots(organiser)
    challenge(organiser)
    challenge(organiser, names=[organiser.bots[0], register_third_bot(organiser)])


def create_sprt(organiser: Organiser) -> None:
    create_tournament(organiser, entrants=entrants_of(organiser), sprt={"elo1": 10})


def register_third_bot(organiser: Organiser) -> str:
    """Register a third bot of the organiser, and return its name."""
    name: str = organiser.call("BotService/RegisterBot", request_id="a third", name=f"{organiser.name}-third").bot.name
    return name


def enter_third_bot(organiser: Organiser) -> None:
    enter(organiser, bots=[{"bot": register_third_bot(organiser)}])


def finish_tournament(organiser: Organiser) -> None:
    """Finish a tournament of two entrants by withdrawing one."""
    start_tournament(organiser)
    call_for_tournament(organiser, "WithdrawEntrant", entrant=organiser.bots[0])


def start_season(organiser: Organiser, ladder: str) -> Any:
    return organiser.call(f"{LADDER}/StartSeason", ladder=ladder, request_id="a season")


def correct_match(organiser: Organiser, kind: str, match_id: str = "m", message: str = "by staff") -> Any:
    """Strike a match; by default, one that does not exist."""
    fields = {"match_id": match_id, "kind": "CORRECTION_KIND_STRUCK", "message": message, "request_id": "a correction"}
    service = LADDER if kind == "ladder" else TOURNAMENT
    return organiser.call(f"{service}/Correct{kind.capitalize()}Match", **{kind: organiser.name}, **fields)


def strike_when_counted(organiser: Organiser, kind: str) -> str:
    """Play a match, and strike it as soon as the contest has counted it. Return its id."""
    match_id = play_match(organiser)
    service = LADDER if kind == "ladder" else TOURNAMENT
    watched = organiser.call(f"{service}/Watch{kind.capitalize()}", **{kind: organiser.name}, after_number=0)
    counted = ("match_rated", "sprt")
    for response in watched:
        for item in response.items:
            done = item.entry.pairing.phase == contest_pb2.PAIRING_PHASE_DONE
            if done or item.entry.WhichOneof("event") in counted:
                watched.cancel()
                correct_match(organiser, kind, match_id)
                return match_id
    raise AssertionError("the contest has not counted the match")


def correct_twice_differently(organiser: Organiser, kind: str) -> Any:
    match_id = strike_when_counted(organiser, kind)
    return correct_match(organiser, kind, match_id, "for another reason")


def exceed_contest_quota(organiser: Organiser, create: Callable[..., Any]) -> None:
    """Create more contests than the quota of the organiser allows."""
    set_quota(organiser, max_contests=1)
    for number in range(2):
        create(organiser, name=f"{organiser.name}-{number}", request_id=f"request {number}")


def exceed_stream_quota(organiser: Organiser, method: str) -> None:
    """Open more streams than the quota of the organiser allows."""
    set_quota(organiser, max_streams=1)
    kind = "ladder" if "Ladder" in method else "tournament"
    open_stream = organiser.call(method, **{kind: organiser.name})
    next(open_stream)
    next(organiser.call(method, **{kind: organiser.name}))


def act(organiser: Organiser, method: str, **fields: Any) -> Any:
    return call_for_tournament(organiser, method, message="by staff", **fields)


def start_swiss(organiser: Organiser) -> None:
    start_tournament(organiser, swiss={"rounds": 1})


def request_bye(organiser: Organiser, entrant: str) -> Any:
    return call_for_tournament(organiser, "RequestBye", entrant=entrant, round=1, kind="BYE_KIND_HALF_POINT")


def errors_of_acts(method: str, **fields: Any) -> dict[str, ErrorCause]:
    """Return the errors that every act of staff has."""
    return {
        "NO_SUCH_TOURNAMENT": lambda organiser: act(organiser, method, **fields),
        "TOURNAMENT_NOT_STARTED": after_setup(create_tournament, lambda organiser: act(organiser, method, **fields)),
        "TOURNAMENT_OVER": after_setup(finish_tournament, lambda organiser: act(organiser, method, **fields)),
    }


def errors_of_pairings(method: str, **fields: Any) -> dict[str, ErrorCause]:
    """Return the errors of acts on one pairing."""
    return {
        "NO_SUCH_PAIRING": after_setup(
            start_tournament, lambda organiser: act(organiser, method, pairing_id="9.9", **fields)
        ),
        "PAIRING_NOT_CHANGEABLE": after_setup(
            lambda organiser: lose_first_pairing(organiser, open_first=method == "ReopenPairing"),
            lambda organiser: act(organiser, method, pairing_id="1.1", **fields),
        ),
    }


def lose_first_pairing(organiser: Organiser, *, open_first: bool) -> None:
    """Start a round robin of two cycles; unless `open_first`, its first pairing is lost by absence."""
    start_tournament(organiser, round_robin={"cycles": 2})
    if not open_first:
        act(organiser, "DeclareAbsent", pairing_id="1.1", entrants=organiser.bots[:1])


CONTEST_ERRORS: dict[str, dict[str, ErrorCause]] = {
    f"{LADDER}/CreateLadder": errors_in_terms(create_ladder_with_rules)
    | {
        "TOO_MANY_NAMES": lambda organiser: exceed_contest_quota(organiser, create_ladder),
        "BAD_SEATS": lambda organiser: create_ladder(organiser, match_terms=[match_terms(), match_terms(TOC)]),
    },
    f"{LADDER}/GetLadder": {"NO_SUCH_LADDER": lambda organiser: organiser.call(f"{LADDER}/GetLadder", name="nowhere")},
    f"{LADDER}/ListLadders": {
        "BAD_PAGE_TOKEN": lambda organiser: organiser.call(f"{LADDER}/ListLadders", page_token="x"),
        "UNKNOWN_GAME": lambda organiser: organiser.call(f"{LADDER}/ListLadders", game="shogi"),
    },
    f"{LADDER}/JoinLadder": {
        "NO_SUCH_LADDER": lambda organiser: join(organiser, **first_entrant(organiser)),
        "LADDER_CLOSED": after_setup(
            create_closed_ladder, lambda organiser: join(organiser, **first_entrant(organiser))
        ),
        "ALREADY_IN": after_setup(
            create_ladder_of_all_bots, lambda organiser: join(organiser, name="again", **first_entrant(organiser))
        ),
        "NAME_TAKEN": after_setup(create_ladder, add_two_bots_with_one_name(join)),
        "BAD_SEATS": after_setup(
            create_ladder, lambda organiser: join(organiser, name="two", bots=[{"bot": bot} for bot in organiser.bots])
        ),
        "NO_SUCH_BOT": after_setup(create_ladder, lambda organiser: join(organiser, **UNKNOWN_ENTRANT[0])),
        "NO_SUCH_VERSION": after_setup(
            create_ladder, lambda organiser: join(organiser, bots=[{"bot": organiser.bots[0], "version": "9"}])
        ),
        "BOT_PAUSED": after_setup(
            create_ladder, lambda organiser: join(organiser, bots=[{"bot": pause_bot(organiser)}])
        ),
        "CONSENT_MISSING": after_setup(
            create_ladder,
            with_another_holder(lambda organiser, other: join(organiser, **first_entrant(other))),
        ),
    },
    f"{LADDER}/LeaveLadder": {
        "NO_SUCH_LADDER": lambda organiser: call_for_ladder(organiser, "LeaveLadder", entrant="x"),
        "NOT_A_MEMBER": after_setup(
            create_ladder, lambda organiser: call_for_ladder(organiser, "LeaveLadder", entrant=organiser.bots[0])
        ),
    },
    f"{LADDER}/Challenge": {
        "NO_SUCH_LADDER": challenge,
        "LADDER_CLOSED": after_setup(
            after_setup(create_ladder_of_all_bots, lambda organiser: call_for_ladder(organiser, "CloseLadder")),
            challenge,
        ),
        "NOT_A_MEMBER": after_setup(create_ladder, challenge),
        "BAD_SEATS": after_setup(
            create_ladder_of_all_bots, lambda organiser: challenge(organiser, names=organiser.bots[:1])
        ),
        "SAME_OWNER": challenge_between_bots_of_one_author,
        "BOT_PAUSED": challenge_a_paused_bot,
        "CONSENT_MISSING": with_another_holder(challenge_without_consent),
        "TOO_MANY_MATCHES": challenge_beyond_the_quota,
        "REQUEST_ID_REUSED": challenge_twice_differently,
    },
    f"{LADDER}/StartSeason": {
        "NO_SUCH_LADDER": lambda organiser: start_season(organiser, organiser.name),
        "LADDER_CLOSED": after_setup(create_closed_ladder, lambda organiser: start_season(organiser, organiser.name)),
    },
    f"{LADDER}/PauseLadder": {
        "NO_SUCH_LADDER": lambda organiser: call_for_ladder(organiser, "PauseLadder"),
        "LADDER_CLOSED": after_setup(create_closed_ladder, lambda organiser: call_for_ladder(organiser, "PauseLadder")),
    },
    f"{LADDER}/ResumeLadder": {
        "NO_SUCH_LADDER": lambda organiser: call_for_ladder(organiser, "ResumeLadder"),
        "LADDER_CLOSED": after_setup(
            create_closed_ladder, lambda organiser: call_for_ladder(organiser, "ResumeLadder")
        ),
    },
    f"{LADDER}/CorrectLadderMatch": {
        "NO_SUCH_LADDER": lambda organiser: correct_match(organiser, "ladder"),
        "NO_SUCH_MATCH": after_setup(create_ladder, lambda organiser: correct_match(organiser, "ladder")),
        "REQUEST_ID_REUSED": after_setup(
            create_ladder_of_all_bots, lambda organiser: correct_twice_differently(organiser, "ladder")
        ),
    },
    f"{LADDER}/CloseLadder": {"NO_SUCH_LADDER": lambda organiser: call_for_ladder(organiser, "CloseLadder")},
    f"{LADDER}/ListLadderStandings": {
        "NO_SUCH_LADDER": lambda organiser: call_for_ladder(organiser, "ListLadderStandings"),
        "BAD_PAGE_TOKEN": after_setup(
            create_ladder, lambda organiser: call_for_ladder(organiser, "ListLadderStandings", page_token="x")
        ),
    },
    f"{LADDER}/ListRatingHistory": {
        "NO_SUCH_LADDER": lambda organiser: call_for_ladder(organiser, "ListRatingHistory", bot=organiser.bots[0]),
        "NO_SUCH_BOT": after_setup(
            create_ladder, lambda organiser: call_for_ladder(organiser, "ListRatingHistory", bot="nobody")
        ),
        "NO_SUCH_VERSION": after_setup(
            create_ladder,
            lambda organiser: call_for_ladder(organiser, "ListRatingHistory", bot=organiser.bots[0], version="9"),
        ),
        "BAD_PAGE_TOKEN": after_setup(
            create_ladder,
            lambda organiser: call_for_ladder(organiser, "ListRatingHistory", bot=organiser.bots[0], page_token="x"),
        ),
    },
    f"{LADDER}/GetLadderRecord": {
        "NO_SUCH_LADDER": lambda organiser: list(call_for_ladder(organiser, "GetLadderRecord")),
        "CONTEST_NOT_OVER": after_setup(
            create_ladder, lambda organiser: list(call_for_ladder(organiser, "GetLadderRecord"))
        ),
    },
    f"{LADDER}/WatchLadder": {
        "NO_SUCH_LADDER": lambda organiser: list(call_for_ladder(organiser, "WatchLadder")),
        "NUMBER_AHEAD": after_setup(
            create_ladder, lambda organiser: list(call_for_ladder(organiser, "WatchLadder", after_number=99))
        ),
        "TOO_MANY_STREAMS": after_setup(
            create_ladder, lambda organiser: exceed_stream_quota(organiser, f"{LADDER}/WatchLadder")
        ),
    },
    f"{TOURNAMENT}/CreateTournament": errors_in_terms(create_tournament_with_rules)
    | {
        "TOO_MANY_NAMES": lambda organiser: exceed_contest_quota(organiser, create_tournament),
        "BAD_SEATS": lambda organiser: create_tournament(
            organiser, entrants=[{"name": "two", "bots": [{"bot": bot} for bot in organiser.bots]}]
        ),
        "NO_SUCH_LADDER": lambda organiser: create_tournament(organiser, round_robin={}, ladder="nowhere"),
        "NO_SUCH_BOT": lambda organiser: create_tournament(organiser, entrants=UNKNOWN_ENTRANT),
        "CONSENT_MISSING": with_another_holder(
            lambda organiser, other: create_tournament(organiser, entrants=entrants_of(other))
        ),
        "NO_SUCH_VERSION": lambda organiser: create_tournament(
            organiser, entrants=[{"bots": [{"bot": organiser.bots[0], "version": "9"}]}]
        ),
    },
    f"{TOURNAMENT}/GetTournament": {
        "NO_SUCH_TOURNAMENT": lambda organiser: organiser.call(f"{TOURNAMENT}/GetTournament", name="nowhere")
    },
    f"{TOURNAMENT}/ListTournaments": {
        "BAD_PAGE_TOKEN": lambda organiser: organiser.call(f"{TOURNAMENT}/ListTournaments", page_token="x"),
        "UNKNOWN_GAME": lambda organiser: organiser.call(f"{TOURNAMENT}/ListTournaments", game="shogi"),
    },
    f"{TOURNAMENT}/EnterTournament": {
        "NO_SUCH_TOURNAMENT": lambda organiser: enter(organiser, **first_entrant(organiser)),
        "TOURNAMENT_STARTED": after_setup(start_tournament, enter_third_bot),
        "ENTRIES_CLOSED": after_setup(
            lambda organiser: create_tournament(organiser, round_robin={}, entries_close_at={"seconds": 1}),
            lambda organiser: enter(organiser, **first_entrant(organiser)),
        ),
        "TOURNAMENT_OVER": after_setup(
            create_cancelled_tournament, lambda organiser: enter(organiser, **first_entrant(organiser))
        ),
        "ALREADY_IN": after_setup(
            lambda organiser: create_tournament(organiser, entrants=entrants_of(organiser)),
            lambda organiser: enter(organiser, name="again", **first_entrant(organiser)),
        ),
        "NAME_TAKEN": after_setup(create_tournament, add_two_bots_with_one_name(enter)),
        "BAD_SEATS": after_setup(
            create_tournament,
            lambda organiser: enter(organiser, name="two", bots=[{"bot": bot} for bot in organiser.bots]),
        ),
        "NO_SUCH_BOT": after_setup(create_tournament, lambda organiser: enter(organiser, **UNKNOWN_ENTRANT[0])),
        "NO_SUCH_VERSION": after_setup(
            create_tournament, lambda organiser: enter(organiser, bots=[{"bot": organiser.bots[0], "version": "9"}])
        ),
        "BOT_PAUSED": after_setup(
            create_tournament, lambda organiser: enter(organiser, bots=[{"bot": pause_bot(organiser)}])
        ),
        "CONSENT_MISSING": after_setup(
            create_tournament,
            with_another_holder(lambda organiser, other: enter(organiser, **first_entrant(other))),
        ),
        "WRONG_ENTRANT_COUNT": after_setup(create_sprt, enter_third_bot),
    },
    f"{TOURNAMENT}/WithdrawEntrant": {
        "NO_SUCH_TOURNAMENT": lambda organiser: call_for_tournament(organiser, "WithdrawEntrant", entrant="x"),
        "NOT_AN_ENTRANT": after_setup(
            create_tournament, lambda organiser: call_for_tournament(organiser, "WithdrawEntrant", entrant="x")
        ),
        "TOURNAMENT_OVER": after_setup(
            lambda organiser: [
                start_tournament(organiser),
                organiser.call(f"{TOURNAMENT}/CancelTournament", name=organiser.name),
            ],
            lambda organiser: call_for_tournament(organiser, "WithdrawEntrant", entrant=organiser.bots[0]),
        ),
    },
    f"{TOURNAMENT}/RequestBye": {
        "NO_SUCH_TOURNAMENT": lambda organiser: request_bye(organiser, "x"),
        "NOT_AN_ENTRANT": after_setup(create_tournament, lambda organiser: request_bye(organiser, "x")),
        "TOURNAMENT_OVER": after_setup(finish_tournament, lambda organiser: request_bye(organiser, organiser.bots[1])),
        "BYE_NOT_POSSIBLE": after_setup(start_swiss, lambda organiser: request_bye(organiser, organiser.bots[0])),
    },
    f"{TOURNAMENT}/StartTournament": {
        "NO_SUCH_TOURNAMENT": lambda organiser: organiser.call(f"{TOURNAMENT}/StartTournament", name="nowhere"),
        "WRONG_ENTRANT_COUNT": after_setup(
            create_tournament, lambda organiser: organiser.call(f"{TOURNAMENT}/StartTournament", name=organiser.name)
        ),
        "NOT_AN_ENTRANT": lambda organiser: start_tournament(organiser, gauntlet={"challengers": ["nobody"]}),
        "TOURNAMENT_OVER": after_setup(
            create_cancelled_tournament,
            lambda organiser: organiser.call(f"{TOURNAMENT}/StartTournament", name=organiser.name),
        ),
    },
    f"{TOURNAMENT}/CancelTournament": {
        "NO_SUCH_TOURNAMENT": lambda organiser: organiser.call(f"{TOURNAMENT}/CancelTournament", name="nowhere"),
        "TOURNAMENT_OVER": after_setup(
            finish_tournament, lambda organiser: organiser.call(f"{TOURNAMENT}/CancelTournament", name=organiser.name)
        ),
    },
    f"{TOURNAMENT}/ListPairings": {
        "NO_SUCH_TOURNAMENT": lambda organiser: call_for_tournament(organiser, "ListPairings"),
        "BAD_PAGE_TOKEN": after_setup(
            start_tournament, lambda organiser: call_for_tournament(organiser, "ListPairings", page_token="x")
        ),
        "NOT_AN_ENTRANT": after_setup(
            start_tournament, lambda organiser: call_for_tournament(organiser, "ListPairings", entrant="nobody")
        ),
    },
    f"{TOURNAMENT}/PairRound": errors_of_acts("PairRound", round=1, pairings=[{"entrants": ["x", "y"]}])
    | {
        "NOT_AN_ENTRANT": after_setup(
            start_swiss,
            lambda organiser: act(organiser, "PairRound", round=1, pairings=[{"entrants": ["x", "y"]}]),
        ),
    },
    f"{TOURNAMENT}/PostponePairing": errors_of_acts("PostponePairing", pairing_id="1.1", until={"seconds": 1})
    | errors_of_pairings("PostponePairing", until={"seconds": 1}),
    f"{TOURNAMENT}/ReopenPairing": errors_of_acts("ReopenPairing", pairing_id="1.1")
    | errors_of_pairings("ReopenPairing"),
    f"{TOURNAMENT}/DeclareAbsent": errors_of_acts("DeclareAbsent", pairing_id="1.1", entrants=["x"])
    | errors_of_pairings("DeclareAbsent", entrants=["x"]),
    f"{TOURNAMENT}/CorrectTournamentMatch": {
        "NO_SUCH_TOURNAMENT": lambda organiser: correct_match(organiser, "tournament"),
        "TOURNAMENT_NOT_STARTED": after_setup(
            create_tournament, lambda organiser: correct_match(organiser, "tournament")
        ),
        "NO_SUCH_MATCH": after_setup(start_tournament, lambda organiser: correct_match(organiser, "tournament")),
        "REQUEST_ID_REUSED": after_setup(
            start_tournament, lambda organiser: correct_twice_differently(organiser, "tournament")
        ),
        "PAIRING_NOT_CHANGEABLE": after_setup(
            lambda organiser: start_tournament(organiser, sprt={"elo0": 0, "elo1": 10}),
            lambda organiser: strike_when_counted(organiser, "tournament"),
        ),
    },
    f"{TOURNAMENT}/GetTournamentStandings": {
        "NO_SUCH_TOURNAMENT": lambda organiser: call_for_tournament(organiser, "GetTournamentStandings"),
        "TOURNAMENT_NOT_STARTED": after_setup(
            create_tournament, lambda organiser: call_for_tournament(organiser, "GetTournamentStandings")
        ),
    },
    f"{TOURNAMENT}/GetCrossTable": {
        "NO_SUCH_TOURNAMENT": lambda organiser: call_for_tournament(organiser, "GetCrossTable"),
        "TOURNAMENT_NOT_STARTED": after_setup(
            create_tournament, lambda organiser: call_for_tournament(organiser, "GetCrossTable")
        ),
        "BAD_PAGE_TOKEN": after_setup(
            start_tournament, lambda organiser: call_for_tournament(organiser, "GetCrossTable", page_token="x")
        ),
    },
    f"{TOURNAMENT}/ExportTournament": {
        "NO_SUCH_TOURNAMENT": lambda organiser: call_for_tournament(
            organiser, "ExportTournament", format="EXPORT_FORMAT_CSV"
        ),
        "TOURNAMENT_NOT_STARTED": after_setup(
            create_tournament,
            lambda organiser: call_for_tournament(organiser, "ExportTournament", format="EXPORT_FORMAT_CSV"),
        ),
        "NOT_EXPORTABLE": after_setup(
            lambda organiser: start_tournament(organiser, elimination={}),
            lambda organiser: call_for_tournament(organiser, "ExportTournament", format="EXPORT_FORMAT_TRF"),
        ),
    },
    f"{TOURNAMENT}/GetTournamentRecord": {
        "NO_SUCH_TOURNAMENT": lambda organiser: list(call_for_tournament(organiser, "GetTournamentRecord")),
        "CONTEST_NOT_OVER": after_setup(
            create_tournament, lambda organiser: list(call_for_tournament(organiser, "GetTournamentRecord"))
        ),
    },
    f"{TOURNAMENT}/WatchTournament": {
        "NO_SUCH_TOURNAMENT": lambda organiser: call_for_tournament(organiser, "WatchTournament"),
        "NUMBER_AHEAD": after_setup(
            create_tournament, lambda organiser: call_for_tournament(organiser, "WatchTournament", after_number=99)
        ),
        "TOO_MANY_STREAMS": after_setup(
            create_tournament, lambda organiser: exceed_stream_quota(organiser, f"{TOURNAMENT}/WatchTournament")
        ),
    },
    "MatchService/ListMatches": {
        "NO_SUCH_LADDER": lambda organiser: organiser.call("MatchService/ListMatches", ladder="nowhere"),
        "NO_SUCH_TOURNAMENT": lambda organiser: organiser.call("MatchService/ListMatches", tournament="nowhere"),
    },
}
"""Functions by method and reason: each raises a grpc.RpcError with this reason."""
