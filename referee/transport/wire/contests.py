"""Converts the parts of contests: entrants, pairings, duplicate play, formats of tournaments, and SPRT."""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from typing import Any

from referee_api.conversion import enum_number
from referee_api.v1 import contest_pb2, match_pb2, seed_pb2, sprt_pb2
from referee_api.v1 import tournament_pb2 as pb
from referee_values import PartnerRule, SprtModel

from engines.api import Table
from referee.accounts.account_errors import BadField
from referee.contests.contest_entrant import EntrantJoined, EntrantLeft
from referee.contests.corrections import Correction
from referee.contests.pairing_progress import PairingProgress
from referee.contests.strength.sprt_evaluation import SprtParameters
from referee.contests.tournament.sprt_trial import TrialState
from referee.contests.tournament.tournament_terms import (
    Elimination,
    Gauntlet,
    Pools,
    RoundRobin,
    SprtTrial,
    Swiss,
    TournamentFormat,
)
from referee.hosting.contest_terms import seating
from referee.hosting.tournament_tables import phase_of
from referee.live.match_request import Opening
from referee.match.setup import Player
from referee.transport.wire.basic_types import maybe_timestamp, read_word
from referee.transport.wire.results import estimate_of
from referee.transport.wire.rules import opening_of

SPRT_DEFAULT_ERROR = 0.05
DEFAULT_EXTRA_MATCHES = Elimination().max_extra_matches


def read_entrant(entrant: contest_pb2.Entrant, field: str) -> tuple[str, tuple[Player, ...]]:
    """Return the name, which may be empty, and the bots. Raises BadField."""
    bots = tuple(Player(bot.bot, bot.version) for bot in entrant.bots)
    if not bots or not all(bot.bot for bot in bots):
        raise BadField(f"{field}.bots", "at least one is required, each with its name")
    return entrant.name, bots


def entrant_of(name: str, bots: Iterable[Player]) -> contest_pb2.Entrant:
    return contest_pb2.Entrant(name=name, bots=[match_pb2.BotRef(bot=bot.bot, version=bot.version) for bot in bots])


def entrant_joined_of(event: EntrantJoined) -> contest_pb2.EntrantJoined:
    return contest_pb2.EntrantJoined(entrant=entrant_of(event.entrant.name, event.entrant.bots))


def entrant_left_of(event: EntrantLeft) -> contest_pb2.EntrantLeft:
    return contest_pb2.EntrantLeft(entrant=event.name, message=event.message)


def contest_commitment_of(seed: bytes, *, over: bool) -> seed_pb2.SeedCommitment:
    """Return the commitment to the seed of a contest, and the seed itself once it is over."""
    return seed_pb2.SeedCommitment(commitment=sha256(seed).digest(), seed=seed if over else b"")


def duplicate_of(arrangements: int, openings: Sequence[Opening]) -> contest_pb2.DuplicatePlay:
    return contest_pb2.DuplicatePlay(arrangements=arrangements, openings=map(opening_of, openings))


def correction_of(correction: Correction) -> contest_pb2.MatchCorrection:
    return contest_pb2.MatchCorrection(
        match_id=correction.match_id,
        kind=enum_number(contest_pb2.CorrectionKind, correction.kind),
        ranks=correction.ranks,
        message=correction.message,
        by=correction.by,
    )


def pairing_of(progress: PairingProgress, no_show_ms: int | None = None) -> contest_pb2.Pairing:
    """`no_show_ms`: when an absent entrant loses it. None: it waits for nobody, or this is not told."""
    pairing = progress.pairing
    results = [progress.round_result(name) for name in pairing.entrants] if progress.is_done else []
    return contest_pb2.Pairing(
        id=pairing.id,
        round=pairing.round,
        board=pairing.board,
        entrants=pairing.entrants,
        phase=enum_number(contest_pb2.PairingPhase, phase_of(progress)),
        match_ids=progress.match_ids.values(),
        points=[result.points for result in results],
        void_matches=sum(progress.void_counts.values()),
        absent_entrants=sorted(progress.absent),
        not_before=maybe_timestamp(progress.not_before_ms or None),
        board_points=[result.board_points for result in results] if progress.boards else (),
        absent_boards=[
            contest_pb2.AbsentBoard(board=board, entrants=sorted(names))
            for board, names in sorted(progress.absent_boards.items())
        ],
        corrections=[correction_of(one.correction) for _, one in sorted(progress.corrections.items())],
        no_show_time=maybe_timestamp(no_show_ms),
    )


def read_format(terms: pb.TournamentTerms, table: Table, partners: PartnerRule) -> TournamentFormat:
    """Raises BadField or BadSprt. The ranges of numbers are checked when the tournament is created."""
    kind = terms.WhichOneof("format")
    if kind is None:
        raise BadField("terms.format", f"it is required; known: {', '.join(FORMAT_READERS)}")
    return FORMAT_READERS[kind](getattr(terms, kind), table, partners)


def _read_elimination(form: pb.Elimination, *_: Any) -> TournamentFormat:
    extra = form.max_extra_matches or DEFAULT_EXTRA_MATCHES
    return Elimination(form.double_elimination, form.matches_per_pairing or 1, extra, form.third_place_match)


def _read_pools(form: pb.Pools, table: Table, partners: PartnerRule) -> TournamentFormat:
    seats = seating(table, partners)
    return Pools(form.rounds, len(seats.places), seats.sides)


def _read_trial(form: Any, table: Table, partners: PartnerRule) -> TournamentFormat:
    seats = seating(table, partners)
    return SprtTrial(*read_sprt(form), len(seats.places), seats.sides)


FORMAT_READERS: dict[str, Callable[[Any, Table, PartnerRule], TournamentFormat]] = {
    "round_robin": lambda form, *_: RoundRobin(form.cycles or 1),
    "swiss": lambda form, *_: Swiss(form.rounds, form.accelerated),
    "elimination": _read_elimination,
    "gauntlet": lambda form, *_: Gauntlet(tuple(form.challengers), form.cycles or 1),
    "pools": _read_pools,
    "sprt": _read_trial,
}
"""Reader of each field of the oneof `format`."""


def format_of(form: TournamentFormat) -> dict[str, Any]:
    """Return the field of `TournamentTerms` and its message, with every default filled in."""
    match form:
        case RoundRobin():
            return {"round_robin": pb.RoundRobin(cycles=form.cycles)}
        case Swiss():
            return {"swiss": pb.Swiss(rounds=form.rounds, accelerated=form.accelerated)}
        case Elimination():
            elimination = pb.Elimination(
                double_elimination=form.twice,
                matches_per_pairing=form.matches,
                max_extra_matches=form.max_extra_matches,
                third_place_match=form.third_place,
            )
            return {"elimination": elimination}
        case Gauntlet():
            return {"gauntlet": pb.Gauntlet(challengers=form.challengers, cycles=form.cycles)}
        case Pools():
            return {"pools": pb.Pools(rounds=form.rounds)}
        case SprtTrial():
            return {"sprt": sprt_of(form.test, form.model)}


def read_sprt(sprt: sprt_pb2.Sprt) -> tuple[SprtParameters, SprtModel]:
    """Raises BadSprt or BadField."""
    test = SprtParameters(
        sprt.elo1,
        sprt.elo0,
        sprt.alpha or SPRT_DEFAULT_ERROR,
        sprt.beta or SPRT_DEFAULT_ERROR,
        sprt.max_matches or None,
    )
    return test, read_word(sprt_pb2.SprtModel, sprt.model or sprt_pb2.SPRT_MODEL_PENTANOMIAL, "terms.sprt.model")


def sprt_of(test: SprtParameters, model: SprtModel) -> sprt_pb2.Sprt:
    return sprt_pb2.Sprt(
        elo0=test.elo0,
        elo1=test.elo1,
        alpha=test.alpha,
        beta=test.beta,
        model=enum_number(sprt_pb2.SprtModel, model),
        max_matches=test.max_matches or 0,
    )


def sprt_state_of(state: TrialState) -> sprt_pb2.SprtState:
    return sprt_pb2.SprtState(
        verdict=enum_number(sprt_pb2.SprtVerdict, state.verdict),
        llr=state.llr,
        llr_lower=state.lower,
        llr_upper=state.upper,
        counts=state.counts,
        estimate=estimate_of(state.estimate),
        matches=state.matches,
        expected_matches_left=state.matches_to_go,
        repeated_matches=state.repeated,
        first_seat_elo=state.first_seat,
    )
