"""What hostile callers try: reading private data, acting for others, pausing, starving, filling the disk, flooding."""

import os
from collections.abc import Callable
from contextlib import ExitStack, suppress
from itertools import count
from typing import Any

from referee_api.v1 import bot_pb2, clock_pb2, match_pb2, match_service_pb2

from tests.e2e import http2
from tests.e2e.contests import match_terms
from tests.e2e.hostile_caller import ACCEPTED, HostileCaller
from tests.e2e.organiser import METHODS
from tests.e2e.test_large_rules import LARGE

Attack = Callable[[HostileCaller, int], None]
"""Receives the number of calls that it may make beyond those of one round."""

HUGE = "x" * 100_000
BEYOND_A_MESSAGE = "x" * 2_000_000
NUMBERS = count(1)
LATER = {"seconds": 2**32}
UNREAD_WATCHES = 150
FULL = ("TOO_MANY_NAMES", "TOO_MANY_MATCHES", "TOO_MUCH_STORED")
HOUR = clock_pb2.ClockRule(sudden_death=clock_pb2.SuddenDeath(main_ms=3_600_000))
ONE_MS = clock_pb2.ClockRule(per_move=clock_pb2.PerMove(move_ms=1))
UNTIMED = clock_pb2.ClockRule(untimed=clock_pb2.Untimed())
WATCH_PATH = "/referee_api.v1.MatchService/WatchMatch"


def unique(what: str) -> str:
    """Return a name that no other process uses."""
    return f"{what}-{os.getpid()}-{next(NUMBERS)}"


def read_private_data(caller: HostileCaller, _calls: int) -> None:
    victims = caller.victims
    bot = victims.bots[0]
    for method in ("ListBotLogEntries", "ListBotTokens", "CreateBotToken"):
        caller.attempt(f"BotService/{method}", "NOT_YOURS", bot=bot)
    for method in (name for name in METHODS if name.startswith("AdminService/")):
        caller.attempt(method, "NOT_YOURS")
    for method in ("ListRedemptions", "RevokeInvitation"):
        caller.attempt(
            f"InvitationService/{method}", "NOT_YOURS", "NO_SUCH_INVITATION", invitation_id=victims.invitation
        )
        caller.compare(
            f"InvitationService/{method}", {"invitation_id": victims.invitation}, {"invitation_id": unique("guess")}
        )
    caller.compare(
        "BotService/RevokeBotToken",
        {"bot": bot, "token_id": victims.token_id},
        {"bot": bot, "token_id": unique("guess")},
    )
    caller.compare("AdminService/GetQuota", {"holder": victims.holder}, {"holder": unique("guess")})
    listed = caller.attempt("InvitationService/ListInvitations", ACCEPTED, "NOT_YOURS")
    if listed and victims.invitation in {invitation.id for invitation in listed.invitations}:
        caller.surprises.append("ListInvitations shows an invitation of another organiser")
    for method in ("GetMatch", "WatchMatch"):
        for match_id in (victims.match_in_play, victims.sealed_match):
            caller.attempt(f"MatchService/{method}", "NOT_YOURS", match_id=match_id, seat=0)
    seen = caller.attempt("MatchService/GetMatch", match_id=victims.sealed_match)
    if seen.HasField("state"):
        caller.surprises.append("GetMatch shows the state of a match that is shown after its end")
    caller.attempt("MatchService/GetRecord", "MATCH_NOT_OVER", match_id=victims.sealed_match)


CORRECTION = {"request_id": "g", "match_id": "m", "kind": "CORRECTION_KIND_STRUCK", "message": "mine"}


def act_for_others(caller: HostileCaller, _calls: int) -> None:
    victims = caller.victims
    bot, other, *_ = victims.bots
    entrant = {"bots": [{"bot": bot}]}
    ladder, tournament = {"ladder": victims.ladder}, {"tournament": victims.tournament}
    for method, fields in (
        ("BotService/UpdateBot", {"name": bot, "description": "mine"}),
        ("BotService/UpdateBot", {"name": bot, "consent": bot_pb2.Consent(scope=bot_pb2.CONSENT_SCOPE_ANYONE)}),
        ("BotService/ReinstateBot", {"name": bot}),
        ("BotService/RegisterVersion", {"bot": bot, "version": "9"}),
        ("BotService/RevokeBotToken", {"bot": bot, "token_id": victims.token_id}),
        ("MatchService/AbortMatch", {"match_id": victims.match_in_play, "request_id": "a"}),
        ("MatchService/Resign", {"match_id": victims.match_in_play, "request_id": "b", "seat": 0}),
        ("MatchService/SubmitMove", {"match_id": victims.match_in_play, "request_id": "c", "turn_token": "0.0.1"}),
        ("MatchService/WithdrawBot", {"match_id": victims.sealed_match, "request_id": "f", "bot": bot}),
        ("LadderService/LeaveLadder", ladder | {"entrant": bot}),
        ("LadderService/Challenge", ladder | {"request_id": "d", "entrants": [bot, other]}),
        ("LadderService/StartSeason", ladder | {"request_id": "e"}),
        ("LadderService/PauseLadder", ladder),
        ("LadderService/ResumeLadder", ladder),
        ("LadderService/CloseLadder", ladder),
        ("LadderService/CorrectLadderMatch", ladder | CORRECTION),
        ("TournamentService/WithdrawEntrant", tournament | {"entrant": bot}),
        ("TournamentService/RequestBye", tournament | {"entrant": bot, "round": 1, "kind": 1}),
        ("TournamentService/StartTournament", {"name": victims.tournament}),
        ("TournamentService/CancelTournament", {"name": victims.tournament}),
        ("TournamentService/PairRound", tournament | {"message": "mine"}),
        ("TournamentService/PostponePairing", tournament | {"pairing_id": "1", "until": LATER, "message": "mine"}),
        ("TournamentService/ReopenPairing", tournament | {"pairing_id": "1", "message": "mine"}),
        ("TournamentService/CorrectTournamentMatch", tournament | CORRECTION),
        ("TournamentService/DeclareAbsent", tournament | {"pairing_id": "1", "entrants": [bot], "message": "mine"}),
    ):
        caller.attempt(method, "NOT_YOURS", **fields)
    caller.attempt("LadderService/JoinLadder", "NOT_YOURS", "CONSENT_MISSING", **ladder, entrant=entrant)
    caller.attempt("BotService/RegisterBot", "NAME_TAKEN", request_id=unique("r"), name=bot)
    for secret in ("rf_wrong", victims.used_code):
        caller.attempt("BotService/GetBot", "BAD_TOKEN", secret=secret, name=bot)


def seat_others(caller: HostileCaller, calls: int) -> None:
    """Seat the bots of others under every unfair condition, to have them paused, or to fill their places."""
    victims = caller.victims
    pair = victims.bots[:2]
    for fields in (
        seated(pair),
        seated(pair, ONE_MS),
        seated(pair, UNTIMED),
        seated(pair, seed=bytes(32)),
        seated(pair, opening={"moves": [{"seat": 0, "move": "c2-c3"}]}),
        seated([victims.open_bot, ""], ONE_MS),
        seated([victims.open_bot, ""], UNTIMED),
        seated([victims.open_bot, ""], seed=bytes(32)),
    ):
        caller.attempt("MatchService/CreateMatch", "CONSENT_MISSING", **fields)
    for fields in (seated(pair), seated(pair, ONE_MS)):
        caller.attempt("MatchService/CreateMatch", "NOT_YOURS", **fields, ladder=victims.ladder)
    odds = seated(pair)
    odds["terms"].rules.options["no such option"] = "1"
    caller.attempt("MatchService/CreateMatch", "UNKNOWN_OPTION", **odds)
    for _ in range(3 + calls):
        # Two such matches are taken of each maker; no other bot will ever take their second seats.
        caller.attempt("MatchService/CreateMatch", ACCEPTED, "CONSENT_MISSING", **seated([victims.open_bot, ""]))
    made = caller.attempt("MatchService/CreateMatch", **seated(["", ""], ONE_MS)).match.id
    caller.attempt(
        "MatchService/JoinMatch", "NOT_YOURS", "CONSENT_MISSING", match_id=made, bot=match_pb2.BotRef(bot=pair[0])
    )


def take_names(caller: HostileCaller, _calls: int) -> None:
    """Enter contests under the names of bots of others, which would keep them out."""
    bot = unique("impostor")
    caller.attempt("BotService/RegisterBot", request_id=bot, name=bot)
    entrant = {"name": caller.victims.bots[0], "bots": [{"bot": bot}]}
    caller.attempt("LadderService/JoinLadder", "BAD_FIELD", ladder=caller.victims.ladder, entrant=entrant)
    enter: dict[str, Any] = {"tournament": caller.victims.tournament, "entrant": entrant}
    caller.attempt("TournamentService/EnterTournament", "BAD_FIELD", **enter)


def stall_others(caller: HostileCaller, _calls: int) -> None:
    """Seat the bot that takes matches of anyone against a bot that is connected and never moves."""
    bot = unique("staller")
    registered = caller.attempt("BotService/RegisterBot", request_id=bot, name=bot)
    caller.connect(registered.secret)
    for _ in range(3):
        request = seated([caller.victims.open_bot, bot])
        caller.attempt("MatchService/CreateMatch", ACCEPTED, "CONSENT_MISSING", **request)


def disturb_contests(caller: HostileCaller, calls: int) -> None:
    """Join and leave the ladder again and again, and challenge its members."""
    victims = caller.victims
    bot = unique("nuisance")
    caller.attempt("BotService/RegisterBot", ACCEPTED, *FULL, request_id=bot, name=bot)
    entrant = {"bots": [{"bot": bot}]}
    for _ in range(2 + calls):
        caller.attempt("LadderService/JoinLadder", ladder=victims.ladder, entrant=entrant)
        for victim in victims.bots:
            for expected in (ACCEPTED, ACCEPTED, "TOO_MANY_MATCHES"):
                challenge: dict[str, Any] = {"request_id": unique("c"), "entrants": [bot, victim]}
                caller.attempt("LadderService/Challenge", expected, ladder=victims.ladder, **challenge)
        caller.attempt("LadderService/LeaveLadder", ladder=victims.ladder, entrant=bot)


def fill_contest_logs(caller: HostileCaller, calls: int) -> None:
    """Change the ladder of others, and one of its own, again and again: each change is written to a log."""
    bot, own = unique("looper"), unique("ladder")
    caller.attempt("BotService/RegisterBot", ACCEPTED, *FULL, request_id=bot, name=bot)
    request: dict[str, Any] = {"request_id": own, "name": own, "terms": {"match_terms": [match_terms()]}}
    created = caller.attempt("LadderService/CreateLadder", ACCEPTED, "NOT_YOURS", *FULL, **request)
    for _ in range(5 + calls):
        for ladder in (caller.victims.ladder, own)[: 2 if created else 1]:
            entrant = {"bots": [{"bot": bot}]}
            if caller.attempt("LadderService/JoinLadder", ACCEPTED, *FULL, ladder=ladder, entrant=entrant):
                caller.attempt("LadderService/LeaveLadder", ladder=ladder, entrant=bot)
        if created:
            season = {"ladder": own, "request_id": unique("s")}
            caller.attempt("LadderService/StartSeason", ACCEPTED, *FULL, **season)
            caller.attempt("LadderService/PauseLadder", ACCEPTED, *FULL, ladder=own, message="x" * 200)
            caller.attempt("LadderService/ResumeLadder", ACCEPTED, *FULL, ladder=own)


def create_contests(caller: HostileCaller, calls: int) -> None:
    """Create contests for bots of others, and invite without end; an author can do neither."""
    victims = caller.victims
    entrants = [{"bots": [{"bot": bot}]} for bot in victims.bots]
    unfair = match_terms()
    unfair.time_control.rule.CopyFrom(ONE_MS)
    for terms in (match_terms(), unfair):
        request: dict[str, Any] = {"request_id": unique("t"), "name": unique("cup")}
        request |= {"terms": {"match_terms": terms, "round_robin": {}}, "entrants": entrants}
        caller.attempt("TournamentService/CreateTournament", "NOT_YOURS", "CONSENT_MISSING", **request)
    rated: dict[str, Any] = {"match_terms": match_terms(), "round_robin": {}, "ladder": victims.ladder}
    request = {"request_id": unique("t"), "name": unique("cup"), "terms": rated}
    caller.attempt("TournamentService/CreateTournament", "NOT_YOURS", **request)
    wide = {"max_uses": 300, "expire_time": LATER, "label": "x" * 200}
    for _ in range(3 + calls):
        name = unique("ladder")
        ladder: dict[str, Any] = {"request_id": name, "name": name, "terms": {"match_terms": [match_terms()]}}
        caller.attempt("LadderService/CreateLadder", ACCEPTED, "NOT_YOURS", *FULL, **ladder, title="x" * 200)
        invitation: dict[str, Any] = {"request_id": name} | wide
        caller.attempt("InvitationService/CreateInvitation", ACCEPTED, "NOT_YOURS", *FULL, **invitation)


def exceed_limits(caller: HostileCaller, _calls: int) -> None:
    """Send texts, lists and numbers beyond every limit, and repeat request ids with other bodies."""
    bot = unique("own")
    caller.attempt("BotService/RegisterBot", "BAD_FIELD", request_id=unique("r"), name=bot, description=HUGE)
    caller.attempt("BotService/RegisterBot", "BAD_NAME", "BAD_FIELD", request_id=unique("r"), name=HUGE)
    caller.attempt("BotService/RegisterBot", request_id=bot, name=bot)
    caller.attempt("BotService/RegisterBot", "REQUEST_ID_REUSED", request_id=bot, name=unique("own"))
    caller.attempt("BotService/UpdateBot", "MESSAGE_TOO_LARGE", name=bot, description=BEYOND_A_MESSAGE)
    caller.attempt("BotService/CreateBotToken", "BAD_FIELD", bot=bot, label=HUGE)
    caller.attempt("BotService/RegisterVersion", "BAD_FIELD", bot=bot, version="1", note=HUGE)
    caller.attempt("BotService/ListBots", "BAD_FIELD", page_size=1_000_000)
    caller.attempt("BotService/ListBots", "BAD_PAGE_TOKEN", page_token="guessed")
    many_seats = [match_pb2.BotRef()] * 1000
    caller.attempt("MatchService/CreateMatch", "BAD_FIELD", **seated(["", ""]) | {"seats": many_seats})
    caller.attempt("MatchService/CreateMatch", "BAD_FIELD", **seated(["", ""]), title=HUGE)
    huge_board = seated(["", ""])
    huge_board["terms"].rules.CopyFrom(LARGE)
    huge_board["terms"].rules.options["own_board"] = HUGE
    caller.attempt("MatchService/CreateMatch", "BAD_FIELD", "BAD_OPTION", **huge_board)
    first = seated([bot, ""])
    caller.attempt("MatchService/CreateMatch", ACCEPTED, *FULL, **first)
    caller.attempt("MatchService/CreateMatch", "REQUEST_ID_REUSED", *FULL, **first | {"title": "another"})


def fill_the_disk(caller: HostileCaller, calls: int) -> None:
    """Store as much as possible in bots, versions, tokens and matches, up to and beyond every quota."""
    for _ in range(12 + calls):
        name = unique("filler")
        request = {"request_id": name, "name": name, "description": "x" * 1000}
        caller.own_bots += [name] * bool(caller.attempt("BotService/RegisterBot", ACCEPTED, *FULL, **request))
    own = caller.own_bots[-1]
    for _ in range(12 + calls):
        caller.attempt(
            "BotService/RegisterVersion", ACCEPTED, *FULL, bot=own, version=f"v{next(NUMBERS)}", note="x" * 1000
        )
        made = caller.attempt("BotService/CreateBotToken", ACCEPTED, *FULL, bot=own, label="x" * 200)
        if made:
            caller.attempt("BotService/RevokeBotToken", bot=own, token_id=made.token.id)
        large = seated(["", ""])
        large["terms"].rules.CopyFrom(LARGE)
        caller.attempt("MatchService/CreateMatch", ACCEPTED, *FULL, **large, title="x" * 100)


def flood_calls(caller: HostileCaller, calls: int) -> None:
    caller.flood(200 + 10 * calls, "BotService/ListBots", ACCEPTED, page_size=1000)
    caller.flood(100 + 10 * calls, "MatchService/ListMatches", ACCEPTED, page_size=1000)
    caller.flood(100 + 10 * calls, "LadderService/ListLadderStandings", ACCEPTED, ladder=caller.victims.ladder)
    caller.flood(100 + 10 * calls, "MatchService/GetMatch", ACCEPTED, match_id=caller.victims.match_in_play)


def watch_without_reading(caller: HostileCaller, calls: int) -> None:
    """Open watches beyond the limit, with a flow control window of zero, and make no use of them."""
    message = match_service_pb2.WatchMatchRequest(
        match_id=caller.victims.match_in_play, after_number=0, include_view=True
    ).SerializeToString()
    with ExitStack() as stack:
        for _ in range(1 + calls // 10):
            connection = http2.RawConnection(caller.address, http2.NO_WINDOW)
            stack.callback(connection.close)
            with suppress(OSError):  # The server may close the connection.
                for _ in range(UNREAD_WATCHES):
                    connection.start_call(WATCH_PATH, caller.secret, message)
        flood_calls(caller, calls)


def loop_as_a_bot(caller: HostileCaller, calls: int) -> None:
    """Call without end with the token of a bot, as a faulty one does."""
    for method in ("MatchService/ListTurns", "BotService/ListBots", "MatchService/ListMatches"):
        caller.flood(200 + 10 * calls, method, ACCEPTED)


def call_without_a_token(caller: HostileCaller, calls: int) -> None:
    for method in METHODS:
        if method not in ("PlayService/Play", "InvitationService/RedeemInvitation"):
            caller.attempt(method, "NO_TOKEN")
            caller.attempt(method, "BAD_TOKEN", secret="rf_guessed")
    caller.flood(200 + 10 * calls, "BotService/GetBot", "NO_TOKEN", name=caller.victims.bots[0])


def guess_codes(caller: HostileCaller, calls: int) -> None:
    redeem, victims = "InvitationService/RedeemInvitation", caller.victims
    for holder in (victims.holder, victims.organiser, unique("stranger")):
        caller.attempt(redeem, "BAD_INVITATION", request_id="g", code="guessed", holder=holder)
    used = {"code": victims.used_code, "holder": unique("stranger"), "request_id": unique("g")}
    caller.attempt(redeem, "BAD_INVITATION", **used)
    caller.attempt(redeem, "BAD_FIELD", code=HUGE, holder="h", request_id="g")
    caller.flood(100 + calls, redeem, "BAD_INVITATION", request_id="g", code="guessed", holder="h")


def seated(
    bots: list[str], rule: clock_pb2.ClockRule = HOUR, start_timeout_ms: int = 3_600_000, **more: Any
) -> dict[str, Any]:
    """Return the fields of a request for an alquerque match of these bots; an empty name is an open seat."""
    terms = match_terms()
    terms.time_control.rule.CopyFrom(rule)
    terms.start_timeout_ms = start_timeout_ms
    return {"request_id": unique("m"), "terms": terms, "seats": [match_pb2.BotRef(bot=bot) for bot in bots]} | more


ATTACKS: dict[str, tuple[Attack, ...]] = {
    "spy": (read_private_data, act_for_others, take_names),
    "starver": (stall_others, seat_others, disturb_contests),
    "filler": (fill_contest_logs, exceed_limits, create_contests, fill_the_disk),
    "flooder": (flood_calls, watch_without_reading),
    "looper": (loop_as_a_bot,),
    "stranger": (guess_codes, call_without_a_token),
}
"""Attacks by the name of the attacker that makes them one after the other."""
