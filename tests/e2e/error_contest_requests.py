"""Ways to cause each error of ladders and tournaments. Each runs with a new organiser, who has no contests yet."""

from collections.abc import Callable
from typing import Any

from tests.e2e.contests import (
    call_for_ladder,
    call_for_tournament,
    create_ladder,
    create_tournament,
    entrants_of,
    join_ladder,
    start_tournament,
)
from tests.e2e.organiser import Organiser, call_method
from tests.e2e.server import register_bots

ErrorCause = Callable[[Organiser], Any]


def after_setup(*calls: ErrorCause) -> ErrorCause:
    """Return the function that makes these calls; the last one causes the error."""

    def cause(organiser: Organiser) -> None:
        for call in calls:
            call(organiser)

    return cause


def enter(organiser: Organiser, **entrant: Any) -> Any:
    entrant = {"bots": [{"bot": organiser.bots[0]}]} | entrant
    return call_for_tournament(organiser, "EnterTournament", entrant=entrant)


def close_ladder(organiser: Organiser) -> Any:
    return call_for_ladder(organiser, "CloseLadder")


def cancel_tournament(organiser: Organiser) -> Any:
    return organiser.call("TournamentService/CancelTournament", name=organiser.name)


def enter_third_bot(organiser: Organiser) -> Any:
    name = f"{organiser.name}-third"
    organiser.call("BotService/RegisterBot", request_id="a third", name=name)
    return enter(organiser, bots=[{"bot": name}])


def challenge_between_bots_of_one_author(organiser: Organiser) -> Any:
    author, ladder = f"{organiser.name}-author", organiser.name
    created = organiser.call_as_admin("AdminService/CreateToken", role="ROLE_AUTHOR", holder=author)
    bots = [f"{author}-{number}" for number in (1, 2)]
    create_ladder(organiser)
    for secret in register_bots(organiser.channel, created.secret, *bots):
        call_method(organiser.channel, "LadderService/JoinLadder", secret, ladder=ladder)
    return call_for_ladder(organiser, "Challenge", request_id="a challenge", entrants=bots)


def start_swiss(organiser: Organiser) -> Any:
    return start_tournament(organiser, swiss={"rounds": 1})


def request_bye(organiser: Organiser) -> Any:
    bye = {"entrant": organiser.bots[0], "round": 1, "kind": "BYE_KIND_HALF_POINT"}
    return call_for_tournament(organiser, "RequestBye", **bye)


def reopen_pairing(pairing_id: str) -> ErrorCause:
    fields = {"pairing_id": pairing_id, "message": "by staff"}
    return lambda organiser: call_for_tournament(organiser, "ReopenPairing", **fields)


CONTEST_ERRORS: dict[str, ErrorCause] = {
    "NO_SUCH_LADDER": close_ladder,
    "LADDER_CLOSED": after_setup(create_ladder, close_ladder, lambda organiser: join_ladder(organiser, 0)),
    "NOT_A_MEMBER": after_setup(
        create_ladder, lambda organiser: call_for_ladder(organiser, "LeaveLadder", entrant=organiser.bots[0])
    ),
    "SAME_OWNER": challenge_between_bots_of_one_author,
    "CONTEST_NOT_OVER": after_setup(
        create_ladder, lambda organiser: list(call_for_ladder(organiser, "GetLadderRecord"))
    ),
    "NO_SUCH_TOURNAMENT": cancel_tournament,
    "TOURNAMENT_NOT_STARTED": after_setup(
        create_tournament, lambda organiser: call_for_tournament(organiser, "GetTournamentStandings")
    ),
    "TOURNAMENT_STARTED": after_setup(start_tournament, enter_third_bot),
    "TOURNAMENT_OVER": after_setup(create_tournament, cancel_tournament, enter),
    "ENTRIES_CLOSED": after_setup(
        lambda organiser: create_tournament(organiser, round_robin={}, entries_close_at={"seconds": 1}), enter
    ),
    "ALREADY_IN": after_setup(create_tournament, enter, lambda organiser: enter(organiser, name="again")),
    "NOT_AN_ENTRANT": after_setup(
        create_tournament, lambda organiser: call_for_tournament(organiser, "WithdrawEntrant", entrant="x")
    ),
    "WRONG_ENTRANT_COUNT": after_setup(
        lambda organiser: create_tournament(organiser, entrants=entrants_of(organiser), sprt={"elo1": 10}),
        enter_third_bot,
    ),
    "BYE_NOT_POSSIBLE": after_setup(start_swiss, request_bye),
    "NO_SUCH_PAIRING": after_setup(start_tournament, reopen_pairing("9.9")),
    "PAIRING_NOT_CHANGEABLE": after_setup(start_tournament, reopen_pairing("1.1")),
    "NOT_EXPORTABLE": after_setup(
        lambda organiser: start_tournament(organiser, elimination={}),
        lambda organiser: call_for_tournament(organiser, "ExportTournament", format="EXPORT_FORMAT_TRF"),
    ),
}
"""Functions by reason: each raises a grpc.RpcError with this reason."""
