"""Ladders: to make them, to climb them, and to look at them. A referee that does not serve them says so: NotServed."""

from collections.abc import Iterator, Sequence
from typing import Any

from referee_api.v1 import contest_pb2, ladder_pb2, match_pb2, match_service_pb2, rating_pb2
from referee_api.v1 import ladder_service_pb2 as pb
from referee_api.v1.ladder_service_pb2_grpc import LadderServiceStub
from referee_api.v1.match_service_pb2_grpc import MatchServiceStub

from referee_client.organiser.calls import PAGE, Calls, request_id
from referee_client.organiser.entrants import entrant
from referee_client.organiser.terms import Terms
from referee_client.organiser.watching import Watching


class Ladders:
    """All methods raise Refused (of which NotAllowed and NotServed are kinds), or Gone if the referee stays away."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._stub = LadderServiceStub(calls.channel)
        self._matches = MatchServiceStub(calls.channel)

    def create(
        self, name: str, terms: Terms | None = None, *, title: str = "", plan: ladder_pb2.LadderTerms | None = None
    ) -> ladder_pb2.Ladder:
        """`plan` says all but the terms of the matches, or these too if there are no `terms`. Default: the usual."""
        agreed = plan or ladder_pb2.LadderTerms()
        if terms:
            agreed = ladder_pb2.LadderTerms()
            agreed.MergeFrom(plan or ladder_pb2.LadderTerms())
            del agreed.match_terms[:]
            agreed.match_terms.append(terms.message())
        request = pb.CreateLadderRequest(request_id=request_id(), name=name, title=title, terms=agreed)
        return self._calls.ask(self._stub.CreateLadder, request).ladder

    def get(self, name: str) -> ladder_pb2.Ladder:
        return self._calls.ask(self._stub.GetLadder, pb.GetLadderRequest(name=name)).ladder

    def list(self, game: str = "", bot: str = "", with_closed: bool = False) -> Iterator[ladder_pb2.Ladder]:
        """By name. What is empty is any."""
        request = pb.ListLaddersRequest(game=game, bot=bot, with_closed=with_closed, page_size=PAGE)
        for page in self._calls.pages(self._stub.ListLadders, request):
            yield from page.ladders

    def join(self, ladder: str, who: str | contest_pb2.Entrant = "") -> ladder_pb2.LadderStanding:
        """Its first standing. `who` as in `entrants`; default: the bot whose token this is."""
        request = pb.JoinLadderRequest(ladder=ladder, entrant=entrant(who) if who else None)
        return self._calls.ask(self._stub.JoinLadder, request).standing

    def leave(self, ladder: str, who: str = "") -> None:
        """Its ratings are kept. Default: the bot whose token this is."""
        self._calls.ask(self._stub.LeaveLadder, pb.LeaveLadderRequest(ladder=ladder, entrant=who))

    def challenge(self, ladder: str, entrants: Sequence[str]) -> contest_pb2.Pairing:
        """A rated pairing as soon as all have room, the challenger first."""
        request = pb.ChallengeRequest(request_id=request_id(), ladder=ladder, entrants=entrants)
        return self._calls.ask(self._stub.Challenge, request).pairing

    def start_season(self, ladder: str) -> ladder_pb2.Ladder:
        """Ratings start again."""
        request = pb.StartSeasonRequest(request_id=request_id(), ladder=ladder)
        return self._calls.ask(self._stub.StartSeason, request).ladder

    def pause(self, ladder: str, message: str = "") -> ladder_pb2.Ladder:
        """It begins no matches until it is resumed; `message` tells its entrants why."""
        return self._calls.ask(self._stub.PauseLadder, pb.PauseLadderRequest(ladder=ladder, message=message)).ladder

    def resume(self, ladder: str) -> ladder_pb2.Ladder:
        """It begins matches again."""
        return self._calls.ask(self._stub.ResumeLadder, pb.ResumeLadderRequest(ladder=ladder)).ladder

    def close(self, ladder: str, message: str = "") -> ladder_pb2.Ladder:
        """For good."""
        return self._calls.ask(self._stub.CloseLadder, pb.CloseLadderRequest(ladder=ladder, message=message)).ladder

    def standings(
        self, ladder: str, season: int = 0, all_versions: bool = False
    ) -> Sequence[ladder_pb2.LadderStanding]:
        """The best first, of a season; 0: the present one."""
        request = pb.ListLadderStandingsRequest(ladder=ladder, season=season, all_versions=all_versions, page_size=PAGE)
        pages = self._calls.pages(self._stub.ListLadderStandings, request)
        return [row for page in pages for row in page.standings]

    def history(self, ladder: str, bot: str, version: str = "") -> Iterator[rating_pb2.RatingPoint]:
        """How its ratings came to be what they are, the oldest first. Default: of all its versions."""
        request = pb.ListRatingHistoryRequest(ladder=ladder, bot=bot, version=version, page_size=PAGE)
        for page in self._calls.pages(self._stub.ListRatingHistory, request):
            yield from page.points

    def matches(self, ladder: str) -> Iterator[match_pb2.Match]:
        """The newest first."""
        request = match_service_pb2.ListMatchesRequest(ladder=ladder, page_size=PAGE)
        for page in self._calls.pages(self._matches.ListMatches, request):
            yield from page.matches

    def watch(self, ladder: str, after: int = 0) -> Watching[ladder_pb2.LadderEntry]:
        """Every entry after the number `after`, until the ladder is closed, whatever breaks on the way."""

        def opened(after: int) -> Any:
            return self._stub.WatchLadder(
                pb.WatchLadderRequest(ladder=ladder, after=after), metadata=self._calls.metadata
            )

        return Watching(self._calls, opened, after)
