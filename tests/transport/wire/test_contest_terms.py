"""Contests are read from the wire as they are written to it, with every default filled in."""

from typing import Any

import pytest
import referee_values
from referee_api.v1 import game_pb2, ladder_pb2, match_pb2, policy_pb2, tournament_pb2
from referee_values import LadderTerms, MatchTerms, NetworkCredit, TournamentTerms

from engines.registry import games
from referee.accounts.account_errors import BadField, BadSeats
from referee.contests.tournament.state import Tournament
from referee.hosting.contest_log import LadderCreated, TournamentCreated
from referee.hosting.contest_terms import HostedLadderTerms, check_ladder_terms
from referee.hosting.given_terms import TermsReader
from referee.hosting.ladder_state import LadderFold, LadderState
from referee.hosting.tournament_state import TournamentState
from referee.live.match_request import LiveLimits
from referee.live.turns import SeatClock
from referee.match import clock as core
from referee.match import match_terms as core_terms
from referee.match.clock import SECOND, Clock, TimeControl
from referee.match.match_terms import DEFAULT_POLICIES, SHOWN_LIVE
from referee.transport.wire.basic_types import read_value
from referee.transport.wire.clocks import clock_of
from referee.transport.wire.ladders import ladder_of
from referee.transport.wire.terms import TermsConverter
from referee.transport.wire.tournaments import tournament_of

CONVERTER = TermsConverter(TermsReader(games(), NetworkCredit()), LiveLimits())
ALQUERQUE = match_pb2.MatchTerms(rules=game_pb2.Rules(game="alquerque"))
TOC = match_pb2.MatchTerms(rules=game_pb2.Rules(game="toc"))
MOVES = game_pb2.Opening(moves=[game_pb2.SeatMove(seat=0, move="c2-c3")])


def tournament(**terms: Any) -> tournament_pb2.TournamentTerms:
    return tournament_pb2.TournamentTerms(**{"match_terms": ALQUERQUE} | terms)


def round_trip(terms: tournament_pb2.TournamentTerms, *, with_openings: bool = True) -> tournament_pb2.TournamentTerms:
    """Return the terms after they were read and written converted."""
    read = CONVERTER.reader.tournament_terms(read_value(terms, TournamentTerms, "terms"))
    created = TournamentCreated("cup", "Cup", "ada", "r", read)
    state = TournamentState(Tournament(read.tournament), created=created, created_ms=0)
    return tournament_of(state, CONVERTER, with_openings=with_openings).terms


def ladder(**terms: Any) -> ladder_pb2.LadderTerms:
    return ladder_pb2.LadderTerms(**{"match_terms": [ALQUERQUE]} | terms)


def hosted_ladder(terms: ladder_pb2.LadderTerms) -> HostedLadderTerms:
    return CONVERTER.reader.ladder_terms(read_value(terms, LadderTerms, "terms"))


def ladder_state(terms: ladder_pb2.LadderTerms) -> LadderState:
    made = LadderCreated("main", "Main", "ada", "r", bytes(32), hosted_ladder(terms))
    return LadderFold(games()).initial_state(made, 0)


def ladder_round_trip(terms: ladder_pb2.LadderTerms, *, with_openings: bool = True) -> ladder_pb2.LadderTerms:
    return ladder_of(ladder_state(terms), CONVERTER, with_openings=with_openings).terms


def match_terms(game: str = "alquerque", **terms: Any) -> match_pb2.MatchTerms:
    return match_pb2.MatchTerms(rules=game_pb2.Rules(game=game), **terms)


RANDOM_IF_LATE = match_terms(policies={"timeout": "TIMEOUT_ACTION_RANDOM_MOVE"})


@pytest.mark.parametrize(
    ("given", "more", "timeout_ms"),
    [
        (TOC, {}, 1000),
        (match_terms("toc", nonce_timeout_ms=7), {}, 7),
        (match_terms("toc", without_nonces=True), {}, 0),
        (ALQUERQUE, {}, 0),
        (RANDOM_IF_LATE, {}, 1000),
        (RANDOM_IF_LATE, {"duplicate_play": {}}, 0),
    ],
)
def test_nonces_are_asked_for_by_default_if_the_seed_matters_and_matches_form_no_sets(
    given: match_pb2.MatchTerms, more: dict[str, Any], timeout_ms: int
) -> None:
    read = ladder_round_trip(ladder(match_terms=[given], **more))
    assert ladder_round_trip(read) == read
    form = {"pools": {"rounds": 2}} if given.rules.game == "toc" else {"round_robin": {}}
    for terms in (read.match_terms[0], round_trip(tournament(match_terms=given, **form, **more)).match_terms):
        assert (terms.nonce_timeout_ms, terms.without_nonces) == (timeout_ms, not timeout_ms)


def test_matches_of_a_trial_that_counts_sets_ask_for_no_nonces() -> None:
    for model, timeout_ms in (("SPRT_MODEL_TRINOMIAL", 1000), ("SPRT_MODEL_PENTANOMIAL", 0)):
        terms = round_trip(tournament(match_terms=RANDOM_IF_LATE, sprt={"elo1": 5, "model": model}))
        assert terms.match_terms.nonce_timeout_ms == timeout_ms


def test_all_other_terms_of_a_tournament_are_read_as_they_were_written() -> None:
    terms = tournament(
        pools={"rounds": 3},
        match_terms=TOC,
        duplicate_play={"arrangements": 3, "openings": [MOVES]},
        tie_breaks=["TIE_BREAK_WINS", "TIE_BREAK_PROGRESSIVE"],
        seeding="SEEDING_RANDOM",
        max_concurrent_matches=7,
        ladder="main",
        last_entry_round=2,
        partner_rule="PARTNER_RULE_INDIVIDUAL",
        no_show_ms=0,
        max_no_shows=5,
        starts_at={"seconds": 1_796_148_000},
        entries_close_at={"seconds": 1_796_144_400, "nanos": 500_000_000},
        round_break_ms=300_000,
        freeze_versions=True,
        qualification={"tournament": "before", "best": 8},
    )
    converted = round_trip(terms)
    for field in terms.DESCRIPTOR.fields:
        if field.name not in {"match_terms", "duplicate_play"}:
            assert getattr(converted, field.name) == getattr(terms, field.name), field.name
    assert converted.duplicate_play == terms.duplicate_play
    assert not round_trip(terms, with_openings=False).duplicate_play.openings


def test_a_ladder_is_read_as_it_was_written() -> None:
    terms = ladder(
        match_terms=[TOC, TOC],
        duplicate_play={"arrangements": 2, "openings": [MOVES]},
        partner_rule="PARTNER_RULE_FIXED",
        max_concurrent_matches=7,
        rematch_after=3,
        provisional_matches=5,
        pause_after_faults=2,
        max_matches_per_hour=0,
    )
    converted = ladder_round_trip(terms)
    assert len(converted.match_terms) == 2
    del terms.match_terms[:], converted.match_terms[:]
    assert converted == terms


def test_a_ladder_without_provisional_ratings_and_with_rematches_at_once_has_no_defaults_there() -> None:
    terms = ladder(rematch_after=0, provisional_matches=0)
    shown, played = ladder_round_trip(terms), ladder_state(terms).ladder.terms
    assert shown.HasField("rematch_after")
    assert shown.HasField("provisional_matches")
    assert (shown.rematch_after, shown.provisional_matches) == (0, 0)
    assert (played.rematch_after, played.provisional_matches) == (0, 0)


def test_missing_terms_of_a_ladder_have_defaults() -> None:
    converted = ladder_round_trip(ladder(duplicate_play={}))
    assert (converted.rematch_after, converted.provisional_matches, converted.pause_after_faults) == (1, 20, 3)
    assert (converted.duplicate_play.arrangements, converted.max_matches_per_hour) == (2, 120)
    shown = ladder_round_trip(ladder(duplicate_play={"openings": [MOVES]}), with_openings=False)
    assert not shown.duplicate_play.openings


def test_a_ladder_whose_games_differ_in_seats_or_that_is_too_fast_is_rejected() -> None:
    with pytest.raises(BadSeats, match="number of seats in all games of a ladder must be 2, not 4"):
        check_ladder_terms(hosted_ladder(ladder(match_terms=[ALQUERQUE, TOC])), games(), LiveLimits())
    with pytest.raises(BadField):
        ladder_round_trip(ladder(match_terms=[]))
    with pytest.raises(BadField):
        ladder_round_trip(ladder(max_matches_per_hour=3_601))


@pytest.mark.parametrize("arrangements", [1, 5, 2**32 - 1])
def test_arrangements_out_of_range_are_rejected(arrangements: int) -> None:
    with pytest.raises(BadField):
        ladder_round_trip(ladder(match_terms=[TOC], duplicate_play={"arrangements": arrangements}))


CREDIT = NetworkCredit(per_move_ms=5)
CREDITING = TermsConverter(TermsReader(games(), CREDIT), LiveLimits())


def read(message: match_pb2.MatchTerms) -> core_terms.MatchTerms:
    return CREDITING.reader.match_terms(read_value(message, MatchTerms))


def test_missing_fields_have_defaults() -> None:
    terms = read(match_pb2.MatchTerms(rules=game_pb2.Rules(game="alquerque")))
    assert terms.policies == DEFAULT_POLICIES
    assert terms.visibility == SHOWN_LIVE
    assert terms.time_control == referee_values.TimeControl(rule=core.UNTIMED, network_credit=CREDIT)
    assert terms.adjudication is None


def test_an_unknown_enum_value_is_rejected() -> None:
    policies = policy_pb2.Policies(timeout=policy_pb2.TimeoutAction.ValueType(99))
    with pytest.raises(BadField, match="timeout: 99 is unknown; known: 0, 1, 2, 3"):
        read(match_pb2.MatchTerms(rules=game_pb2.Rules(game="alquerque"), policies=policies))


@pytest.mark.parametrize(
    ("control", "clock", "used_s", "main_s", "period_s", "periods", "moves"),
    [
        (core.Fischer(60 * SECOND, SECOND), Clock(20 * SECOND), 5, 15, 0, 0, 0),
        (core.UsDelay(60 * SECOND, 3 * SECOND), Clock(20 * SECOND), 1, 20, 2, 0, 0),
        (core.UsDelay(60 * SECOND, 3 * SECOND), Clock(20 * SECOND), 5, 18, 0, 0, 0),
        (core.PerMove(5 * SECOND), Clock(), 1, 0, 4, 0, 0),
        (core.JapaneseByoYomi(60 * SECOND, 10 * SECOND, 3), Clock(5 * SECOND, 3), 1, 4, 0, 3, 0),
        (core.JapaneseByoYomi(60 * SECOND, 10 * SECOND, 3), Clock(5 * SECOND, 3), 17, 0, 8, 2, 0),
        (core.CanadianByoYomi(60 * SECOND, 10 * SECOND, 5), Clock(5 * SECOND), 1, 4, 0, 0, 0),
        (core.CanadianByoYomi(60 * SECOND, 10 * SECOND, 5), Clock(8 * SECOND, 0, 3), 1, 0, 7, 0, 3),
    ],
)
def test_the_clocks_of_running_turns_are_converted_with_all_parts(
    control: TimeControl, clock: Clock, used_s: int, main_s: int, period_s: int, periods: int, moves: int
) -> None:
    limit_us = control.limit_us(clock)
    assert limit_us is not None
    message = clock_of(SeatClock(0, control, clock, limit_us, used_s * SECOND, limit_us - used_s * SECOND, True, 0))
    parts = (message.main_us // SECOND, message.period_us // SECOND, message.periods_left, message.moves_left)
    assert parts == (main_s, period_s, periods, moves)
    assert message.time_left_us == limit_us - used_s * SECOND
