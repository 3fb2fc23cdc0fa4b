"""What organisers do with their tournaments, ladders and invitations."""

from collections.abc import Callable
from typing import cast

from google.protobuf.message import Message
from referee_api.v1 import (
    contest_pb2,
    invitation_service_pb2,
    ladder_service_pb2,
    tournament_service_pb2,
)

from referee.site.account.account_action import (
    Action,
    by_name,
    confirmation_time,
    ladder_subject,
    match_subject,
    page_address,
    pairing_subject,
    tournament_subject,
    unary,
)
from referee.site.account.account_session import Account
from referee.site.account.form_fields import Values, days_after, read_pairings, read_time
from referee.site.visitors import ACCOUNT


def _tournament_page(values: Values) -> str:
    return page_address("tournaments", values["tournament"])


def _pairing_page(values: Values) -> str:
    return page_address("tournaments", values["tournament"], "pairings", values["pairing"])


def _ladder_page(values: Values) -> str:
    return page_address("ladders", values["ladder"])


START = Action(
    "start-tournament",
    "Start the tournament",
    lambda it: f"The tournament {it['tournament']} starts: its entrants are paired, and the first matches begin.",
    lambda it: f"The tournament {it['tournament']} has started.",
    unary(lambda it: tournament_service_pb2.StartTournamentRequest(name=it["tournament"])),
    _tournament_page,
    required=("tournament",),
    subject=tournament_subject,
)
CANCEL = Action(
    "cancel-tournament",
    "Cancel the tournament",
    lambda it: f"The tournament {it['tournament']} is cancelled for good, and its matches in play become void.",
    lambda it: f"The tournament {it['tournament']} is cancelled.",
    unary(
        lambda it: tournament_service_pb2.CancelTournamentRequest(name=it["tournament"], message=it.get("message", ""))
    ),
    _tournament_page,
    required=("tournament",),
    optional=("message",),
    subject=tournament_subject,
)
REMOVE = Action(
    "withdraw-entrant",
    "Withdraw an entrant",
    lambda it: (
        f"{it['entrant']} is withdrawn from the tournament {it['tournament']}: its results are kept, its matches in"
        " play go on, and it is not paired again."
    ),
    lambda it: f"{it['entrant']} is withdrawn from the tournament {it['tournament']}.",
    unary(
        lambda it: tournament_service_pb2.WithdrawEntrantRequest(
            tournament=it["tournament"], entrant=it["entrant"], message=it.get("message", "")
        )
    ),
    _tournament_page,
    required=("tournament", "entrant"),
    optional=("message",),
    subject=tournament_subject,
    done_before=frozenset({"NOT_AN_ENTRANT"}),
)
POSTPONE = Action(
    "postpone-pairing",
    "Postpone the pairing",
    lambda it: (
        f"The next match of the pairing {it['pairing']} starts no earlier than {it['until'].replace('T', ' ')} UTC."
    ),
    lambda it: f"The pairing {it['pairing']} is postponed.",
    unary(
        lambda it: tournament_service_pb2.PostponePairingRequest(
            tournament=it["tournament"],
            pairing_id=it["pairing"],
            until=read_time(it["until"]),
            message=it["message"],
        )
    ),
    _pairing_page,
    required=("tournament", "pairing", "until", "message"),
    subject=pairing_subject,
)
ABSENT = Action(
    "declare-absent",
    "Declare absent",
    lambda it: f"{it['entrants'].replace(',', ' and ')}: the pairing {it['pairing']} is lost by absence, at once.",
    lambda it: f"{it['entrants'].replace(',', ' and ')}: lost by absence.",
    unary(
        lambda it: tournament_service_pb2.DeclareAbsentRequest(
            tournament=it["tournament"],
            pairing_id=it["pairing"],
            entrants=it["entrants"].split(","),
            message=it["message"],
        )
    ),
    _pairing_page,
    required=("tournament", "pairing", "entrants", "message"),
    subject=pairing_subject,
)
REOPEN = Action(
    "reopen-pairing",
    "Play it again",
    lambda it: f"The result of the pairing {it['pairing']} is set aside, and it is played again.",
    lambda it: f"The pairing {it['pairing']} is played again.",
    unary(
        lambda it: tournament_service_pb2.ReopenPairingRequest(
            tournament=it["tournament"], pairing_id=it["pairing"], message=it["message"]
        )
    ),
    _pairing_page,
    required=("tournament", "pairing", "message"),
    subject=pairing_subject,
)
PAUSE = Action(
    "pause-ladder",
    "Pause the ladder",
    lambda it: f"The ladder {it['ladder']} starts no matches until it is resumed; those in play go on and are rated.",
    lambda it: f"The ladder {it['ladder']} is paused.",
    unary(lambda it: ladder_service_pb2.PauseLadderRequest(ladder=it["ladder"], message=it.get("message", ""))),
    _ladder_page,
    required=("ladder",),
    optional=("message",),
    subject=ladder_subject,
)
RESUME = Action(
    "resume-ladder",
    "Resume the ladder",
    lambda it: f"The ladder {it['ladder']} starts matches again.",
    lambda it: f"The ladder {it['ladder']} is resumed.",
    unary(lambda it: ladder_service_pb2.ResumeLadderRequest(ladder=it["ladder"])),
    _ladder_page,
    required=("ladder",),
    subject=ladder_subject,
)
PAIR_ROUND = Action(
    "pair-round",
    "Pair the round by hand",
    lambda it: (
        f"What has not begun of round {it['round']} of the tournament {it['tournament']} is replaced by these pairings:"
        f" {_pairs_text(it)}."
    ),
    lambda it: f"Round {it['round']} is paired: {_pairs_text(it)}.",
    unary(
        lambda it: tournament_service_pb2.PairRoundRequest(
            tournament=it["tournament"],
            round=int(it["round"]),
            pairings=[tournament_service_pb2.HandPairing(entrants=pair) for pair in read_pairings(it["pairings"])],
            message=it["message"],
        )
    ),
    _tournament_page,
    required=("tournament", "round", "pairings", "message"),
    subject=tournament_subject,
)
START_SEASON = Action(
    "start-season",
    "Start a new season",
    lambda it: f"A new season of the ladder {it['ladder']} starts: the ratings of all its entrants begin again.",
    lambda it: f"A new season of the ladder {it['ladder']} has started.",
    unary(lambda it: ladder_service_pb2.StartSeasonRequest(ladder=it["ladder"])),
    _ladder_page,
    required=("ladder",),
    subject=ladder_subject,
)
CLOSE = Action(
    "close-ladder",
    "Close the ladder",
    lambda it: f"The ladder {it['ladder']} is closed for good; matches in play go on and are rated.",
    lambda it: f"The ladder {it['ladder']} is closed.",
    unary(lambda it: ladder_service_pb2.CloseLadderRequest(ladder=it["ladder"], message=it.get("message", ""))),
    _ladder_page,
    required=("ladder",),
    optional=("message",),
    subject=ladder_subject,
)


def _pairs_text(values: Values) -> str:
    return "; ".join(
        " – ".join(pair) if len(pair) > 1 else f"{pair[0]} has a bye" for pair in read_pairings(values["pairings"])
    )


CORRECTIONS = {
    contest_pb2.CORRECTION_KIND_STRUCK: ("strike", "Strike the match", "does not count, and is not played again"),
    contest_pb2.CORRECTION_KIND_CORRECTED: ("correct", "Correct the result", "counts with another result"),
    contest_pb2.CORRECTION_KIND_RESTORED: ("restore", "Restore the result", "counts as it was played"),
}


def _tournament_correction(kind: contest_pb2.CorrectionKind.ValueType) -> Action:
    verb, button, sentence = CORRECTIONS[kind]

    def request(values: Values) -> Message:
        return tournament_service_pb2.CorrectTournamentMatchRequest(
            tournament=values["tournament"],
            match_id=values["match"],
            kind=kind,
            ranks=_ranks(values),
            message=values["message"],
        )

    fields = ("tournament", "pairing", "match", *_ranks_field(kind), "message")
    return _correction(f"{verb}-tournament-match", button, sentence, request, _pairing_page, fields)


def _ladder_correction(kind: contest_pb2.CorrectionKind.ValueType) -> Action:
    verb, button, sentence = CORRECTIONS[kind]

    def request(values: Values) -> Message:
        return ladder_service_pb2.CorrectLadderMatchRequest(
            ladder=values["ladder"],
            match_id=values["match"],
            kind=kind,
            ranks=_ranks(values),
            message=values["message"],
        )

    fields = ("ladder", "match", *_ranks_field(kind), "message")
    sentence = f"{sentence}, and the ratings are computed again"
    return _correction(f"{verb}-ladder-match", button, sentence, request, _ladder_page, fields)


def _correction(
    name: str,
    button: str,
    sentence: str,
    request: Callable[[Values], Message],
    back: Callable[[Values], str],
    fields: tuple[str, ...],
) -> Action:
    def ranks(values: Values) -> str:
        return f", ranks {values['ranks']}" if "ranks" in values else ""

    return Action(
        name,
        button,
        lambda it: f"The match {it['match']} {sentence}{ranks(it)}.",
        lambda it: f"The match {it['match']} {sentence}{ranks(it)}.",
        unary(request),
        back,
        required=fields,
        subject=match_subject,
    )


def _ranks_field(kind: contest_pb2.CorrectionKind.ValueType) -> tuple[str, ...]:
    return ("ranks",) if kind == contest_pb2.CORRECTION_KIND_CORRECTED else ()


def _ranks(values: Values) -> list[int]:
    return [int(rank) for rank in values["ranks"].split(",")] if "ranks" in values else []


TOURNAMENT_CORRECTIONS = tuple(_tournament_correction(kind) for kind in CORRECTIONS)
LADDER_CORRECTIONS = tuple(_ladder_correction(kind) for kind in CORRECTIONS)


async def _invite(account: Account, values: Values, request_id: str) -> Message:
    return await account.call(
        invitation_service_pb2.CreateInvitationRequest(
            request_id=request_id,
            max_uses=int(values["uses"]),
            expire_time=days_after(confirmation_time(request_id), values["days"]),
            label=values.get("label", ""),
        )
    )


def _authors(values: Values) -> str:
    return "1 author" if values["uses"] == "1" else f"{values['uses']} authors"


INVITE = Action(
    "create-invitation",
    "Create an invitation",
    lambda it: (
        f"An invitation for {_authors(it)} is created, which expires after {it['days']} days. Its code is shown once,"
        " on the next page: whoever has it can register bots here."
    ),
    lambda it: f"An invitation for {_authors(it)} was created.",
    _invite,
    lambda _: ACCOUNT,
    required=("uses", "days"),
    optional=("label",),
    secret=lambda answer: cast(invitation_service_pb2.CreateInvitationResponse, answer).code,
)
REVOKE_INVITATION = Action(
    "revoke-invitation",
    "Revoke the invitation",
    lambda it: f"Nobody can redeem the invitation {it['invitation']} any more. Authors who have redeemed it stay.",
    lambda it: f"The invitation {it['invitation']} is revoked.",
    unary(lambda it: invitation_service_pb2.RevokeInvitationRequest(invitation_id=it["invitation"])),
    lambda _: ACCOUNT,
    required=("invitation",),
)
ORGANISER_ACTIONS = by_name(
    START,
    CANCEL,
    REMOVE,
    POSTPONE,
    ABSENT,
    REOPEN,
    PAIR_ROUND,
    PAUSE,
    RESUME,
    START_SEASON,
    CLOSE,
    INVITE,
    REVOKE_INVITATION,
    *TOURNAMENT_CORRECTIONS,
    *LADDER_CORRECTIONS,
)
