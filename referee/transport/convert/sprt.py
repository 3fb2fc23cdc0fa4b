"""Tests that stop as soon as they know: what is to be decided, and how it stands."""

from referee_api.v1 import sprt_pb2

from referee.contest.formats import Model
from referee.contest.sprt import Sprt, Verdict
from referee.contest.trial import State
from referee.transport.convert.ratings import estimate_of
from referee.transport.convert.words import chosen, word

MODELS = {
    sprt_pb2.SPRT_MODEL_PENTANOMIAL: Model.PENTANOMIAL,
    sprt_pb2.SPRT_MODEL_TRINOMIAL: Model.TRINOMIAL,
}
"""Where nothing is said, the first holds."""
VERDICTS = {
    Verdict.OPEN: sprt_pb2.SPRT_VERDICT_OPEN,
    Verdict.PASSED: sprt_pb2.SPRT_VERDICT_PASSED,
    Verdict.FAILED: sprt_pb2.SPRT_VERDICT_FAILED,
    Verdict.UNDECIDED: sprt_pb2.SPRT_VERDICT_UNDECIDED,
}
USUAL_ERROR = 0.05


def read_sprt(asked: sprt_pb2.Sprt) -> tuple[Sprt, Model]:
    """Raises BadSprt or BadField."""
    test = Sprt(
        asked.elo1,
        asked.elo0,
        asked.alpha or USUAL_ERROR,
        asked.beta or USUAL_ERROR,
        asked.matches_at_most or None,
    )
    return test, chosen(MODELS, asked.model, "terms.sprt.model")


def sprt_of(test: Sprt, model: Model) -> sprt_pb2.Sprt:
    return sprt_pb2.Sprt(
        elo0=test.elo0,
        elo1=test.elo1,
        alpha=test.alpha,
        beta=test.beta,
        model=word(MODELS, model),
        matches_at_most=test.matches_at_most or 0,
    )


def sprt_state_of(state: State) -> sprt_pb2.SprtState:
    return sprt_pb2.SprtState(
        verdict=VERDICTS[state.verdict],
        llr=state.llr,
        llr_lower=state.lower,
        llr_upper=state.upper,
        counts=state.counts,
        estimate=estimate_of(state.estimate),
        matches=state.matches,
        matches_to_go=state.matches_to_go,
    )
