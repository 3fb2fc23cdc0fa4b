"""Everything that visitors can change: their bots and tokens, matches, contests, results and invitations."""

from google.protobuf.message import Message
from referee_api.v1 import (
    admin_service_pb2,
    bot_service_pb2,
    invitation_service_pb2,
    ladder_service_pb2,
    match_service_pb2,
    tournament_service_pb2,
)

from referee.site.account.account_action import Action
from referee.site.account.account_session import Account

BOT, TOURNAMENT, LADDER = "bots/{bot}", "tournaments/{tournament}", "ladders/{ladder}"
PAIRING = f"{TOURNAMENT}/pairings/{{pairing_id}}"
KEY_CHARS = 8


async def _create_token(account: Account, request: Message, request_id: str) -> Message:
    """Create a token, unless one was created with this request id. The contract has no request ids for tokens, so the
    label contains the end of it.
    """
    assert isinstance(request, bot_service_pb2.CreateBotTokenRequest)
    key = f"[{request_id[-KEY_CHARS:]}]"
    async with account.lock:
        query = bot_service_pb2.ListBotTokensRequest(bot=request.bot)
        listed = await account.upstream.call(query, bot_service_pb2.ListBotTokensResponse)
        if any(token.label.endswith(key) for token in listed.tokens):
            return bot_service_pb2.CreateBotTokenResponse()
        request.label = f"{request.label} {key}".strip()
        return await account.call(request)


REGISTER = Action(
    "register-bot",
    "Register a bot",
    bot_service_pb2.RegisterBotRequest,
    "name description?",
    "The bot {name} is registered. The secret of its first token is shown once, on the next page: with it a program"
    " plays as this bot.",
    "bots/{name}",
)
REINSTATE = Action(
    "reinstate-bot",
    "Reinstate the bot",
    bot_service_pb2.ReinstateBotRequest,
    "name",
    "The pause of {name} ends, and it gets matches again.",
    "bots/{name}",
    "BOT_NOT_PAUSED",
)
CREATE_TOKEN = Action(
    "create-token",
    "Create a token",
    bot_service_pb2.CreateBotTokenRequest,
    "bot label? expire_time?",
    "{bot} gets another token. Its secret is shown once, on the next page: with it a program plays as this bot, until"
    " it expires or you revoke it.",
    BOT,
    call=_create_token,
)
REVOKE_TOKEN = Action(
    "revoke-token",
    "Revoke the token",
    bot_service_pb2.RevokeBotTokenRequest,
    "bot token_id",
    "The token {token_id} of {bot} becomes invalid, and bots that play with it are disconnected.",
    BOT,
)
ENTER = Action(
    "enter-tournament",
    "Enter the tournament",
    tournament_service_pb2.EnterTournamentRequest,
    "entrant tournament",
    "{entrant} enters the tournament {tournament}, and plays in it when it starts.",
    "bots/{entrant}",
    "ALREADY_IN",
)
WITHDRAW = Action(
    "withdraw-bot",
    "Withdraw from the tournament",
    tournament_service_pb2.WithdrawEntrantRequest,
    "bot tournament entrant message?",
    "{entrant} withdraws from the tournament {tournament}. After the start it cannot come back: its results are kept,"
    " its matches in play go on, and it is not paired again.",
    BOT,
    "NOT_AN_ENTRANT",
)
REQUEST_BYE = Action(
    "request-bye",
    "Request a bye",
    tournament_service_pb2.RequestByeRequest,
    "bot tournament entrant round kind",
    "{entrant} requests this bye in round {round} of the tournament {tournament}: {kind}.",
    BOT,
)
JOIN = Action(
    "join-ladder",
    "Join the ladder",
    ladder_service_pb2.JoinLadderRequest,
    "entrant ladder",
    "{entrant} joins the ladder {ladder}, and gets rated matches there whenever it is online.",
    "bots/{entrant}",
    "ALREADY_IN",
)
LEAVE = Action(
    "leave-ladder",
    "Leave the ladder",
    ladder_service_pb2.LeaveLadderRequest,
    "entrant ladder",
    "{entrant} leaves the ladder {ladder} and gets no more matches there; its rating is kept.",
    "bots/{entrant}",
    "NOT_A_MEMBER",
)
WITHDRAW_FROM_MATCH = Action(
    "withdraw-from-match",
    "Withdraw from the match",
    match_service_pb2.WithdrawBotRequest,
    "bot match_id",
    "{bot} leaves the match {match_id}. In play it loses by that, which is not counted as a fault; before play its seat"
    " becomes open again.",
    BOT,
)
ABORT = Action(
    "abort-match",
    "Abort the match",
    match_service_pb2.AbortMatchRequest,
    "match_id message?",
    "The match {match_id} ends now and is void.",
)
VOID = Action(
    "void-match",
    "Void the match",
    admin_service_pb2.VoidMatchRequest,
    "match_id message",
    "The match {match_id} ends now and is void. If it belongs to a pairing, it is played again.",
)
START = Action(
    "start-tournament",
    "Start the tournament",
    tournament_service_pb2.StartTournamentRequest,
    "name",
    "The tournament {name} starts: its entrants are paired, and the first matches begin.",
    "tournaments/{name}",
)
CANCEL = Action(
    "cancel-tournament",
    "Cancel the tournament",
    tournament_service_pb2.CancelTournamentRequest,
    "name message?",
    "The tournament {name} is cancelled for good, and its matches in play become void.",
    "tournaments/{name}",
)
REMOVE = Action(
    "withdraw-entrant",
    "Withdraw an entrant",
    tournament_service_pb2.WithdrawEntrantRequest,
    "tournament entrant message?",
    "{entrant} is withdrawn from the tournament {tournament}: its results are kept, its matches in play go on, and it"
    " is not paired again.",
    TOURNAMENT,
    "NOT_AN_ENTRANT",
)
PAIR_ROUND = Action(
    "pair-round",
    "Pair the round by hand",
    tournament_service_pb2.PairRoundRequest,
    "tournament round pairings message",
    "What has not begun of round {round} of the tournament {tournament} is replaced by these pairings: {pairings}.",
    TOURNAMENT,
)
POSTPONE = Action(
    "postpone-pairing",
    "Postpone the pairing",
    tournament_service_pb2.PostponePairingRequest,
    "tournament pairing_id until message",
    "The next match of the pairing {pairing_id} starts no earlier than {until} UTC.",
    PAIRING,
)
ABSENT = Action(
    "declare-absent",
    "Declare absent",
    tournament_service_pb2.DeclareAbsentRequest,
    "tournament pairing_id entrants message",
    "{entrants}: the pairing {pairing_id} is lost by absence, at once.",
    PAIRING,
)
REOPEN = Action(
    "reopen-pairing",
    "Play it again",
    tournament_service_pb2.ReopenPairingRequest,
    "tournament pairing_id message",
    "The result of the pairing {pairing_id} is set aside, and it is played again.",
    PAIRING,
)
PAUSE = Action(
    "pause-ladder",
    "Pause the ladder",
    ladder_service_pb2.PauseLadderRequest,
    "ladder message?",
    "The ladder {ladder} starts no matches until it is resumed; those in play go on and are rated.",
    LADDER,
)
RESUME = Action(
    "resume-ladder",
    "Resume the ladder",
    ladder_service_pb2.ResumeLadderRequest,
    "ladder",
    "The ladder {ladder} starts matches again.",
    LADDER,
)
START_SEASON = Action(
    "start-season",
    "Start a new season",
    ladder_service_pb2.StartSeasonRequest,
    "ladder",
    "A new season of the ladder {ladder} starts: the ratings of all its entrants begin again.",
    LADDER,
)
CLOSE = Action(
    "close-ladder",
    "Close the ladder",
    ladder_service_pb2.CloseLadderRequest,
    "ladder message?",
    "The ladder {ladder} is closed for good; matches in play go on and are rated.",
    LADDER,
)
INVITE = Action(
    "create-invitation",
    "Create an invitation",
    invitation_service_pb2.CreateInvitationRequest,
    "max_uses expire_time label?",
    "An invitation is created that expires after {expire_time} days; number of authors who can redeem it: {max_uses}."
    " Its code is shown once, on the next page: whoever has it can register bots here.",
)
REVOKE_INVITATION = Action(
    "revoke-invitation",
    "Revoke the invitation",
    invitation_service_pb2.RevokeInvitationRequest,
    "invitation_id",
    "Nobody can redeem the invitation {invitation_id} any more. Authors who have redeemed it stay.",
)
CORRECTIONS = (
    ("strike", "Strike the match", "CORRECTION_KIND_STRUCK", "", "does not count, and is not played again"),
    ("correct", "Correct the result", "CORRECTION_KIND_CORRECTED", " ranks", "counts with the ranks {ranks}"),
    ("restore", "Restore the result", "CORRECTION_KIND_RESTORED", "", "counts as it was played"),
)
TOURNAMENT_CORRECTIONS = tuple(
    Action(
        f"{verb}-tournament-match",
        button,
        tournament_service_pb2.CorrectTournamentMatchRequest,
        f"tournament pairing_id match_id{ranks} message",
        f"The match {{match_id}} {outcome}.",
        PAIRING,
        fixed={"kind": kind},
    )
    for verb, button, kind, ranks, outcome in CORRECTIONS
)
LADDER_CORRECTIONS = tuple(
    Action(
        f"{verb}-ladder-match",
        button,
        ladder_service_pb2.CorrectLadderMatchRequest,
        f"ladder match_id{ranks} message",
        f"The match {{match_id}} {outcome}, and the ratings are computed again.",
        LADDER,
        fixed={"kind": kind},
    )
    for verb, button, kind, ranks, outcome in CORRECTIONS
)
ACTIONS = {
    action.name: action
    for action in (
        *(value for value in dict(globals()).values() if isinstance(value, Action)),
        *TOURNAMENT_CORRECTIONS,
        *LADDER_CORRECTIONS,
    )
}
"""All of them, by the names in their addresses."""
