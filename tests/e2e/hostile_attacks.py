"""What hostile callers try: reading private data, acting for others, pausing, starving, filling the disk, flooding.

    python -m tests.e2e.hostile_attacks ADDRESS [--calls N]

Each attacker runs in a thread of its own, with its own token. Standard input is one JSON object: `victims`, and
`attackers`, from the name of an attacker to a token. Standard output is one JSON object: the number of answers by
reason, and the calls that were not answered as they should be.
"""

import argparse
import json
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from itertools import count
from typing import Any

import grpc
from referee_api.v1 import clock_pb2, match_service_pb2

from tests.e2e import http2
from tests.e2e.bot_connection import BotConnection
from tests.e2e.call_errors import parse_error
from tests.e2e.contests import match_terms
from tests.e2e.organiser import METHODS, ONE_MS, UNTIMED, call_method
from tests.e2e.test_match_creation import LARGE
from tests.e2e.test_permissions import LATER, calls_for_others

ACCEPTED = ""
"""Expected answer of a call that succeeds."""
SHED = ("TOO_MANY_CALLS", "TOO_MANY_CALLS_IN_FLIGHT", "TOO_MANY_STREAMS")
"""Answers of a server that is called too often."""
FULL = ("TOO_MANY_NAMES", "TOO_MANY_MATCHES", "TOO_MUCH_STORED")
MAX_SHOWN_CHARS = 200
HUGE = "x" * 100_000
NUMBERS = count(1)
UNREAD_WATCHES = 150
WATCH_PATH = "/referee_api.v1.MatchService/WatchMatch"


@dataclass(frozen=True, slots=True)
class Victims:
    """What the hostile caller knows of others, all of which is public or guessed."""

    holder: str = ""
    organiser: str = ""
    bots: tuple[str, ...] = ()
    """Bots with the default consent, all in play."""
    open_bot: str = ""
    """Bot that takes matches of anyone."""
    contest: str = ""
    """Name of a ladder, and of a tournament."""
    match_in_play: str = ""
    sealed_match: str = ""
    """Match that spectators see only after its end."""
    invitation: str = ""
    used_code: str = ""
    token_id: str = ""


class HostileCaller:
    """One token, or none, on a connection of its own. It records the calls that are not answered as expected."""

    def __init__(self, address: str, secret: str, victims: Victims) -> None:
        self.address = address
        self.secret = secret
        self.victims = victims
        self.own_bots: list[str] = []
        self.answers: Counter[str] = Counter()
        """Number of answers by reason."""
        self.surprises: list[str] = []
        """Calls that were not answered as expected."""
        self._channel = grpc.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])
        self._connections: list[BotConnection] = []

    def close(self) -> None:
        for connection in self._connections:
            connection.abort()
        self._channel.close()

    def connect(self, secret: str) -> None:
        """Connect a bot that answers nothing."""
        self._connections.append(BotConnection(self._channel, secret))

    def attempt(self, method: str, *expected: str, secret: str | None = None, **fields: Any) -> Any:
        """Make a call as often as is needed for it to be considered; return its answer or None."""
        while True:
            reason, answer, retry_after_ms = self._call(method, secret or self.secret, fields)
            if retry_after_ms is None:
                self._check(method, reason, expected, fields)
                return answer
            threading.Event().wait(retry_after_ms / 1000)

    def attempt_new(self, method: str, *expected: str, name: str = "", **fields: Any) -> Any:
        """Make a call that creates something, with a request id of its own."""
        return self.attempt(method, *expected, request_id=unique("r"), **({"name": name} if name else {}), **fields)

    def register(self, what: str, *expected: str) -> str:
        """Register a bot, and return its name."""
        name = unique(what)
        registered = self.attempt_new("BotService/RegisterBot", *expected, name=name)
        self.own_bots += [name] * bool(registered)
        return name

    def flood(self, times: int, method: str, *expected: str, **fields: Any) -> None:
        """Make a call many times without a pause."""
        for _ in range(times):
            reason, _, _ = self._call(method, self.secret, fields)
            self._check(method, reason, (*expected, *SHED), fields)

    def compare(self, method: str, field: str, real: str, **fields: str) -> None:
        """Record a surprise unless a real and a guessed value are answered by the same error, but for the value."""
        sentences = []
        for value in (real, unique("guess")):
            try:
                call_method(self._channel, method, self.secret or None, **fields, **{field: value})
                sentences.append(ACCEPTED)
            except grpc.RpcError as error:
                known = parse_error(error)
                self.answers[known.reason] += 1
                sentences.append(f"{known.reason}: {known.sentence}".replace(value, "NAME"))
        if sentences[0] != sentences[1] and "TOO_MANY_CALLS" not in "".join(sentences):
            self.surprises.append(f"{method} tells a real {field} apart: {sentences}")

    def _call(self, method: str, secret: str, fields: dict[str, Any]) -> tuple[str, Any, int | None]:
        """Return the reason of the error, the answer, and the time to wait if the caller calls too often."""
        try:
            answer = call_method(self._channel, method, secret or None, **fields)
            if METHODS[method].server_streaming:  # Its first message shows whether it is accepted.
                call, answer = answer, next(answer)
                call.cancel()
        except grpc.RpcError as error:
            known = parse_error(error)
            self.answers[known.reason] += 1
            waits = known.metadata.get("retry_after_ms") if known.reason == "TOO_MANY_CALLS" else None
            return known.reason, None, int(waits) if waits else None
        self.answers["accepted"] += 1
        return ACCEPTED, answer, None

    def _check(self, method: str, reason: str, expected: tuple[str, ...], fields: dict[str, Any]) -> None:
        if reason not in (expected or (ACCEPTED,)):
            shown = " ".join(str(fields).split())[:MAX_SHOWN_CHARS]
            wanted = " or ".join(expected) or "accepted"
            self.surprises.append(f"{method} {shown}: {reason or 'accepted'}, not {wanted}")


Attack = Callable[[HostileCaller, int], None]
"""Receives the number of calls that it may make beyond those of one round."""


def unique(what: str) -> str:
    """Return a name that no other process uses."""
    return f"{what}-{os.getpid()}-{next(NUMBERS)}"


def seated(*bots: str, rule: clock_pb2.ClockRule | None = None, **more: Any) -> dict[str, Any]:
    """Return the fields of a request for an alquerque match of these bots; an empty name is an open seat."""
    terms = match_terms()
    if rule:
        terms.time_control.rule.CopyFrom(rule)
    terms.start_timeout_ms = 3_600_000
    return {"request_id": unique("m"), "terms": terms, "seats": [{"bot": bot} for bot in bots]} | more


def entrant_of(bot: str, **name: str) -> dict[str, Any]:
    return {"entrant": {"bots": [{"bot": bot}]} | name}


LADDER_TERMS = {"match_terms": [match_terms()]}


def read_private_data(caller: HostileCaller, _calls: int) -> None:
    victims = caller.victims
    for method in (name for name in METHODS if name.startswith("AdminService/")):
        caller.attempt(method, "NOT_YOURS")
    for method in ("InvitationService/ListRedemptions", "InvitationService/RevokeInvitation"):
        caller.attempt(method, "NOT_YOURS", "NO_SUCH_INVITATION", invitation_id=victims.invitation)
        caller.compare(method, "invitation_id", victims.invitation)
    caller.attempt("BotService/UpdateBot", "MESSAGE_TOO_LARGE", name=victims.bots[0], description=20 * HUGE)
    caller.compare("BotService/RevokeBotToken", "token_id", victims.token_id, bot=victims.bots[0])
    caller.compare("AdminService/GetQuota", "holder", victims.holder)
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


def act_for_others(caller: HostileCaller, _calls: int) -> None:
    """Make all calls that only others may make, and enter contests with their bots or under their names."""
    victims = caller.victims
    bot, contest = victims.bots[0], victims.contest
    for method, fields in calls_for_others(victims.bots, contest, victims.match_in_play, victims.token_id):
        caller.attempt(method, "NOT_YOURS", **fields)
    caller.attempt("LadderService/JoinLadder", "NOT_YOURS", "CONSENT_MISSING", ladder=contest, **entrant_of(bot))
    caller.attempt_new("BotService/RegisterBot", "NAME_TAKEN", name=bot)
    for secret in ("rf_wrong", victims.used_code):
        caller.attempt("BotService/GetBot", "BAD_TOKEN", secret=secret, name=bot)
    impostor = entrant_of(caller.register("impostor"), name=bot)
    caller.attempt("LadderService/JoinLadder", "BAD_FIELD", ladder=contest, **impostor)
    caller.attempt("TournamentService/EnterTournament", "BAD_FIELD", tournament=contest, **impostor)


def seat_others(caller: HostileCaller, calls: int) -> None:
    """Seat the bots of others under every unfair condition, to have them paused, or to fill their places."""
    create, open_bot, pair = "MatchService/CreateMatch", caller.victims.open_bot, caller.victims.bots[:2]
    for fields in (
        seated(*pair),
        seated(*pair, rule=ONE_MS),
        seated(*pair, rule=UNTIMED),
        seated(*pair, seed=bytes(32)),
        seated(*pair, opening={"moves": [{"seat": 0, "move": "c2-c3"}]}),
        seated(open_bot, "", rule=ONE_MS),
        seated(open_bot, "", rule=UNTIMED),
        seated(open_bot, "", seed=bytes(32)),
    ):
        caller.attempt(create, "CONSENT_MISSING", **fields)
    for _ in range(3 + calls):
        # Two such matches are taken of each maker; no other bot will ever take their second seats.
        caller.attempt(create, ACCEPTED, "CONSENT_MISSING", **seated(open_bot, ""))
    made = caller.attempt(create, **seated("", "", rule=ONE_MS)).match.id
    caller.attempt("MatchService/JoinMatch", "NOT_YOURS", "CONSENT_MISSING", match_id=made, bot={"bot": pair[0]})


def stall_others(caller: HostileCaller, _calls: int) -> None:
    """Seat the bot that takes matches of anyone against a bot that is connected and never moves."""
    staller = unique("staller")
    caller.connect(caller.attempt_new("BotService/RegisterBot", name=staller).secret)
    for _ in range(3):
        request = seated(caller.victims.open_bot, staller)
        caller.attempt("MatchService/CreateMatch", ACCEPTED, "CONSENT_MISSING", **request)


def disturb_contests(caller: HostileCaller, calls: int) -> None:
    """Join and leave the ladder again and again, and challenge its members."""
    bot, ladder = caller.register("nuisance", ACCEPTED, *FULL), caller.victims.contest
    for _ in range(2 + calls):
        caller.attempt("LadderService/JoinLadder", ladder=ladder, **entrant_of(bot))
        for victim in caller.victims.bots:
            for expected in (ACCEPTED, ACCEPTED, "TOO_MANY_MATCHES"):
                caller.attempt_new("LadderService/Challenge", expected, ladder=ladder, entrants=[bot, victim])
        caller.attempt("LadderService/LeaveLadder", ladder=ladder, entrant=bot)


def fill_contest_logs(caller: HostileCaller, calls: int) -> None:
    """Change the ladder of others, and one of its own, again and again: each change is written to a log."""
    bot, own = caller.register("looper", ACCEPTED, *FULL), unique("ladder")
    may_create = (ACCEPTED, "NOT_YOURS", *FULL)
    created = caller.attempt_new("LadderService/CreateLadder", *may_create, name=own, terms=LADDER_TERMS)
    for _ in range(5 + calls):
        for ladder in (caller.victims.contest, own)[: 2 if created else 1]:
            if caller.attempt("LadderService/JoinLadder", ACCEPTED, *FULL, ladder=ladder, **entrant_of(bot)):
                caller.attempt("LadderService/LeaveLadder", ladder=ladder, entrant=bot)
        if created:
            caller.attempt_new("LadderService/StartSeason", ACCEPTED, *FULL, ladder=own)
            caller.attempt("LadderService/PauseLadder", ACCEPTED, *FULL, ladder=own, message="x" * 200)
            caller.attempt("LadderService/ResumeLadder", ACCEPTED, *FULL, ladder=own)


def create_contests(caller: HostileCaller, calls: int) -> None:
    """Create contests for bots of others, and invite without end; an author can do neither."""
    victims, create = caller.victims, "TournamentService/CreateTournament"
    terms = {"match_terms": match_terms(), "round_robin": {}}
    entrants = [{"bots": [{"bot": bot}]} for bot in victims.bots]
    caller.attempt_new(create, "NOT_YOURS", "CONSENT_MISSING", name=unique("cup"), terms=terms, entrants=entrants)
    caller.attempt_new(create, "NOT_YOURS", name=unique("cup"), terms=terms | {"ladder": victims.contest})
    may_create = (ACCEPTED, "NOT_YOURS", *FULL)
    wide: dict[str, Any] = {"max_uses": 300, "expire_time": LATER, "label": "x" * 200}
    for _ in range(3 + calls):
        ladder: dict[str, Any] = {"name": unique("ladder"), "terms": LADDER_TERMS, "title": "x" * 200}
        caller.attempt_new("LadderService/CreateLadder", *may_create, **ladder)
        caller.attempt_new("InvitationService/CreateInvitation", *may_create, **wide)


def fill_the_disk(caller: HostileCaller, calls: int) -> None:
    """Store as much as possible in bots, versions, tokens and matches, up to and beyond every quota."""
    for _ in range(12 + calls):
        request = {"request_id": unique("r"), "name": unique("filler"), "description": "x" * 1000}
        if caller.attempt("BotService/RegisterBot", ACCEPTED, *FULL, **request):
            caller.own_bots.append(request["name"])
    own = {"bot": caller.own_bots[-1]}
    for _ in range(12 + calls):
        version = {"version": f"v{next(NUMBERS)}", "note": "x" * 1000}
        caller.attempt("BotService/RegisterVersion", ACCEPTED, *FULL, **own, **version)
        made = caller.attempt("BotService/CreateBotToken", ACCEPTED, *FULL, **own, label="x" * 200)
        if made:
            caller.attempt("BotService/RevokeBotToken", **own, token_id=made.token.id)
        large = seated("", "", title="x" * 100)
        large["terms"].rules.CopyFrom(LARGE)
        caller.attempt("MatchService/CreateMatch", ACCEPTED, *FULL, **large)


def flood_calls(caller: HostileCaller, calls: int) -> None:
    caller.flood(200 + 10 * calls, "BotService/ListBots", ACCEPTED, page_size=1000)
    caller.flood(100 + 10 * calls, "MatchService/ListMatches", ACCEPTED, page_size=1000)
    caller.flood(100 + 10 * calls, "LadderService/ListLadderStandings", ACCEPTED, ladder=caller.victims.contest)
    caller.flood(100 + 10 * calls, "MatchService/GetMatch", ACCEPTED, match_id=caller.victims.match_in_play)


def watch_without_reading(caller: HostileCaller, calls: int) -> None:
    """Open watches beyond the limit, with a flow control window of zero, and make no use of them."""
    watch = match_service_pb2.WatchMatchRequest(match_id=caller.victims.match_in_play, after_number=0)
    watch.include_view = True
    with ExitStack() as stack:
        for _ in range(1 + calls // 10):
            connection = http2.RawConnection(caller.address, http2.NO_WINDOW)
            stack.callback(connection.close)
            with suppress(OSError):  # The server may close the connection.
                for _ in range(UNREAD_WATCHES):
                    connection.start_call(WATCH_PATH, caller.secret, watch.SerializeToString())
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
        caller.attempt_new(redeem, "BAD_INVITATION", code="guessed", holder=holder)
    caller.attempt_new(redeem, "BAD_INVITATION", code=victims.used_code, holder=unique("stranger"))
    caller.attempt_new(redeem, "BAD_FIELD", code=HUGE, holder="h")
    caller.flood(100 + calls, redeem, "BAD_INVITATION", request_id="g", code="guessed", holder="h")


ATTACKS: dict[str, tuple[Attack, ...]] = {
    "spy": (read_private_data, act_for_others),
    "starver": (stall_others, seat_others, disturb_contests),
    "filler": (fill_contest_logs, create_contests, fill_the_disk),
    "flooder": (flood_calls, watch_without_reading),
    "looper": (loop_as_a_bot,),
    "stranger": (guess_codes, call_without_a_token),
}
"""Attacks by the name of the attacker that makes them one after the other."""


def run_attacks(caller: HostileCaller, name: str, calls: int) -> HostileCaller:
    with closing(caller):
        for attack in ATTACKS[name]:
            attack(caller, calls)
    return caller


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("--calls", type=int, default=0)
    arguments = parser.parse_args()
    given = json.load(sys.stdin)
    victims = Victims(**given["victims"])
    with ThreadPoolExecutor(len(given["attackers"])) as pool:
        running = [
            pool.submit(run_attacks, HostileCaller(arguments.address, secret, victims), name, arguments.calls)
            for name, secret in given["attackers"].items()
        ]
        callers = [future.result() for future in running]
    answers = sum((caller.answers for caller in callers), Counter[str]())
    surprises = [surprise for caller in callers for surprise in caller.surprises]
    json.dump({"answers": answers, "surprises": surprises}, sys.stdout)
