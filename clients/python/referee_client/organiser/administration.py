"""What administrators do: who may come in, how much they may use, and what a person decides.

Good only with a token of that role; others are told NotAllowed.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from google.protobuf.timestamp_pb2 import Timestamp
from referee_api.v1 import admin_service_pb2 as pb
from referee_api.v1 import bot_pb2, quota_pb2, token_pb2
from referee_api.v1.admin_service_pb2_grpc import AdminServiceStub

from referee_client.matches import Result, result_in
from referee_client.organiser.calls import PAGE, Calls, request_id


class Administration:
    """All methods raise Refused (of which NotAllowed is a kind), or Gone if the referee stays away."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._stub = AdminServiceStub(calls.channel)

    def make_token(
        self, role: str, holder: str = "", *, bot: str = "", label: str = "", expires_at: datetime | None = None
    ) -> pb.CreateTokenResponse:
        """A new token; its secret stands in the answer, and nowhere else.

        `role` is `spectator`, `bot`, `organiser` or `admin`; with `bot`, the `holder` is by default its owner.
        """
        # An answer that is lost on the way leaves a token that nobody has: harmless, and seen in the list.
        request = pb.CreateTokenRequest(
            role=_role(role), holder=holder, bot=bot, label=label, expires_at=_timestamp(expires_at)
        )
        return self._calls.ask(self._stub.CreateToken, request)

    def tokens(self, holder: str = "", with_spent: bool = False) -> Iterator[token_pb2.Token]:
        """The newest first; `with_spent`: also those that are revoked or have expired."""
        request = pb.ListTokensRequest(holder=holder, with_spent=with_spent, page_size=PAGE)
        for page in self._calls.pages(self._stub.ListTokens, request):
            yield from page.tokens

    def revoke_token(self, token_id: str) -> token_pb2.Token:
        """It is good for nothing any more, and its streams end."""
        return self._calls.ask(self._stub.RevokeToken, pb.RevokeTokenRequest(token_id=token_id)).token

    def pause_bot(self, bot: str, message: str) -> bot_pb2.Bot:
        """It gets no new matches; `message` tells its owner why."""
        return self._calls.ask(self._stub.PauseBot, pb.PauseBotRequest(bot=bot, message=message)).bot

    def resume_bot(self, bot: str) -> bot_pb2.Bot:
        return self._calls.ask(self._stub.ResumeBot, pb.ResumeBotRequest(bot=bot)).bot

    def quota(self, holder: str = "") -> pb.GetQuotaResponse:
        """The limits of a holder, and how much of them it uses. Without a holder: of all who have none of their own."""
        return self._calls.ask(self._stub.GetQuota, pb.GetQuotaRequest(holder=holder))

    def set_quota(self, holder: str, quota: quota_pb2.Quota | None) -> quota_pb2.Quota:
        """The limits as they are then. None: those of all who have none of their own."""
        return self._calls.ask(self._stub.SetQuota, pb.SetQuotaRequest(holder=holder, quota=quota)).quota

    def drain(self, grace_ms: int = 0) -> pb.DrainResponse:
        """Let the referee go, as SIGTERM does. 0: with as much grace as it is set to."""
        return self._calls.ask(self._stub.Drain, pb.DrainRequest(grace_ms=grace_ms))

    def void(self, match_id: str, message: str) -> Result:
        """Declare a match void that is not over."""
        request = pb.VoidMatchRequest(request_id=request_id(), match_id=match_id, message=message)
        return result_in(self._calls.ask(self._stub.VoidMatch, request).result)

    def adjudicate(self, match_id: str, side_scores: Sequence[float], message: str) -> Result:
        """Decide a match that is being played: a score for each side, in the order of the table."""
        request = pb.AdjudicateMatchRequest(
            request_id=request_id(), match_id=match_id, side_scores=side_scores, message=message
        )
        return result_in(self._calls.ask(self._stub.AdjudicateMatch, request).result)


ROLES = {name.removeprefix("ROLE_").lower(): number for name, number in token_pb2.Role.items() if number}
"""By the words in which they are said here."""


def role_word(role: token_pb2.Role.ValueType) -> str:
    """A number that is newer than this library stays a number."""
    return {number: word for word, number in ROLES.items()}.get(role, str(role))


def _role(word: str) -> token_pb2.Role.ValueType:
    if word not in ROLES:
        raise ValueError(f"role cannot be {word!r}; it is one of {', '.join(ROLES)}")
    return ROLES[word]


def _timestamp(moment: datetime | None) -> Timestamp | None:
    if moment is None:
        return None
    timestamp = Timestamp()
    timestamp.FromDatetime(moment)
    return timestamp
