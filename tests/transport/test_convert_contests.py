"""Contests are read from the wire as they are written to it, with every default filled in."""

from typing import Any

import pytest
from referee_api.v1 import contest_pb2, game_pb2, ladder_pb2, match_pb2, sprt_pb2, tournament_pb2

from engines.registry import games
from referee.app.contests.events import LadderMade, TournamentMade
from referee.app.contests.held import Held
from referee.app.contests.held_ladder import LadderFold
from referee.app.refusals import BadField
from referee.app.wish import Limits
from referee.contest.refusals import BadTerms
from referee.contest.sprt import BadSprt
from referee.contest.tournament import Tournament
from referee.core.row import NetworkCredit
from referee.transport.convert.formats import READ
from referee.transport.convert.ladders import ladder_of, read_ladder_terms
from referee.transport.convert.terms import Customs
from referee.transport.convert.tournaments import read_tournament_terms, tournament_of
from referee.transport.refused import BadSeats

CUSTOMS = Customs(games(), NetworkCredit(), Limits())
ALQUERQUE = match_pb2.MatchTerms(rules=game_pb2.Rules(game="alquerque"))
TOC = match_pb2.MatchTerms(rules=game_pb2.Rules(game="toc"))
MOVES = game_pb2.Opening(moves=[game_pb2.SeatMove(seat=0, move="c2-c3")])

FORMATS: dict[str, dict[str, Any]] = {
    "round_robin": {"cycles": 2},
    "swiss": {"rounds": 5},
    "elimination": {"twice": True, "matches_per_pairing": 3, "extra_matches_at_most": 4, "third_place": True},
    "gauntlet": {"challengers": ["ada"], "cycles": 2},
    "pools": {"rounds": 5},
    "sprt": {"elo0": -5, "elo1": 5, "alpha": 0.01, "beta": 0.02, "model": "SPRT_MODEL_TRINOMIAL", "matches_at_most": 9},
}


def tournament(**terms: Any) -> tournament_pb2.TournamentTerms:
    return tournament_pb2.TournamentTerms(**{"match_terms": ALQUERQUE} | terms)


def told(terms: tournament_pb2.TournamentTerms, *, with_openings: bool = True) -> tournament_pb2.TournamentTerms:
    """As they are told to have been understood."""
    read = read_tournament_terms(terms, CUSTOMS)
    held = Held(TournamentMade("cup", "Cup", "ada", "r", read), 0, Tournament(read.tournament))
    return tournament_of(held, CUSTOMS, with_openings=with_openings).terms


def ladder(**terms: Any) -> ladder_pb2.LadderTerms:
    return ladder_pb2.LadderTerms(**{"match_terms": [ALQUERQUE]} | terms)


def ladder_told(terms: ladder_pb2.LadderTerms, *, with_openings: bool = True) -> ladder_pb2.LadderTerms:
    made = LadderMade("main", "Main", "ada", "r", bytes(32), read_ladder_terms(terms, CUSTOMS))
    return ladder_of(LadderFold(games()).opened(made, 0), CUSTOMS, with_openings=with_openings).terms


def test_every_format_can_be_said() -> None:
    assert FORMATS.keys() == READ.keys()
    assert len(READ) == len(tournament_pb2.TournamentTerms.DESCRIPTOR.oneofs_by_name["format"].fields)


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_read_as_it_was_written(name: str) -> None:
    asked = tournament(**{name: FORMATS[name]})
    assert getattr(told(asked), name) == getattr(asked, name)
    assert told(asked) == told(told(asked))


def test_where_nothing_is_said_of_a_tournament_the_defaults_are_told() -> None:
    terms = told(tournament(elimination={}))
    assert terms.elimination == tournament_pb2.Elimination(matches_per_pairing=1, extra_matches_at_most=2)
    assert (terms.seeding, terms.partners) == (tournament_pb2.SEEDING_BY_ENTRY, contest_pb2.PARTNER_RULE_INDIVIDUAL)
    assert not terms.HasField("duplicate")
    assert told(tournament(gauntlet={"challengers": ["ada"]})).gauntlet.cycles == 1
    sprt = told(tournament(sprt={"elo1": 5})).sprt
    assert sprt == sprt_pb2.Sprt(elo1=5, alpha=0.05, beta=0.05, model=sprt_pb2.SPRT_MODEL_PENTANOMIAL)
    assert told(tournament(swiss={"rounds": 3})).tie_breaks[0] == tournament_pb2.TIE_BREAK_BUCHHOLZ


def test_everything_else_of_a_tournament_is_read_as_it_was_written() -> None:
    asked = tournament(
        pools={"rounds": 3},
        match_terms=TOC,
        duplicate={"arrangements": 3, "openings": [MOVES]},
        tie_breaks=["TIE_BREAK_WINS", "TIE_BREAK_PROGRESSIVE"],
        seeding="SEEDING_BY_LOT",
        matches_at_once=7,
        ladder="main",
        late_entry_rounds=2,
        partners="PARTNER_RULE_INDIVIDUAL",
    )
    again = told(asked)
    for field in asked.DESCRIPTOR.fields:
        if field.name not in {"match_terms", "duplicate"}:
            assert getattr(again, field.name) == getattr(asked, field.name), field.name
    assert again.duplicate == asked.duplicate
    assert not told(asked, with_openings=False).duplicate.openings


def test_a_ladder_is_read_as_it_was_written() -> None:
    asked = ladder(
        match_terms=[TOC, TOC],
        duplicate={"arrangements": 2, "openings": [MOVES]},
        partners="PARTNER_RULE_FIXED",
        matches_at_once=7,
        rematch_after=3,
        provisional_matches=5,
        pause_after_faults=2,
    )
    again = ladder_told(asked)
    assert len(again.match_terms) == 2
    del asked.match_terms[:], again.match_terms[:]
    assert again == asked


def test_where_nothing_is_said_of_a_ladder_the_defaults_are_told() -> None:
    again = ladder_told(ladder(duplicate={}))
    assert (again.rematch_after, again.provisional_matches, again.pause_after_faults) == (1, 20, 3)
    assert again.duplicate.arrangements == 2
    assert not ladder_told(ladder(duplicate={"openings": [MOVES]}), with_openings=False).duplicate.openings


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("field", ["elo0", "elo1", "alpha", "beta"])
def test_no_test_is_made_of_what_is_no_number(field: str, number: float) -> None:
    with pytest.raises(BadSprt) as no:
        told(tournament(sprt={"elo1": 5, field: number}))
    assert no.value.details["field"] in (field, "elo1")


@pytest.mark.parametrize(
    "terms",
    [
        {},
        {"swiss": {"rounds": 1}, "tie_breaks": [0]},
        {"swiss": {"rounds": 1}, "tie_breaks": [99]},
        {"swiss": {"rounds": 1}, "seeding": 99},
        {"swiss": {"rounds": 1}, "partners": 99},
        {"sprt": {"elo1": 1, "model": 99}},
    ],
)
def test_a_word_that_means_nothing_is_refused(terms: dict[str, Any]) -> None:
    with pytest.raises(BadField):
        told(tournament(**terms))


@pytest.mark.parametrize(
    "terms",
    [
        {"swiss": {}},
        {"pools": {"rounds": 2**32 - 1}},
        {"round_robin": {"cycles": 2**32 - 1}},
        {"gauntlet": {}},
        {"elimination": {"matches_per_pairing": 2**32 - 1}},
        {"swiss": {"rounds": 3}, "late_entry_rounds": 3},
        {"round_robin": {}, "duplicate": {"arrangements": 3}},
        {"round_robin": {}, "matches_at_once": 2**32 - 1},
    ],
)
def test_a_number_that_cannot_be_is_refused(terms: dict[str, Any]) -> None:
    with pytest.raises(BadTerms):
        told(tournament(**terms))


def test_a_ladder_whose_matches_differ_in_seats_is_refused() -> None:
    with pytest.raises(BadSeats):
        ladder_told(ladder(match_terms=[ALQUERQUE, TOC]))
    with pytest.raises(BadField):
        ladder_told(ladder(match_terms=[]))


@pytest.mark.parametrize("arrangements", [1, 5, 2**32 - 1])
def test_as_many_arrangements_as_there_are_seats_are_the_most(arrangements: int) -> None:
    with pytest.raises(BadField):
        ladder_told(ladder(match_terms=[TOC], duplicate={"arrangements": arrangements}))
