"""How the node that answers a call is found: `ROUTES`, for each method of the contract, and the port `Router`."""

from collections.abc import Mapping
from enum import Enum, auto
from typing import Protocol


class Route(Enum):
    """Which node answers a call."""

    LOCAL = auto()
    """The node that received it: what it needs is in the database, or concerns this node."""
    COORDINATOR = auto()
    """The coordinator, which creates matches, runs contests, and makes the changes whose limits must be exact."""
    MATCH = auto()
    """A node that knows the current state of the match that the request names, and what of it must stay secret."""
    BOT = auto()
    """The node with the session of the bot that calls."""


LOCAL, COORDINATOR, MATCH, BOT = Route

ROUTES: Mapping[str, Mapping[str, Route]] = {
    "GameService": {"ListGames": LOCAL, "GetGame": LOCAL, "ReadPosition": LOCAL},
    "MatchService": {
        "CreateMatch": COORDINATOR,
        "JoinMatch": COORDINATOR,
        "GetMatch": MATCH,
        "ListMatches": COORDINATOR,
        "ListTurns": BOT,
        "SubmitMove": BOT,
        "Resign": BOT,
        "OfferDraw": BOT,
        "AnswerDraw": BOT,
        "ClaimDraw": BOT,
        "AbortMatch": COORDINATOR,
        "WithdrawBot": COORDINATOR,
        "WatchMatch": MATCH,
        "GetRecord": MATCH,
    },
    "PlayService": {"Play": LOCAL},
    "BotService": {
        "RegisterBot": COORDINATOR,
        "UpdateBot": COORDINATOR,
        "GetBot": LOCAL,
        "ListBots": LOCAL,
        "RegisterVersion": COORDINATOR,
        "ListVersions": LOCAL,
        "CreateBotToken": COORDINATOR,
        "ListBotTokens": LOCAL,
        "RevokeBotToken": COORDINATOR,
        "ReinstateBot": COORDINATOR,
        "ListBotLogEntries": LOCAL,
    },
    "InvitationService": {
        "CreateInvitation": COORDINATOR,
        "ListInvitations": LOCAL,
        "RevokeInvitation": COORDINATOR,
        "ListRedemptions": LOCAL,
        "RedeemInvitation": COORDINATOR,
    },
    "TokenService": {"GetOwnToken": LOCAL},
    "AdminService": {
        "Drain": LOCAL,
        "AdjudicateMatch": COORDINATOR,
        "VoidMatch": COORDINATOR,
        "PauseBot": COORDINATOR,
        "ResumeBot": COORDINATOR,
        "GetQuota": COORDINATOR,
        "ListQuotas": COORDINATOR,
        "SetQuota": COORDINATOR,
        "CreateToken": COORDINATOR,
        "ListTokens": LOCAL,
        "RevokeToken": COORDINATOR,
    },
    "LadderService": {
        "CreateLadder": COORDINATOR,
        "GetLadder": COORDINATOR,
        "ListLadders": COORDINATOR,
        "JoinLadder": COORDINATOR,
        "LeaveLadder": COORDINATOR,
        "Challenge": COORDINATOR,
        "StartSeason": COORDINATOR,
        "PauseLadder": COORDINATOR,
        "ResumeLadder": COORDINATOR,
        "CloseLadder": COORDINATOR,
        "CorrectLadderMatch": COORDINATOR,
        "ListLadderStandings": COORDINATOR,
        "ListRatingHistory": COORDINATOR,
        "GetLadderRecord": COORDINATOR,
        "WatchLadder": COORDINATOR,
    },
    "TournamentService": {
        "CreateTournament": COORDINATOR,
        "GetTournament": COORDINATOR,
        "ListTournaments": COORDINATOR,
        "EnterTournament": COORDINATOR,
        "WithdrawEntrant": COORDINATOR,
        "RequestBye": COORDINATOR,
        "StartTournament": COORDINATOR,
        "CancelTournament": COORDINATOR,
        "PairRound": COORDINATOR,
        "PostponePairing": COORDINATOR,
        "ReopenPairing": COORDINATOR,
        "DeclareAbsent": COORDINATOR,
        "CorrectTournamentMatch": COORDINATOR,
        "ListPairings": COORDINATOR,
        "GetTournamentStandings": COORDINATOR,
        "GetCrossTable": COORDINATOR,
        "ExportTournament": COORDINATOR,
        "GetTournamentRecord": COORDINATOR,
        "WatchTournament": COORDINATOR,
    },
}
"""Routes by service and method. A client stream must be LOCAL, because only calls with one request are forwarded."""


def route_of(service: str, method: str) -> Route:
    """Return how calls of this method are routed; LOCAL for methods that are not in the contract."""
    return ROUTES.get(service, {}).get(method, Route.LOCAL)


class Router(Protocol):
    """Knows which node answers which calls. It answers from memory, because a bot's clock may be running."""

    def node_of(self, route: Route, name: str) -> str | None:
        """Return the gRPC address (HOST:PORT) of the node that answers; None: this node.

        `name` is the id of the match for MATCH, the name of the bot for BOT, and empty for COORDINATOR; callers choose
        ids of matches, so any text is possible. Raises NodeUnavailable if the node is not known at the moment.
        """
        ...
