"""What the owner of a bot does with it, and with its tokens."""

from typing import cast

from google.protobuf.message import Message
from referee_api.v1 import (
    bot_service_pb2,
    contest_pb2,
    ladder_service_pb2,
    match_pb2,
    tournament_pb2,
    tournament_service_pb2,
)

from referee.site.account.account_action import (
    Action,
    by_name,
    confirmation_time,
    ladder_subject,
    page_address,
    tournament_subject,
    unary,
)
from referee.site.account.account_session import Account
from referee.site.account.form_fields import BYES, Values, days_after

KEY_CHARS = 8


def _bot_page(values: Values) -> str:
    return page_address("bots", values["bot"])


def _bye(values: Values) -> str:
    return BYES[values["bye"]]


def _entrant(values: Values) -> contest_pb2.Entrant:
    return contest_pb2.Entrant(bots=[match_pb2.BotRef(bot=values["bot"])])


REINSTATE = Action(
    "reinstate-bot",
    "Reinstate the bot",
    lambda it: f"The pause of {it['bot']} ends, and it gets matches again.",
    lambda it: f"{it['bot']} is reinstated.",
    unary(lambda it: bot_service_pb2.ReinstateBotRequest(name=it["bot"])),
    _bot_page,
    required=("bot",),
    done_before=frozenset({"BOT_NOT_PAUSED"}),
)
ENTER = Action(
    "enter-tournament",
    "Enter the tournament",
    lambda it: f"{it['bot']} enters the tournament {it['tournament']}, and plays in it when it starts.",
    lambda it: f"{it['bot']} has entered the tournament {it['tournament']}.",
    unary(lambda it: tournament_service_pb2.EnterTournamentRequest(tournament=it["tournament"], entrant=_entrant(it))),
    _bot_page,
    required=("bot", "tournament"),
    subject=tournament_subject,
    done_before=frozenset({"ALREADY_IN"}),
)
WITHDRAW = Action(
    "withdraw-bot",
    "Withdraw from the tournament",
    lambda it: (
        f"{it['entrant']} withdraws from the tournament {it['tournament']}. After the start it cannot come back: its"
        " results are kept, its matches in play go on, and it is not paired again."
    ),
    lambda it: f"{it['entrant']} has withdrawn from the tournament {it['tournament']}.",
    unary(
        lambda it: tournament_service_pb2.WithdrawEntrantRequest(
            tournament=it["tournament"], entrant=it["entrant"], message=it.get("message", "")
        )
    ),
    _bot_page,
    required=("bot", "tournament", "entrant"),
    optional=("message",),
    subject=tournament_subject,
    done_before=frozenset({"NOT_AN_ENTRANT"}),
)
JOIN = Action(
    "join-ladder",
    "Join the ladder",
    lambda it: f"{it['bot']} joins the ladder {it['ladder']}, and gets rated matches there whenever it is online.",
    lambda it: f"{it['bot']} has joined the ladder {it['ladder']}.",
    unary(lambda it: ladder_service_pb2.JoinLadderRequest(ladder=it["ladder"], entrant=_entrant(it))),
    _bot_page,
    required=("bot", "ladder"),
    subject=ladder_subject,
    done_before=frozenset({"ALREADY_IN"}),
)
LEAVE = Action(
    "leave-ladder",
    "Leave the ladder",
    lambda it: f"{it['bot']} leaves the ladder {it['ladder']} and gets no more matches there; its rating is kept.",
    lambda it: f"{it['bot']} has left the ladder {it['ladder']}.",
    unary(lambda it: ladder_service_pb2.LeaveLadderRequest(ladder=it["ladder"], entrant=it["bot"])),
    _bot_page,
    required=("bot", "ladder"),
    subject=ladder_subject,
    done_before=frozenset({"NOT_A_MEMBER"}),
)
REQUEST_BYE = Action(
    "request-bye",
    "Request a bye",
    lambda it: f"{it['entrant']} {_bye(it)} round {it['round']} of the tournament {it['tournament']}.",
    lambda it: f"{it['entrant']} {_bye(it)} round {it['round']}.",
    unary(
        lambda it: tournament_service_pb2.RequestByeRequest(
            tournament=it["tournament"],
            entrant=it["entrant"],
            round=int(it["round"]),
            kind=tournament_pb2.ByeKind.Value(it["bye"]),
        )
    ),
    _bot_page,
    required=("bot", "tournament", "entrant", "round", "bye"),
    subject=tournament_subject,
)
REVOKE_TOKEN = Action(
    "revoke-token",
    "Revoke the token",
    lambda it: f"The token {it['token']} of {it['bot']} becomes invalid, and bots that play with it are disconnected.",
    lambda it: f"The token {it['token']} of {it['bot']} is revoked.",
    unary(lambda it: bot_service_pb2.RevokeBotTokenRequest(bot=it["bot"], token_id=it["token"])),
    _bot_page,
    required=("bot", "token"),
)


async def _create_token(account: Account, values: Values, request_id: str) -> Message:
    """Create a token, unless one was created with this request id. The contract has no request ids for tokens, so the
    label contains the end of it.
    """
    key = f"[{request_id[-KEY_CHARS:]}]"
    bot = values["bot"]
    async with account.lock:
        listed = await account.upstream.call(
            bot_service_pb2.ListBotTokensRequest(bot=bot), bot_service_pb2.ListBotTokensResponse
        )
        if any(token.label.endswith(key) for token in listed.tokens):
            return bot_service_pb2.CreateBotTokenResponse()
        request = bot_service_pb2.CreateBotTokenRequest(bot=bot, label=f"{values.get('label', '')} {key}".strip())
        if "days" in values:
            request.expire_time.CopyFrom(days_after(confirmation_time(request_id), values["days"]))
        return await account.call(request)


CREATE_TOKEN = Action(
    "create-token",
    "Create a token",
    lambda it: (
        f"{it['bot']} gets another token. Its secret is shown once, on the next page: with it a program plays as this"
        " bot" + (f", for {it['days']} days." if "days" in it else ", until you revoke it.")
    ),
    lambda it: f"{it['bot']} has a new token.",
    _create_token,
    _bot_page,
    required=("bot",),
    optional=("label", "days"),
    secret=lambda answer: cast(bot_service_pb2.CreateBotTokenResponse, answer).secret,
)

REGISTER = Action(
    "register-bot",
    "Register a bot",
    lambda it: (
        f"The bot {it['bot']} is registered. The secret of its first token is shown once, on the next page: with it a"
        " program plays as this bot."
    ),
    lambda it: f"The bot {it['bot']} is registered.",
    unary(lambda it: bot_service_pb2.RegisterBotRequest(name=it["bot"], description=it.get("description", ""))),
    _bot_page,
    required=("bot",),
    optional=("description",),
    secret=lambda answer: cast(bot_service_pb2.RegisterBotResponse, answer).secret,
)

BOT_ACTIONS = by_name(REGISTER, REINSTATE, ENTER, WITHDRAW, REQUEST_BYE, JOIN, LEAVE, REVOKE_TOKEN, CREATE_TOKEN)
