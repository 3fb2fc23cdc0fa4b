"""What authors, organisers and administrators do with single matches."""

from referee_api.v1 import admin_service_pb2, match_service_pb2

from referee.site.account.account_action import Action, by_name, match_subject, page_address, unary
from referee.site.visitors import ACCOUNT

ABORT = Action(
    "abort-match",
    "Abort the match",
    lambda it: f"The match {it['match']} ends now and is void.",
    lambda it: f"The match {it['match']} is void.",
    unary(lambda it: match_service_pb2.AbortMatchRequest(match_id=it["match"], message=it.get("message", ""))),
    lambda _: ACCOUNT,
    required=("match",),
    optional=("message",),
    subject=match_subject,
)
WITHDRAW_FROM_MATCH = Action(
    "withdraw-from-match",
    "Withdraw from the match",
    lambda it: (
        f"{it['bot']} leaves the match {it['match']}. In play it loses by that, which is not counted as a fault; before"
        " play its seat becomes open again."
    ),
    lambda it: f"{it['bot']} has left the match {it['match']}.",
    unary(lambda it: match_service_pb2.WithdrawBotRequest(match_id=it["match"], bot=it["bot"])),
    lambda it: page_address("bots", it["bot"]),
    required=("bot", "match"),
    subject=match_subject,
)
VOID = Action(
    "void-match",
    "Void the match",
    lambda it: f"The match {it['match']} ends now and is void. If it belongs to a pairing, it is played again.",
    lambda it: f"The match {it['match']} is void.",
    unary(lambda it: admin_service_pb2.VoidMatchRequest(match_id=it["match"], message=it["message"])),
    lambda _: ACCOUNT,
    required=("match", "message"),
    subject=match_subject,
)

MATCH_ACTIONS = by_name(ABORT, WITHDRAW_FROM_MATCH, VOID)
