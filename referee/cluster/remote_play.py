"""What the coordinator of a cluster does for Play streams that are connected to other nodes."""

from typing import Any

from referee_api.v1 import play_pb2
from referee_api.v1.play_service_pb2 import PlayResponse

from engines.game_errors import DetailedError
from referee.accounts.account_errors import BadField
from referee.cluster.coordinator import ItemHandler
from referee.live.outbox import MoveAccepted, OutboxItem, RequestAccepted, VerdictNotice
from referee.live.ports import Time
from referee.live.referee import Referee
from referee.live.sessions import Session
from referee.live.submit import seat_of
from referee.transport.play.bot_items import (
    REQUEST_HANDLERS,
    ReceivedItem,
    carry_out_request,
    received_move,
    submit_move,
)
from referee.transport.play.writer import ITEM_WRITERS, ItemWriter
from referee.transport.services.bot_requests import PlayTools


class RemotePlay(ItemHandler):
    """Items arrive here only if the node of the stream does not run their match, and was checked by that node."""

    def __init__(self, referee: Referee, time: Time, tools: PlayTools) -> None:
        self._referee = referee
        self._time = time
        self._tools = tools

    async def answer_item(self, session: Session, message: bytes) -> VerdictNotice:
        """Carry out an item (BotItem), and return the verdict."""
        item = play_pb2.BotItem.FromString(message)
        kind = item.WhichOneof("item") or ""
        received = received_move(item) if kind == "move" else ReceivedItem(item.item_id)
        outcome: MoveAccepted | RequestAccepted | Exception
        try:
            if kind == "move":
                _, holder = self._referee.sessions.path_and_holder(session.player)
                arrival = self._referee.lag.arrival(holder, session.path.round_trip_us)
                outcome = await submit_move(self._referee, session, received, item.move, arrival)
            elif kind in REQUEST_HANDLERS:
                request: Any = getattr(item, kind)
                received = ReceivedItem(item.item_id, request.match_id)
                outcome = await carry_out_request(self._referee, session, kind, request)
            else:
                outcome = BadField("item", "it is empty or of an unknown kind")
        except Exception as why:
            outcome = why
        if getattr(outcome, "repeated", False):
            self._tools.count_repeated()
        if isinstance(outcome, DetailedError):
            self._tools.rejection_recorder.record_rejection(
                session.player, outcome, received.match_id, seat_of(received.token), received.move
            )
        return VerdictNotice(received.item_id, received.match_id, received.token, outcome)

    async def encode_item(self, session: Session, item: OutboxItem) -> bytes:
        """Return the RefereeItem of an item for the bot of that session."""
        writer = ItemWriter(
            self._referee, session, self._time, play_pb2.Welcome, self._tools.map_error, self._tools.match_context
        )
        response = PlayResponse()
        if writing := ITEM_WRITERS[type(item)](writer, item, response.items):
            await writing
        return response.items[0].SerializeToString()
