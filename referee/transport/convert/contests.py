"""What ladders and tournaments have in common: entrants, pairings, duplicate play."""

from collections.abc import Iterable, Sequence

from referee_api.v1 import contest_pb2, match_pb2

from referee.app.contests.terms import Partners
from referee.app.contests.tournament_tables import PairingPhase, phase_of
from referee.app.refusals import BadField
from referee.app.wish import Opening
from referee.contest.pairing import Course
from referee.core.setup import Player
from referee.transport.convert.rules import opening_of

PARTNERS = {
    contest_pb2.PARTNER_RULE_INDIVIDUAL: Partners.INDIVIDUAL,
    contest_pb2.PARTNER_RULE_FIXED: Partners.FIXED,
}
PAIRING_PHASES = {
    contest_pb2.PAIRING_PHASE_PLANNED: PairingPhase.PLANNED,
    contest_pb2.PAIRING_PHASE_PLAYING: PairingPhase.PLAYING,
    contest_pb2.PAIRING_PHASE_DONE: PairingPhase.DONE,
}
_PAIRING_PHASES = {ours: theirs for theirs, ours in PAIRING_PHASES.items()}


def read_entrant(entrant: contest_pb2.Entrant, field: str) -> tuple[str, tuple[Player, ...]]:
    """Its name, if it has one, and its bots. Raises BadField."""
    bots = tuple(Player(bot.bot, bot.version) for bot in entrant.bots)
    if not bots or not all(bot.bot for bot in bots):
        raise BadField(f"{field}.bots", "which bots are to play?")
    return entrant.name, bots


def entrant_of(name: str, bots: Iterable[Player]) -> contest_pb2.Entrant:
    return contest_pb2.Entrant(name=name, bots=[match_pb2.BotRef(bot=bot.bot, version=bot.version) for bot in bots])


def duplicate_of(arrangements: int, openings: Sequence[Opening]) -> contest_pb2.DuplicatePlay:
    return contest_pb2.DuplicatePlay(arrangements=arrangements, openings=map(opening_of, openings))


def pairing_of(course: Course) -> contest_pb2.Pairing:
    pairing = course.pairing
    return contest_pb2.Pairing(
        id=pairing.id,
        round=pairing.round,
        board=pairing.board,
        entrants=pairing.entrants,
        phase=_PAIRING_PHASES[phase_of(course)],
        match_ids=course.match_ids.values(),
        points=[course.encounter(name).points for name in pairing.entrants] if course.done else (),
        voided=sum(course.voided.values()),
    )
