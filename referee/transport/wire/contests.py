"""Converts the parts of contests: entrants, pairings, duplicate play, formats of tournaments, and SPRT."""

from hashlib import sha256

from referee_api.conversion import enum_number
from referee_api.v1 import contest_pb2, seed_pb2, sprt_pb2
from referee_values import Entrant

from referee.accounts.account_errors import BadField
from referee.contests.contest_entrant import ContestEntrant, EntrantLeft
from referee.contests.corrections import Correction
from referee.contests.pairing_progress import PairingProgress
from referee.contests.tournament.sprt_trial import TrialState
from referee.hosting.tournament_tables import phase_of
from referee.match.setup import Player
from referee.transport.wire.basic_types import copy_fields, maybe_timestamp
from referee.transport.wire.results import estimate_of


def read_entrant(entrant: contest_pb2.Entrant | Entrant, field: str) -> tuple[str, tuple[Player, ...]]:
    """Return the name, which may be empty, and the bots. Raises BadField."""
    bots = tuple(Player(bot.bot, bot.version) for bot in entrant.bots)
    if not bots or not all(bot.bot for bot in bots):
        raise BadField(f"{field}.bots", "at least one is required, each with its name")
    return entrant.name, bots


def entrant_of(entrant: ContestEntrant) -> contest_pb2.Entrant:
    return copy_fields(entrant, contest_pb2.Entrant)


def entrant_left_of(event: EntrantLeft) -> contest_pb2.EntrantLeft:
    return contest_pb2.EntrantLeft(entrant=event.name, message=event.message)


def contest_commitment_of(seed: bytes, *, over: bool) -> seed_pb2.SeedCommitment:
    """Return the commitment to the seed of a contest, and the seed itself once it is over."""
    return seed_pb2.SeedCommitment(commitment=sha256(seed).digest(), seed=seed if over else b"")


def correction_of(correction: Correction) -> contest_pb2.MatchCorrection:
    return copy_fields(correction, contest_pb2.MatchCorrection)


def pairing_of(progress: PairingProgress, no_show_ms: int | None = None) -> contest_pb2.Pairing:
    """`no_show_ms`: when an absent entrant loses it. None: it waits for nobody, or this is not told."""
    pairing = progress.pairing
    results = [progress.round_result(name) for name in pairing.entrants] if progress.is_done else []
    return copy_fields(
        pairing,
        contest_pb2.Pairing,
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
        corrections=[correction_of(score.correction) for _, score in sorted(progress.corrections.items())],
        no_show_time=maybe_timestamp(no_show_ms),
    )


def sprt_state_of(state: TrialState) -> sprt_pb2.SprtState:
    return copy_fields(
        state,
        sprt_pb2.SprtState,
        llr_lower=state.lower,
        llr_upper=state.upper,
        estimate=estimate_of(state.estimate),
        expected_matches_left=state.matches_to_go,
        repeated_matches=state.repeated,
        first_seat_elo=state.first_seat,
    )
