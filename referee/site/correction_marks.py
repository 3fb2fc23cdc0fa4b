"""Results that staff struck or corrected, as the pages of the site mark them: what counts now, and why."""

from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing

from referee_api.v1 import contest_pb2, ladder_service_pb2, match_pb2, tournament_service_pb2

from referee.show.markup import Markup, joined, tag
from referee.site.upstream import Upstream, UpstreamError

MAX_PAIRINGS = 1_000
"""Pairings on one page. It is the maximum of one call, and more than one round has."""
MARK = "*"
KINDS = {contest_pb2.CORRECTION_KIND_STRUCK: "struck", contest_pb2.CORRECTION_KIND_CORRECTED: "corrected"}


def correction_text(correction: contest_pb2.MatchCorrection) -> str:
    """Return what counts and why: `corrected to 2, 1: the reason`."""
    ranks = f" to the ranks {', '.join(map(str, correction.ranks))}" if correction.ranks else ""
    return f"{KINDS.get(correction.kind, '')}{ranks}: {correction.message}"


def correction_notes(corrections: Iterable[contest_pb2.MatchCorrection]) -> Markup:
    """Return the notes below the result of a pairing."""
    return joined(*(tag("small", f" {MARK} {correction_text(change)}", class_="soft") for change in corrections))


def corrections_list(corrections: Iterable[contest_pb2.MatchCorrection]) -> Markup:
    """Return the notes below standings, with links to the matches; nothing if there are none."""
    listed = [
        tag("li", tag("a", "Match", href=f"/matches/{change.match_id}"), f" {correction_text(change)}")
        for change in corrections
    ]
    return (
        joined(tag("p", f"{MARK} Results that staff struck or corrected:"), tag("ul", *listed))
        if listed
        else Markup("")
    )


async def list_pairings(upstream: Upstream, name: str, number: int) -> tournament_service_pb2.ListPairingsResponse:
    """`number`: the round; 0: all."""
    request = tournament_service_pb2.ListPairingsRequest(tournament=name, round=number, page_size=MAX_PAIRINGS)
    return await upstream.call(request, tournament_service_pb2.ListPairingsResponse)


async def ladder_corrections(upstream: Upstream, name: str) -> list[contest_pb2.MatchCorrection]:
    """Return the newest corrections of a ladder that count, oldest first. Raises UpstreamError."""
    request = ladder_service_pb2.WatchLadderRequest(ladder=name)
    answers: AsyncGenerator[ladder_service_pb2.WatchLadderResponse, None]
    async with aclosing(upstream.stream(request, ladder_service_pb2.WatchLadderResponse)) as answers:
        async for answer in answers:
            return list(answer.items[0].snapshot.corrections)
    return []


async def match_corrections(upstream: Upstream, match: match_pb2.Match) -> list[contest_pb2.MatchCorrection]:
    """Return the corrections of a match in its contests; none where the contest cannot be read."""
    found: list[contest_pb2.MatchCorrection] = []
    try:
        if match.tournament:
            first = match.pairing_id.partition(".")[0]  # The round, except in a bracket, which has fewer pairings.
            pairings = (
                await list_pairings(upstream, match.tournament, int(first) if first.isdecimal() else 0)
            ).pairings
            found += [correction for pairing in pairings for correction in pairing.corrections]
        if match.ladder:
            found += await ladder_corrections(upstream, match.ladder)
    except UpstreamError:
        return []
    return [correction for correction in found if correction.match_id == match.id]
