"""The page of a ladder with more entrants than it shows."""

import asyncio

import pytest
from referee_api.v1 import contest_pb2, ladder_pb2, ladder_service_pb2, rating_pb2

from referee.site.ladder_page import MAX_STANDINGS, ladder_page
from tests.site.fake_upstream import FakeUpstream


@pytest.mark.parametrize(("entrants", "said"), [(MAX_STANDINGS, False), (MAX_STANDINGS + 1, True)])
def test_the_page_says_if_it_shows_only_the_first_entrants(entrants: int, said: bool) -> None:
    rows = [
        ladder_pb2.LadderStanding(
            rank=number + 1,
            entrant=contest_pb2.Entrant(name=f"bot-{number}"),
            rating=rating_pb2.Rating(value=1500, deviation=50),
        )
        for number in range(MAX_STANDINGS)
    ]
    upstream = FakeUpstream(
        ladder_service_pb2.GetLadderResponse(ladder=ladder_pb2.Ladder(name="open", entrant_count=entrants)),
        ladder_service_pb2.ListLadderStandingsResponse(standings=rows),
    )
    page = asyncio.run(ladder_page(upstream, "open"))
    standings = page.regions["standings"]
    assert "bot-199" in standings
    assert (f"The first 200 of {entrants} entrants." in standings) is said
