"""Client for bots that play by single calls instead of a stream. It needs the token of a bot.

A match starts only while its bots have a session; these calls are for bots that another program keeps online, and for
answers from a second program.
"""

from collections.abc import Sequence

from referee_api.conversion import to_message, to_value
from referee_api.v1 import match_pb2, play_pb2
from referee_api.v1 import match_service_pb2 as pb
from referee_api.v1.match_service_pb2_grpc import MatchServiceStub
from referee_values import Match, Result

from referee_client.organiser.blocking import Blocking, blocking
from referee_client.organiser.calls import Calls, request_id
from referee_client.organiser.entrants import bot_ref
from referee_client.organiser.responses import SubmittedMove
from referee_client.turn import Turn, turn_in


class AsyncUnaryPlay:
    """All methods raise Refused (of which NotAllowed is a subclass), or Unreachable if no retry has succeeded.

    `seat` is needed only if the bot holds several seats of the match.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._stub = MatchServiceStub(calls.channel)

    async def join(self, match_id: str, seat: int | None = None, bot: str = "") -> Match:
        """Take an open seat of a match; default: the first one, for the bot of this token."""
        request = pb.JoinMatchRequest(
            match_id=match_id, seat=seat, bot=to_message(bot_ref(bot), match_pb2.BotRef) if bot else None
        )
        return await self._calls.fetch(Match, self._stub.JoinMatch, request, "match")

    async def turns(self, match_id: str = "", max_legal_moves: int = 0) -> Sequence[Turn]:
        """Return the pending turns of the bot, of one match or of all."""
        options = play_pb2.TurnOptions(max_legal_moves=max_legal_moves)
        request = pb.ListTurnsRequest(match_id=match_id, turn_options=options)
        turns = (await self._calls.call(self._stub.ListTurns, request)).turns
        return [turn_in(turn, listed=max_legal_moves > 0) for turn in turns]

    async def submit(
        self,
        turn: Turn,
        move: str,
        *,
        offer_draw: bool = False,
        validate_only: bool = False,
        score: int | None = None,
    ) -> SubmittedMove:
        """Answer a turn. With `validate_only`, check the move without playing it."""
        request = pb.SubmitMoveRequest(
            request_id=request_id(),
            match_id=turn.match_id,
            turn_token=turn.token,
            move=move,
            offer_draw=offer_draw,
            validate_only=validate_only,
            score=score,
        )
        return await self._calls.fetch(SubmittedMove, self._stub.SubmitMove, request)

    async def resign(self, match_id: str, seat: int | None = None) -> Result | None:
        """Resign; return the result if that ends the match."""
        request = pb.ResignRequest(request_id=request_id(), match_id=match_id, seat=seat)
        response = await self._calls.call(self._stub.Resign, request)
        return _result(response)

    async def offer_draw(self, match_id: str, seat: int | None = None) -> None:
        """Offer a draw to all other sides."""
        request = pb.OfferDrawRequest(request_id=request_id(), match_id=match_id, seat=seat)
        await self._calls.call(self._stub.OfferDraw, request)

    async def answer_draw(self, match_id: str, accept: bool, seat: int | None = None) -> Result | None:
        """Accept or decline all open draw offers; return the result if that ends the match."""
        request = pb.AnswerDrawRequest(request_id=request_id(), match_id=match_id, accept=accept, seat=seat)
        response = await self._calls.call(self._stub.AnswerDraw, request)
        return _result(response)

    async def claim_draw(self, match_id: str, seat: int | None = None) -> Result | None:
        """Claim a draw that the rules grant."""
        request = pb.ClaimDrawRequest(request_id=request_id(), match_id=match_id, seat=seat)
        response = await self._calls.call(self._stub.ClaimDraw, request)
        return _result(response)


class UnaryPlay(Blocking[AsyncUnaryPlay]):
    """Blocking version of AsyncUnaryPlay."""

    join = blocking(AsyncUnaryPlay.join)
    turns = blocking(AsyncUnaryPlay.turns)
    submit = blocking(AsyncUnaryPlay.submit)
    resign = blocking(AsyncUnaryPlay.resign)
    offer_draw = blocking(AsyncUnaryPlay.offer_draw)
    answer_draw = blocking(AsyncUnaryPlay.answer_draw)
    claim_draw = blocking(AsyncUnaryPlay.claim_draw)


def _result(response: pb.ResignResponse | pb.AnswerDrawResponse | pb.ClaimDrawResponse) -> Result | None:
    return to_value(response.result, Result) if response.HasField("result") else None
