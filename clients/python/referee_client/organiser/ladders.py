"""Client for ladders. A referee without ladders answers with NotServed."""

from collections.abc import AsyncIterator, Sequence

from referee_api.v1 import contest_pb2, ladder_pb2, match_pb2, match_service_pb2, rating_pb2
from referee_api.v1 import ladder_service_pb2 as pb
from referee_api.v1.ladder_service_pb2_grpc import LadderServiceStub
from referee_api.v1.match_service_pb2_grpc import MatchServiceStub

from referee_client.errors import Refused
from referee_client.organiser.blocking import Blocking, blocking, blocking_iterator, blocking_watch
from referee_client.organiser.calls import PAGE_SIZE, Calls, request_id
from referee_client.organiser.corrections import KINDS, CorrectionKind
from referee_client.organiser.entrants import entrant, is_entered
from referee_client.organiser.terms import Terms
from referee_client.organiser.watch import AsyncWatch


class AsyncLadders:
    """All methods raise Refused (or a subclass: NotAllowed, NotServed), or Unreachable if no retry has succeeded."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._stub = LadderServiceStub(calls.channel)
        self._matches = MatchServiceStub(calls.channel)

    async def create(
        self, name: str, terms: Terms | None = None, *, title: str = "", plan: ladder_pb2.LadderTerms | None = None
    ) -> ladder_pb2.Ladder:
        """Create a ladder by `plan`, with `terms` for its matches.

        Without `terms`, the terms of the matches are those of `plan`. Without `plan`, the defaults apply.
        """
        ladder_terms = plan or ladder_pb2.LadderTerms()
        if terms:
            ladder_terms = ladder_pb2.LadderTerms()
            ladder_terms.MergeFrom(plan or ladder_pb2.LadderTerms())
            del ladder_terms.match_terms[:]
            ladder_terms.match_terms.append(terms.message())
        request = pb.CreateLadderRequest(request_id=request_id(), name=name, title=title, terms=ladder_terms)
        return (await self._calls.call(self._stub.CreateLadder, request)).ladder

    async def get(self, name: str) -> ladder_pb2.Ladder:
        return (await self._calls.call(self._stub.GetLadder, pb.GetLadderRequest(name=name))).ladder

    async def list(
        self, game: str = "", bot: str = "", include_closed: bool = False
    ) -> AsyncIterator[ladder_pb2.Ladder]:
        """Return ladders in the order of their names. Empty arguments match any."""
        request = pb.ListLaddersRequest(game=game, bot=bot, include_closed=include_closed, page_size=PAGE_SIZE)
        async for page in self._calls.pages(self._stub.ListLadders, request):
            for ladder in page.ladders:
                yield ladder

    async def join(self, ladder: str, who: str | contest_pb2.Entrant = "") -> ladder_pb2.LadderStanding:
        """Join a ladder and return the first standing. `who` as in `entrants`; default: the bot of this token."""
        wanted = entrant(who) if who else None
        request = pb.JoinLadderRequest(ladder=ladder, entrant=wanted)
        try:
            return (await self._calls.call(self._stub.JoinLadder, request)).standing
        except Refused as refused:
            if refused.repeated:
                for row in await self.standings(ladder):
                    if is_entered(wanted, refused, [row.entrant]):
                        return row
            raise

    async def leave(self, ladder: str, who: str = "") -> None:
        """Leave a ladder; the ratings are kept. Default: the bot of this token."""
        try:
            await self._calls.call(self._stub.LeaveLadder, pb.LeaveLadderRequest(ladder=ladder, entrant=who))
        except Refused as refused:
            if not (refused.repeated and refused.reason == "NOT_A_MEMBER"):
                raise

    async def challenge(self, ladder: str, entrants: Sequence[str]) -> contest_pb2.Pairing:
        """Request a rated pairing that is played as soon as all have room; the challenger comes first."""
        request = pb.ChallengeRequest(request_id=request_id(), ladder=ladder, entrants=entrants)
        return (await self._calls.call(self._stub.Challenge, request)).pairing

    async def start_season(self, ladder: str) -> ladder_pb2.Ladder:
        """Start a new season: ratings become uncertain again."""
        request = pb.StartSeasonRequest(request_id=request_id(), ladder=ladder)
        return (await self._calls.call(self._stub.StartSeason, request)).ladder

    async def pause(self, ladder: str, message: str = "") -> ladder_pb2.Ladder:
        """Pause a ladder, so that it starts no matches until it is resumed; `message` tells its entrants why."""
        return (
            await self._calls.call(self._stub.PauseLadder, pb.PauseLadderRequest(ladder=ladder, message=message))
        ).ladder

    async def resume(self, ladder: str) -> ladder_pb2.Ladder:
        """Resume a paused ladder."""
        return (await self._calls.call(self._stub.ResumeLadder, pb.ResumeLadderRequest(ladder=ladder))).ladder

    async def close(self, ladder: str, message: str = "") -> ladder_pb2.Ladder:
        """Close a ladder permanently."""
        return (
            await self._calls.call(self._stub.CloseLadder, pb.CloseLadderRequest(ladder=ladder, message=message))
        ).ladder

    async def correct(
        self, ladder: str, match_id: str, kind: CorrectionKind, message: str, ranks: Sequence[int] = ()
    ) -> ladder_pb2.Ladder:
        """Strike a finished match, correct its result to the ranks of its sides, or restore what was played."""
        request = pb.CorrectLadderMatchRequest(
            request_id=request_id(),
            ladder=ladder,
            match_id=match_id,
            kind=KINDS[kind],
            ranks=ranks,
            message=message,
        )
        return (await self._calls.call(self._stub.CorrectLadderMatch, request)).ladder

    async def standings(
        self, ladder: str, season: int = 0, all_versions: bool = False
    ) -> Sequence[ladder_pb2.LadderStanding]:
        """Return the standings of a season, the best first; 0: the current season."""
        request = pb.ListLadderStandingsRequest(
            ladder=ladder, season=season, all_versions=all_versions, page_size=PAGE_SIZE
        )
        pages = self._calls.pages(self._stub.ListLadderStandings, request)
        return [row async for page in pages for row in page.standings]

    async def history(self, ladder: str, bot: str, version: str = "") -> AsyncIterator[rating_pb2.RatingPoint]:
        """Return how the ratings of a bot have changed, the oldest point first. Default: of all its versions."""
        request = pb.ListRatingHistoryRequest(ladder=ladder, bot=bot, version=version, page_size=PAGE_SIZE)
        async for page in self._calls.pages(self._stub.ListRatingHistory, request):
            for point in page.points:
                yield point

    async def record(self, ladder: str) -> str:
        """Return the signed record of a ladder that is over, with which anyone can verify it."""
        request = pb.GetLadderRecordRequest(ladder=ladder)
        return "".join(part.text for part in await self._calls.all(self._stub.GetLadderRecord, request))

    async def matches(self, ladder: str) -> AsyncIterator[match_pb2.Match]:
        """Return the matches of a ladder, the newest first."""
        request = match_service_pb2.ListMatchesRequest(ladder=ladder, page_size=PAGE_SIZE)
        async for page in self._calls.pages(self._matches.ListMatches, request):
            for match in page.matches:
                yield match

    async def snapshot(self, ladder: str) -> pb.LadderSnapshot:
        """Return a ladder, the first hundred rows of its standings and its open pairings, all at the same entry."""
        request = pb.WatchLadderRequest(ladder=ladder)
        return (await self._calls.first(self._stub.WatchLadder, request)).items[0].snapshot

    def watch(self, ladder: str, after: int = 0) -> AsyncWatch[ladder_pb2.LadderEntry]:
        """Watch every entry after the number `after` until the ladder is closed, reconnecting when necessary."""
        return AsyncWatch(self._calls, self._stub.WatchLadder, pb.WatchLadderRequest(ladder=ladder), after)


class Ladders(Blocking[AsyncLadders]):
    """Blocking version of AsyncLadders."""

    create = blocking(AsyncLadders.create)
    get = blocking(AsyncLadders.get)
    list = blocking_iterator(AsyncLadders.list)
    join = blocking(AsyncLadders.join)
    leave = blocking(AsyncLadders.leave)
    challenge = blocking(AsyncLadders.challenge)
    start_season = blocking(AsyncLadders.start_season)
    pause = blocking(AsyncLadders.pause)
    resume = blocking(AsyncLadders.resume)
    close = blocking(AsyncLadders.close)
    correct = blocking(AsyncLadders.correct)
    standings = blocking(AsyncLadders.standings)
    history = blocking_iterator(AsyncLadders.history)
    record = blocking(AsyncLadders.record)
    matches = blocking_iterator(AsyncLadders.matches)
    snapshot = blocking(AsyncLadders.snapshot)
    watch = blocking_watch(AsyncLadders.watch)
