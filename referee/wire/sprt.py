"""Converts SPRT parameters and states (sequential probability ratio tests)."""

from referee_api.v1 import sprt_pb2

from referee.contests.strength.sprt_evaluation import SprtParameters, SprtVerdict
from referee.contests.tournament.sprt_trial import TrialState
from referee.contests.tournament.tournament_formats import OutcomeModel
from referee.wire.basic_types import enum_value, parse_enum_or_default
from referee.wire.results import estimate_of

MODELS = {
    sprt_pb2.SPRT_MODEL_PENTANOMIAL: OutcomeModel.PENTANOMIAL,
    sprt_pb2.SPRT_MODEL_TRINOMIAL: OutcomeModel.TRINOMIAL,
}
"""The first one is the default."""
VERDICTS = {
    SprtVerdict.OPEN: sprt_pb2.SPRT_VERDICT_OPEN,
    SprtVerdict.PASSED: sprt_pb2.SPRT_VERDICT_PASSED,
    SprtVerdict.FAILED: sprt_pb2.SPRT_VERDICT_FAILED,
    SprtVerdict.UNDECIDED: sprt_pb2.SPRT_VERDICT_UNDECIDED,
}
DEFAULT_ERROR = 0.05


def read_sprt(sprt: sprt_pb2.Sprt) -> tuple[SprtParameters, OutcomeModel]:
    """Raises BadSprt or BadField."""
    test = SprtParameters(
        sprt.elo1,
        sprt.elo0,
        sprt.alpha or DEFAULT_ERROR,
        sprt.beta or DEFAULT_ERROR,
        sprt.max_matches or None,
    )
    return test, parse_enum_or_default(MODELS, sprt.model, "terms.sprt.model")


def sprt_of(test: SprtParameters, model: OutcomeModel) -> sprt_pb2.Sprt:
    return sprt_pb2.Sprt(
        elo0=test.elo0,
        elo1=test.elo1,
        alpha=test.alpha,
        beta=test.beta,
        model=enum_value(MODELS, model),
        max_matches=test.matches_at_most or 0,
    )


def sprt_state_of(state: TrialState) -> sprt_pb2.SprtState:
    return sprt_pb2.SprtState(
        verdict=VERDICTS[state.verdict],
        llr=state.llr,
        llr_lower=state.lower,
        llr_upper=state.upper,
        counts=state.counts,
        estimate=estimate_of(state.estimate),
        matches=state.matches,
        expected_matches_left=state.matches_to_go,
    )
