"""A referee whose answers a test decides."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from http import HTTPStatus
from typing import Any, TypeVar

from google.protobuf.message import Message
from referee_api.v1 import entry_pb2, match_pb2, match_service_pb2

from referee.site.upstream import Upstream, UpstreamError

R = TypeVar("R", bound=Message)

UNREACHABLE = UpstreamError(HTTPStatus.SERVICE_UNAVAILABLE, "UNAVAILABLE", "The referee cannot be reached.")
NO_SUCH_MATCH = UpstreamError(HTTPStatus.NOT_FOUND, "NO_SUCH_MATCH", "there is no such match")


class FakeUpstream(Upstream):
    """Answers each call with a message of the kind that it returns: one of `answers`, or an empty one."""

    def __init__(self, *answers: Message) -> None:
        self.answers: dict[str, Message | Callable[[Any], Message]] = {
            type(answer).__name__: answer for answer in answers
        }
        """By the kind of the answer; a function returns the one to a request."""
        self.calls: list[Message] = []

    async def call(self, request: Message, response: type[R]) -> R:
        self.calls.append(request)
        found = self.answers.get(response.__name__) or response()
        answer = found if isinstance(found, Message) else found(request)
        await asyncio.sleep(0)  # Others are called before it arrives.
        assert isinstance(answer, response)
        return answer

    async def stream(self, request: Message, response: type[R]) -> AsyncGenerator[R, None]:
        """Yield the answer of a call, if there is one."""
        if response.__name__ in self.answers:
            yield await self.call(request, response)


class FakeMatch(FakeUpstream):
    """A referee with one match, whose entries a test appends, and whose streams it interrupts."""

    def __init__(self, match: match_pb2.Match, *entries: entry_pb2.Entry) -> None:
        super().__init__()
        self.match = match
        self.entries = list(entries)
        self.error: UpstreamError | None = None
        """Error of all calls from now on."""
        self.watched_after: list[int] = []
        """Entries after which the streams began."""
        self.overlap = 0
        """Entries that a stream repeats when it begins."""
        self._changed = asyncio.Event()

    def append(self, *entries: entry_pb2.Entry) -> None:
        self.entries += entries
        self._wake()

    def fail(self, error: UpstreamError | None) -> None:
        """Interrupt all streams, and reject all calls; None: accept them again."""
        self.error = error
        self._wake()

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def call(self, request: Message, response: type[R]) -> R:
        if self.error:
            self.calls.append(request)
            raise self.error
        state = match_pb2.MatchState(entry_number=len(self.entries))
        self.answers["GetMatchResponse"] = match_service_pb2.GetMatchResponse(match=self.match, state=state)
        return await super().call(request, response)

    async def stream(self, request: Message, response: type[R]) -> AsyncGenerator[R, None]:
        if isinstance(request, match_service_pb2.GetRecordRequest):
            raise UpstreamError(HTTPStatus.CONFLICT, "RECORD_NOT_PUBLISHED", "the record is not published yet")
        assert isinstance(request, match_service_pb2.WatchMatchRequest)
        assert request.include_view
        self.watched_after.append(request.after_number)
        sent = max(0, request.after_number - self.overlap)
        while True:
            changed = self._changed
            if self.error:
                raise self.error
            if sent < len(self.entries):
                some = self.entries[sent : sent + 2]
                sent += len(some)
                answer: Any = match_service_pb2.WatchMatchResponse(
                    items=[match_service_pb2.WatchMatchItem(entry=entry) for entry in some]
                )
                assert isinstance(answer, response)
                yield answer
            elif self.entries and self.entries[-1].WhichOneof("event") == "play_ended":
                return
            else:
                await changed.wait()
