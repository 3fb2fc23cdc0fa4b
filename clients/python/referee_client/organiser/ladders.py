"""Client for ladders. A referee without ladders answers with NotServed."""

from collections.abc import AsyncIterator, Sequence

from msgspec import structs
from referee_api.conversion import enum_number, to_message, to_value
from referee_api.v1 import contest_pb2, ladder_pb2, match_service_pb2
from referee_api.v1 import ladder_service_pb2 as pb
from referee_api.v1.ladder_service_pb2_grpc import LadderServiceStub
from referee_api.v1.match_service_pb2_grpc import MatchServiceStub
from referee_values import (
    CorrectionKind,
    Entrant,
    Ladder,
    LadderEntry,
    LadderSnapshot,
    LadderStanding,
    LadderTerms,
    Match,
    Pairing,
    RatingPoint,
)

from referee_client.errors import Refused
from referee_client.organiser.blocking import Blocking, blocking, blocking_iterator, blocking_watch
from referee_client.organiser.calls import PAGE_SIZE, Calls, request_id
from referee_client.organiser.entrants import entrant
from referee_client.organiser.terms import Terms
from referee_client.organiser.watch import AsyncWatch


class AsyncLadders:
    """All methods raise Refused (or a subclass: NotAllowed, NotServed), or Unreachable if no retry has succeeded."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._stub = LadderServiceStub(calls.channel)
        self._matches = MatchServiceStub(calls.channel)

    async def create(
        self, name: str, terms: Terms | None = None, *, title: str = "", plan: LadderTerms | None = None
    ) -> Ladder:
        """Create a ladder by `plan`, with `terms` for its matches.

        Without `terms`, the terms of the matches are those of `plan`. Without `plan`, the defaults apply.
        """
        plan = plan or LadderTerms()
        plan = structs.replace(plan, match_terms=(terms.match_terms(),)) if terms else plan
        request = pb.CreateLadderRequest(
            request_id=request_id(), name=name, title=title, terms=to_message(plan, ladder_pb2.LadderTerms)
        )
        return await self._calls.fetch(Ladder, self._stub.CreateLadder, request, "ladder")

    async def get(self, name: str) -> Ladder:
        return await self._calls.fetch(Ladder, self._stub.GetLadder, pb.GetLadderRequest(name=name), "ladder")

    async def list(self, game: str = "", bot: str = "", include_closed: bool = False) -> AsyncIterator[Ladder]:
        """Return ladders in the order of their names. Empty arguments match any."""
        request = pb.ListLaddersRequest(game=game, bot=bot, include_closed=include_closed, page_size=PAGE_SIZE)
        async for ladder in self._calls.list_values(Ladder, self._stub.ListLadders, request, "ladders"):
            yield ladder

    async def join(self, ladder: str, who: str | Entrant = "") -> LadderStanding:
        """Join a ladder and return the first standing. `who` as in `entrants`; default: the bot of this token."""
        wanted = to_message(entrant(who), contest_pb2.Entrant) if who else None
        request = pb.JoinLadderRequest(ladder=ladder, entrant=wanted)
        return await self._calls.fetch(LadderStanding, self._stub.JoinLadder, request, "standing")

    async def leave(self, ladder: str, who: str = "") -> None:
        """Leave a ladder; the ratings are kept. Default: the bot of this token."""
        try:
            await self._calls.call(self._stub.LeaveLadder, pb.LeaveLadderRequest(ladder=ladder, entrant=who))
        except Refused as refused:
            if not (refused.repeated and refused.reason == "NOT_A_MEMBER"):
                raise

    async def challenge(self, ladder: str, entrants: Sequence[str]) -> Pairing:
        """Request a rated pairing that is played as soon as all have room; the challenger comes first."""
        request = pb.ChallengeRequest(request_id=request_id(), ladder=ladder, entrants=entrants)
        return await self._calls.fetch(Pairing, self._stub.Challenge, request, "pairing")

    async def start_season(self, ladder: str) -> Ladder:
        """Start a new season: ratings become uncertain again."""
        request = pb.StartSeasonRequest(request_id=request_id(), ladder=ladder)
        return await self._calls.fetch(Ladder, self._stub.StartSeason, request, "ladder")

    async def pause(self, ladder: str, message: str = "") -> Ladder:
        """Pause a ladder, so that it starts no matches until it is resumed; `message` tells its entrants why."""
        return await self._calls.fetch(
            Ladder, self._stub.PauseLadder, pb.PauseLadderRequest(ladder=ladder, message=message), "ladder"
        )

    async def resume(self, ladder: str) -> Ladder:
        """Resume a paused ladder."""
        return await self._calls.fetch(Ladder, self._stub.ResumeLadder, pb.ResumeLadderRequest(ladder=ladder), "ladder")

    async def close(self, ladder: str, message: str = "") -> Ladder:
        """Close a ladder permanently."""
        return await self._calls.fetch(
            Ladder, self._stub.CloseLadder, pb.CloseLadderRequest(ladder=ladder, message=message), "ladder"
        )

    async def correct(
        self, ladder: str, match_id: str, kind: CorrectionKind, message: str, ranks: Sequence[int] = ()
    ) -> Ladder:
        """Strike a finished match, correct its result to the ranks of its sides, or restore what was played."""
        request = pb.CorrectLadderMatchRequest(
            request_id=request_id(),
            ladder=ladder,
            match_id=match_id,
            kind=enum_number(contest_pb2.CorrectionKind, kind),
            ranks=ranks,
            message=message,
        )
        return await self._calls.fetch(Ladder, self._stub.CorrectLadderMatch, request, "ladder")

    async def standings(self, ladder: str, season: int = 0, all_versions: bool = False) -> Sequence[LadderStanding]:
        """Return the standings of a season, the best first; 0: the current season."""
        request = pb.ListLadderStandingsRequest(
            ladder=ladder, season=season, all_versions=all_versions, page_size=PAGE_SIZE
        )
        rows = self._calls.list_values(LadderStanding, self._stub.ListLadderStandings, request, "standings")
        return [row async for row in rows]

    async def history(self, ladder: str, bot: str, version: str = "") -> AsyncIterator[RatingPoint]:
        """Return how the ratings of a bot have changed, the oldest point first. Default: of all its versions."""
        request = pb.ListRatingHistoryRequest(ladder=ladder, bot=bot, version=version, page_size=PAGE_SIZE)
        async for point in self._calls.list_values(RatingPoint, self._stub.ListRatingHistory, request, "points"):
            yield point

    async def record(self, ladder: str) -> str:
        """Return the signed record of a ladder that is over, with which anyone can verify it."""
        request = pb.GetLadderRecordRequest(ladder=ladder)
        return "".join(part.text for part in await self._calls.all(self._stub.GetLadderRecord, request))

    async def matches(self, ladder: str) -> AsyncIterator[Match]:
        """Return the matches of a ladder, the newest first."""
        request = match_service_pb2.ListMatchesRequest(ladder=ladder, page_size=PAGE_SIZE)
        async for match in self._calls.list_values(Match, self._matches.ListMatches, request, "matches"):
            yield match

    async def snapshot(self, ladder: str) -> LadderSnapshot:
        """Return a ladder, the first hundred rows of its standings and its open pairings, all at the same entry."""
        request = pb.WatchLadderRequest(ladder=ladder)
        first = await self._calls.first(self._stub.WatchLadder, request)
        return to_value(first.items[0].snapshot, LadderSnapshot)

    def watch(self, ladder: str, after: int = 0) -> AsyncWatch[LadderEntry]:
        """Watch every entry after the number `after` until the ladder is closed, reconnecting when necessary."""
        return AsyncWatch(LadderEntry, self._calls, self._stub.WatchLadder, pb.WatchLadderRequest(ladder=ladder), after)


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
