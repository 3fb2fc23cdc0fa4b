"""Converts what ladders and tournaments share: entrants, pairings and duplicate play."""

from collections.abc import Iterable, Sequence

from referee_api.v1 import contest_pb2, match_pb2

from referee.accounts.account_errors import BadField
from referee.contests.pairing_progress import PairingProgress
from referee.hosting.contest_terms import Partners
from referee.hosting.tournament_tables import PairingPhase, phase_of
from referee.live.match_request import Opening
from referee.match.setup import Player
from referee.wire.rules import opening_of

PARTNERS = {
    contest_pb2.PARTNER_RULE_INDIVIDUAL: Partners.INDIVIDUAL,
    contest_pb2.PARTNER_RULE_FIXED: Partners.FIXED,
}
PAIRING_PHASES = {
    contest_pb2.PAIRING_PHASE_PLANNED: PairingPhase.PLANNED,
    contest_pb2.PAIRING_PHASE_PLAYING: PairingPhase.PLAYING,
    contest_pb2.PAIRING_PHASE_DONE: PairingPhase.DONE,
}
_PAIRING_PHASES = {phase: number for number, phase in PAIRING_PHASES.items()}


def read_entrant(entrant: contest_pb2.Entrant, field: str) -> tuple[str, tuple[Player, ...]]:
    """Return the name, which may be empty, and the bots. Raises BadField."""
    bots = tuple(Player(bot.bot, bot.version) for bot in entrant.bots)
    if not bots or not all(bot.bot for bot in bots):
        raise BadField(f"{field}.bots", "at least one is required, each with its name")
    return entrant.name, bots


def entrant_of(name: str, bots: Iterable[Player]) -> contest_pb2.Entrant:
    return contest_pb2.Entrant(name=name, bots=[match_pb2.BotRef(bot=bot.bot, version=bot.version) for bot in bots])


def duplicate_of(arrangements: int, openings: Sequence[Opening]) -> contest_pb2.DuplicatePlay:
    return contest_pb2.DuplicatePlay(arrangements=arrangements, openings=map(opening_of, openings))


def pairing_of(progress: PairingProgress) -> contest_pb2.Pairing:
    pairing = progress.pairing
    return contest_pb2.Pairing(
        id=pairing.id,
        round=pairing.round,
        board=pairing.board,
        entrants=pairing.entrants,
        phase=_PAIRING_PHASES[phase_of(progress)],
        match_ids=progress.match_ids.values(),
        points=[progress.round_result(name).points for name in pairing.entrants] if progress.is_done else (),
        void_matches=sum(progress.void_counts.values()),
    )
