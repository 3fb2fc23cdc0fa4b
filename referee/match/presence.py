"""Command handlers for seats, nonces, the start of play, and sessions that begin and end."""

from dataclasses import replace

from referee.match import seed_commitment
from referee.match.commands import (
    AddNonce,
    DisconnectSeat,
    EndGracePeriod,
    ReconnectSeat,
    ResumeMatch,
    StartPlay,
    TakeSeat,
)
from referee.match.decision import DecisionBuilder
from referee.match.events import (
    MatchResumed,
    NonceAdded,
    PlayStarted,
    SeatDisconnected,
    SeatForfeited,
    SeatReconnected,
    SeatTaken,
)
from referee.match.match_errors import BadSetup, NonceRefused, SeatHeld, SeatsOpen
from referee.match.result import Fault
from referee.match.setup import DisconnectPolicy
from referee.match.state import MatchPhase


def take_seat(builder: DecisionBuilder, command: TakeSeat) -> None:
    held, player = builder.match.players[command.seat], command.player
    if not player.bot:
        raise BadSetup("player", "must have a name; a seat without one is open")
    if player == held:
        return
    # A bot that was assigned without a version may take the seat with any version.
    if held.bot and held != replace(player, version=""):
        raise SeatHeld(command.seat, held.bot)
    builder.add(SeatTaken(builder.now_us, command.seat, player))


def add_nonce(builder: DecisionBuilder, command: AddNonce) -> None:
    match = builder.match
    given = match.nonces[command.seat]
    if not match.setup.nonce_within_us:
        raise NonceRefused("the match uses no nonces")
    if len(command.nonce) > seed_commitment.MAX_NONCE_BYTES:
        raise NonceRefused(f"it has more than {seed_commitment.MAX_NONCE_BYTES} bytes")
    if given is not None and given != command.nonce:
        raise NonceRefused("the seat has already added a different one")
    if given is None:
        builder.add(NonceAdded(builder.now_us, command.seat, command.nonce))


def start_play(builder: DecisionBuilder, _: StartPlay) -> None:
    match = builder.match
    still_open = tuple(seat for seat, player in enumerate(match.players) if not player.bot)
    if still_open:
        raise SeatsOpen(still_open)
    seated = match.players
    if match.setup.by_lot:
        seated = seed_commitment.draw_seats(
            seed_commitment.match_chance(match.setup.seed, [n or b"" for n in match.nonces]), seated
        )
    builder.add(PlayStarted(builder.now_us, seated))
    builder.settle()


def disconnect_seat(builder: DecisionBuilder, command: DisconnectSeat) -> None:
    if builder.match.phase is MatchPhase.PLAYING and builder.match.gone_us[command.seat] is None:
        builder.add(SeatDisconnected(builder.now_us, command.seat))


def reconnect_seat(builder: DecisionBuilder, command: ReconnectSeat) -> None:
    if builder.match.phase is MatchPhase.PLAYING and builder.match.gone_us[command.seat] is not None:
        builder.add(SeatReconnected(builder.now_us, command.seat))


def end_grace_period(builder: DecisionBuilder, command: EndGracePeriod) -> None:
    policies = builder.match.setup.policies
    turn, gone_us = builder.match.turns[command.seat], builder.match.gone_us[command.seat]
    if policies.gone is not DisconnectPolicy.FORFEIT_AFTER_GRACE or turn is None or gone_us is None:
        return
    if builder.now_us - max(gone_us, turn.asked_us) >= policies.grace_us:
        builder.drop_seat(SeatForfeited(builder.now_us, command.seat, Fault.GONE))


def resume_match(builder: DecisionBuilder, command: ResumeMatch) -> None:
    if builder.match.phase is not MatchPhase.OVER:
        builder.add(MatchResumed(builder.now_us, command.down_ms))
