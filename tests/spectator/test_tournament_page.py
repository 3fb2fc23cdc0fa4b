"""Pages of tournaments and ladders: what leads where, for entrants of all kinds."""

from collections.abc import Awaitable, Callable

import pytest
from referee_api.v1 import (
    contest_pb2,
    ladder_pb2,
    ladder_service_pb2,
    match_pb2,
    rating_pb2,
    tournament_pb2,
    tournament_service_pb2,
)

from referee.reporting.markup import joined
from referee.spectator.home_page import home_page
from referee.spectator.ladder_page import ladder_page
from referee.spectator.live_pages import Page
from referee.spectator.match_feeds import MatchFeeds
from referee.spectator.tournament_page import cross_table_page, tournament_page
from referee.spectator.upstream import Upstream
from tests.spectator.fake_upstream import FakeUpstream
from tests.spectator.fast_time import in_fast_time
from tests.spectator.parsed_document import ParsedDocument, check_inert


def entrant(name: str, *bots: str) -> contest_pb2.Entrant:
    return contest_pb2.Entrant(name=name, bots=[match_pb2.BotRef(bot=bot) for bot in bots])


ENTRANTS = (entrant("anna", "anna"), entrant("solo", "bert"), entrant("reds", "cleo", "dora"))
PAIRING = contest_pb2.Pairing(id="1.1", round=1, board=1, entrants=["reds", "solo"])
TOURNAMENT = tournament_pb2.Tournament(
    name="cup", phase=tournament_pb2.TOURNAMENT_PHASE_PLAYING, entrants=ENTRANTS, current_round=1
)
BRACKET = tournament_pb2.TournamentTerms(elimination=tournament_pb2.Elimination())


def referee_of(tournament: tournament_pb2.Tournament) -> FakeUpstream:
    names = [one.name for one in ENTRANTS]
    rating = rating_pb2.Rating(value=1500, deviation=50)
    rows = [ladder_pb2.LadderStanding(rank=rank, entrant=one, rating=rating) for rank, one in enumerate(ENTRANTS, 1)]
    return FakeUpstream(
        tournament_service_pb2.GetTournamentResponse(tournament=tournament),
        tournament_service_pb2.ListPairingsResponse(pairings=[PAIRING]),
        tournament_service_pb2.GetTournamentStandingsResponse(
            standings=[tournament_pb2.TournamentStanding(rank=1, entrant=name) for name in names]
        ),
        tournament_service_pb2.GetCrossTableResponse(
            rows=[tournament_pb2.CrossTableRow(entrant=name) for name in names]
        ),
        ladder_service_pb2.ListLaddersResponse(ladders=[ladder_pb2.Ladder(name="open")]),
        ladder_service_pb2.ListLadderStandingsResponse(standings=rows),
    )


def parsed(page: Page) -> ParsedDocument:
    return check_inert(joined(page.top, *page.regions.values()))


async def home(upstream: Upstream) -> Page:
    return await home_page(upstream, MatchFeeds(upstream, {}))


PAGES: dict[str, Callable[[Upstream], Awaitable[Page]]] = {
    "tournament": lambda upstream: tournament_page(upstream, "cup"),
    "bracket": lambda upstream: tournament_page(upstream, "cup"),
    "cross table": lambda upstream: cross_table_page(upstream, "cup"),
    "ladder": lambda upstream: ladder_page(upstream, "open"),
    "home": home,
}


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_to_bots_whatever_the_names_of_their_entrants_are(name: str) -> None:
    tournament = tournament_pb2.Tournament()
    tournament.CopyFrom(TOURNAMENT)
    if name == "bracket":
        tournament.terms.CopyFrom(BRACKET)

    async def render() -> Page:
        return await PAGES[name](referee_of(tournament))

    page = parsed(in_fast_time(render()))
    linked = {address for address in page.attributes_of("href") if address.startswith("/bots/")}
    bots = {"/bots/anna", "/bots/bert"}
    has_teams = name in {"tournament", "bracket", "ladder"}
    assert linked == (bots | {"/bots/cleo", "/bots/dora"} if has_teams else bots)
    assert {"anna", "solo", "reds"} <= set(page.texts)
