"""Pages of tournaments and ladders, their tables, and parts that several pages use."""

import asyncio
import re
from collections.abc import Callable, Coroutine
from http import HTTPStatus
from typing import Any

import pytest
from google.protobuf.message import Message
from referee_api.v1 import (
    contest_pb2,
    ladder_pb2,
    ladder_service_pb2,
    match_pb2,
    rating_pb2,
    tournament_pb2,
    tournament_service_pb2,
)

from referee.show.markup import joined
from referee.site.correction_marks import match_corrections
from referee.site.home_page import home_page
from referee.site.ladder_page import MAX_STANDINGS, ladder_page
from referee.site.layout import document
from referee.site.live_pages import Page
from referee.site.match_feed import MatchFeeds
from referee.site.tournament_page import cross_table, cross_table_page, round_page, tournament_page
from referee.site.upstream import Upstream, UpstreamError
from tests.show.parsed_page import ParsedPage, check_inert
from tests.site.fake_upstream import FakeUpstream
from tests.site.fast_time import in_fast_time
from tests.site.samples import MATCH_ID


def entrant(name: str, *bots: str) -> contest_pb2.Entrant:
    return contest_pb2.Entrant(name=name, bots=[match_pb2.BotRef(bot=bot) for bot in bots])


ENTRANTS = (entrant("anna", "anna"), entrant("solo", "bert"), entrant("reds", "cleo", "dora"))
PAIRING = contest_pb2.Pairing(id="1.1", round=1, board=1, entrants=["reds", "solo"])
TOURNAMENT = tournament_pb2.Tournament(
    name="cup", phase=tournament_pb2.TOURNAMENT_PHASE_PLAYING, entrants=ENTRANTS, current_round=1
)
BRACKET = tournament_pb2.TournamentTerms(elimination=tournament_pb2.Elimination())


def referee_of(tournament: tournament_pb2.Tournament) -> FakeUpstream:
    names = [side.name for side in ENTRANTS]
    rating = rating_pb2.Rating(value=1500, deviation=50)
    rows = [ladder_pb2.LadderStanding(rank=rank, entrant=side, rating=rating) for rank, side in enumerate(ENTRANTS, 1)]
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


def parsed(page: Page) -> ParsedPage:
    return check_inert(joined(page.top, *page.regions.values()))


async def home(upstream: Upstream) -> Page:
    return await home_page(upstream, MatchFeeds(upstream, {}))


PAGES: dict[str, Callable[[Upstream], Coroutine[Any, Any, Page]]] = {
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

    page = parsed(in_fast_time(PAGES[name](referee_of(tournament))))
    linked = {address for address in page.attributes_of("href") if address.startswith("/bots/")}
    bots = {"/bots/anna", "/bots/bert"}
    has_teams = name in {"tournament", "bracket", "ladder"}
    assert linked == (bots | {"/bots/cleo", "/bots/dora"} if has_teams else bots)
    assert {"anna", "solo", "reds"} <= set(page.texts)


def test_tie_breaks_are_called_by_their_names() -> None:
    answer = tournament_service_pb2.GetTournamentStandingsResponse()
    row = answer.standings.add(rank=1, entrant="anna")
    for tie_break in tournament_pb2.TieBreak.values()[1:]:
        row.tie_breaks.add(tie_break=tie_break)
    upstream = FakeUpstream(tournament_service_pb2.GetTournamentResponse(tournament=TOURNAMENT), answer)
    texts = parsed(in_fast_time(tournament_page(upstream, "cup"))).texts
    assert {"Buchholz", "Median Buchholz", "Sonneborn-Berger", "Direct encounter", "Buchholz cut 1"} <= set(texts)


# Rounds


class LargeReferee(FakeUpstream):
    """A round robin that is planned whole, and whose pairings are returned as the contract says."""

    def __init__(self, entrants: int, current: int, **terms: Any) -> None:
        tournament = tournament_pb2.Tournament(
            name="cup",
            phase=tournament_pb2.TOURNAMENT_PHASE_PLAYING,
            current_round=current,
            total_rounds=entrants - 1,
            terms=tournament_pb2.TournamentTerms(**terms),
        )
        answer = tournament_service_pb2.GetTournamentResponse(tournament=tournament)
        super().__init__(answer)
        self.tournament = answer.tournament
        self.pairings = [
            contest_pb2.Pairing(
                id=f"{number}.{board}", round=number, board=board, entrants=[f"r{number}b{board}", "other"]
            )
            for number in range(1, entrants)
            for board in range(1, entrants // 2 + 1)
        ]
        self.answers["ListPairingsResponse"] = self._list_pairings

    def _list_pairings(self, request: tournament_service_pb2.ListPairingsRequest) -> Message:
        found = [pairing for pairing in self.pairings if request.round in {0, pairing.round}]
        token = "next" if len(found) > request.page_size else ""
        return tournament_service_pb2.ListPairingsResponse(pairings=found[: request.page_size], next_page_token=token)


def pairings_on(page: ParsedPage) -> set[str]:
    return set(re.findall(r"r\d+b\d+", "\n".join(page.texts)))


def linked_rounds(page: ParsedPage) -> list[str]:
    return [address.rpartition("/")[2] for address in page.attributes_of("href") if "/rounds/" in address]


def test_a_small_tournament_shows_all_rounds_and_opens_the_current_one() -> None:
    upstream = LargeReferee(44, current=9)
    page = parsed(in_fast_time(tournament_page(upstream, "cup")))
    assert len(pairings_on(page)) == len(upstream.pairings) < 1_000
    assert linked_rounds(page) == []
    rounds = [attributes for tag, attributes in page.tags if tag == "details"]
    assert ["open" in attributes for attributes in rounds] == [number == 9 for number in range(43, 0, -1)]


@pytest.mark.parametrize("terms", [{}, {"elimination": tournament_pb2.Elimination()}])
def test_a_large_tournament_shows_the_current_round_and_links_to_all_others(terms: dict[str, object]) -> None:
    upstream = LargeReferee(46, current=30, **terms)
    page = parsed(in_fast_time(tournament_page(upstream, "cup")))
    assert pairings_on(page) == {f"r30b{board}" for board in range(1, 24)}
    assert linked_rounds(page) == [f"{number}" for number in range(1, 46)]
    shown: set[str] = set()
    for number in range(1, 46):
        shown |= pairings_on(parsed(in_fast_time(round_page(upstream, "cup", number))))
    assert len(shown) == len(upstream.pairings) > 1_000


def test_only_the_rounds_around_the_shown_one_are_linked_if_there_are_very_many() -> None:
    upstream = LargeReferee(4, current=500)
    upstream.tournament.total_rounds = 50_000
    page = parsed(in_fast_time(round_page(upstream, "cup", 500)))
    assert linked_rounds(page) == ["1", *(f"{number}" for number in range(400, 601)), "50000"]
    assert "This round is not paired yet." in page.texts


@pytest.mark.parametrize("number", [0, 4])
def test_a_round_that_a_tournament_does_not_have_is_not_found(number: int) -> None:
    with pytest.raises(UpstreamError) as raised:
        in_fast_time(round_page(LargeReferee(4, current=1), "cup", number))
    assert raised.value.status == HTTPStatus.NOT_FOUND


def test_the_number_of_rounds_is_left_out_until_it_is_known() -> None:
    upstream = LargeReferee(4, current=2)
    assert "in play, round 2 of 3" in "".join(parsed(in_fast_time(tournament_page(upstream, "cup"))).texts)
    upstream.tournament.total_rounds = 0
    texts = "".join(parsed(in_fast_time(tournament_page(upstream, "cup"))).texts)
    assert "in play, round 2" in texts
    assert "of 0" not in texts


# Times

START_S = 1_800_000_000


def awaited(tournament: tournament_pb2.Tournament, pairing: contest_pb2.Pairing) -> list[str]:
    """Return the texts of the rounds of a tournament with one planned pairing."""
    upstream = referee_of(tournament)
    upstream.answers["ListPairingsResponse"] = tournament_service_pb2.ListPairingsResponse(pairings=[pairing])
    return check_inert(in_fast_time(tournament_page(upstream, "cup")).regions["rounds"]).texts


def planned(terms: tournament_pb2.TournamentTerms) -> tuple[tournament_pb2.Tournament, contest_pb2.Pairing]:
    """Return a tournament, and a pairing of its second round after a break."""
    tournament = tournament_pb2.Tournament(terms=terms)
    tournament.MergeFrom(TOURNAMENT)
    tournament.start_time.FromSeconds(START_S)
    tournament.terms.no_show_ms = 600_000
    pairing = contest_pb2.Pairing(phase=contest_pb2.PAIRING_PHASE_PLANNED)
    pairing.MergeFrom(PAIRING)
    pairing.round = 2
    pairing.not_before.FromSeconds(START_S + 3_600)
    return tournament, pairing


@pytest.mark.parametrize("terms", [tournament_pb2.TournamentTerms(), BRACKET])
def test_a_planned_pairing_shows_when_its_break_ends_and_then_when_an_absent_entrant_loses(
    terms: tournament_pb2.TournamentTerms,
) -> None:
    tournament, pairing = planned(terms)
    text = "".join(awaited(tournament, pairing))
    assert "planned, break until 2027-01-15 09:00 UTC, then 600 s for absent entrants" in text
    assert "A planned pairing starts when" in text
    pairing.no_show_time.FromSeconds(START_S + 4_200)
    text = "".join(awaited(tournament, pairing))
    assert "planned, an absent entrant loses at 2027-01-15 09:10 UTC" in text
    assert "until" not in text


@pytest.mark.parametrize("phase", [contest_pb2.PAIRING_PHASE_PLAYING, contest_pb2.PAIRING_PHASE_DONE])
def test_a_pairing_that_has_begun_waits_for_nobody(phase: contest_pb2.PairingPhase.ValueType) -> None:
    tournament, pairing = planned(tournament_pb2.TournamentTerms())
    pairing.phase = phase
    assert "until" not in "".join(awaited(tournament, pairing))


def test_without_a_limit_nobody_loses_by_absence() -> None:
    tournament, pairing = planned(tournament_pb2.TournamentTerms())
    tournament.terms.no_show_ms = 0
    text = "".join(awaited(tournament, pairing))
    assert "break until" in text
    assert "absent" not in text


def test_a_finished_tournament_stays_on_the_home_page_below_those_in_play() -> None:
    finished = tournament_pb2.Tournament(
        name="old", phase=tournament_pb2.TOURNAMENT_PHASE_FINISHED, current_round=1, total_rounds=1
    )
    finished.start_time.FromSeconds(START_S)
    finished.end_time.FromSeconds(START_S + 3_600)
    upstream = FakeUpstream()
    upstream.answers["ListTournamentsResponse"] = lambda request: tournament_service_pb2.ListTournamentsResponse(
        tournaments=[tournament for tournament in (finished, TOURNAMENT) if tournament.phase == request.phase]
    )
    page = check_inert(in_fast_time(home(upstream)).regions["tournaments"])
    links = [address for address in page.attributes_of("href") if address.startswith("/tournaments/")]
    assert links == ["/tournaments/cup", "/tournaments/old"]
    assert "finished 2027-01-15 09:00 UTC" in "".join(page.texts)


# Corrections

STRUCK = contest_pb2.MatchCorrection(
    match_id="m-1", kind=contest_pb2.CORRECTION_KIND_STRUCK, message="the power failed"
)
CORRECTED = contest_pb2.MatchCorrection(
    match_id="m-2", kind=contest_pb2.CORRECTION_KIND_CORRECTED, ranks=[2, 1], message="an illegal move counted"
)
SENTENCES = ("struck: the power failed", "corrected to the ranks 2, 1: an illegal move counted")


def corrected_tournament() -> FakeUpstream:
    upstream = referee_of(TOURNAMENT)
    pairing = contest_pb2.Pairing(
        id="1.1", round=1, board=1, entrants=["reds", "solo"], match_ids=["m-1", "m-2"], corrections=[STRUCK, CORRECTED]
    )
    upstream.answers["ListPairingsResponse"] = tournament_service_pb2.ListPairingsResponse(pairings=[pairing])
    snapshot = ladder_service_pb2.LadderSnapshot(corrections=[STRUCK, CORRECTED])
    upstream.answers["WatchLadderResponse"] = ladder_service_pb2.WatchLadderResponse(
        items=[ladder_service_pb2.WatchLadderItem(snapshot=snapshot)]
    )
    return upstream


def test_corrected_results_are_marked_in_pairings_and_standings_with_the_reason() -> None:
    page = in_fast_time(tournament_page(corrected_tournament(), "cup"))
    standings = check_inert(page.regions["standings"])
    assert [text for text in standings.texts if text.endswith("*")] == ["0*", "0*"]
    assert {"/matches/m-1", "/matches/m-2"} <= set(standings.attributes_of("href"))
    for region in ("standings", "rounds"):
        shown = " ".join(check_inert(page.regions[region]).texts)
        assert [sentence for sentence in SENTENCES if sentence not in shown] == []


def test_the_corrections_of_a_ladder_are_below_its_standings() -> None:
    page = in_fast_time(ladder_page(corrected_tournament(), "open"))
    shown = " ".join(check_inert(page.regions["standings"]).texts)
    assert [sentence for sentence in SENTENCES if sentence not in shown] == []


@pytest.mark.parametrize("contest", [{"tournament": "cup", "pairing_id": "1.1"}, {"ladder": "open"}])
def test_the_corrections_of_a_match_are_those_of_its_contest(contest: dict[str, str]) -> None:
    match = match_pb2.Match(id="m-2", **contest)  # type: ignore[arg-type]  # They are texts.
    assert in_fast_time(match_corrections(corrected_tournament(), match)) == [CORRECTED]


MAX_BYTES = 2_000_000


def rows_of(count: int) -> list[tournament_pb2.CrossTableRow]:
    """Return the table of a round robin, in which whoever is ahead in the alphabet wins both matches."""
    names = [f"a-team-with-a-long-but-allowed-name-{number:03}" for number in range(count)]
    return [
        tournament_pb2.CrossTableRow(
            entrant=mine,
            cells=[
                tournament_pb2.CrossTableCell(opponent=other, points=2.0 * (mine < other), match_ids=[MATCH_ID] * 2)
                for other in names
                if other != mine
            ],
        )
        for mine in names
    ]


@pytest.mark.parametrize("count", [2, 16, 41, 150])
def test_every_entrant_has_a_row_and_a_column(count: int) -> None:
    answer = tournament_service_pb2.GetCrossTableResponse(rows=rows_of(count))
    html = document(in_fast_time(cross_table_page(FakeUpstream(answer), "cup")), "/")
    assert len(html.encode()) < MAX_BYTES
    parsed = check_inert(html)
    assert parsed.classes_of("td").count("self") == count
    assert sum(tag == "tr" for tag, _ in parsed.tags) == count + 1
    assert sum(tag == "th" for tag, _ in parsed.tags) == 2 * count + 2
    assert parsed.attributes_of("href").count(f"/matches/{MATCH_ID}") == count * (count - 1)


def test_points_are_summed_and_missing_meetings_are_empty() -> None:
    rows = rows_of(3)
    del rows[0].cells[1]
    rows[1].cells[0].points = 0.5
    parsed = check_inert(cross_table(rows, {}))
    assert parsed.classes_of("td").count("none") == 1
    assert parsed.texts.count("2½") == 1


def test_a_pairing_that_was_lost_by_absence_has_points_and_no_link() -> None:
    row = tournament_pb2.CrossTableRow(
        entrant="anna", cells=[tournament_pb2.CrossTableCell(opponent="bert", points=1, no_shows=1)]
    )
    parsed = check_inert(cross_table([row, tournament_pb2.CrossTableRow(entrant="bert")], {}))
    assert "/matches/" not in "".join(parsed.attributes_of("href"))
    assert parsed.texts.count("1") == 4  # The rank in the row and the column, the cell, and the sum.


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
