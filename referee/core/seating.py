"""Before play, and coming and going during it: seats, nonces, the start, sessions."""

from dataclasses import replace

from referee.core import fair
from referee.core.commands import Begin, EndGrace, GiveNonce, Leave, Resume, Return, TakeSeat
from referee.core.course import Course
from referee.core.errors import BadSetup, NonceRefused, SeatHeld, SeatsOpen
from referee.core.events import NonceGiven, PlayBegan, RefereeBack, SeatBack, SeatForfeited, SeatGone, SeatTaken
from referee.core.match import Phase
from referee.core.policy import Gone
from referee.core.result import Fault


def take_seat(course: Course, command: TakeSeat) -> None:
    held, player = course.match.players[command.seat], command.player
    if not player.bot:
        raise BadSetup("player", "has a name; without one a seat is open")
    if player == held:
        return
    # A bot whose version was left open may come as any.
    if held.bot and held != replace(player, version=""):
        raise SeatHeld(command.seat, held.bot)
    course.happens(SeatTaken(course.now_us, command.seat, player))


def give_nonce(course: Course, command: GiveNonce) -> None:
    match = course.match
    given = match.nonces[command.seat]
    if not match.setup.nonce_within_us:
        raise NonceRefused("this match asks for none")
    if len(command.nonce) > fair.NONCE_BYTES_AT_MOST:
        raise NonceRefused(f"it has more than {fair.NONCE_BYTES_AT_MOST} bytes")
    if given is not None and given != command.nonce:
        raise NonceRefused("this seat has given another one")
    if given is None:
        course.happens(NonceGiven(course.now_us, command.seat, command.nonce))


def begin(course: Course, _: Begin) -> None:
    match = course.match
    still_open = tuple(seat for seat, player in enumerate(match.players) if not player.bot)
    if still_open:
        raise SeatsOpen(still_open)
    seated = match.players
    if match.setup.by_lot:
        seated = fair.drawn_seats(fair.match_chance(match.setup.seed, [n or b"" for n in match.nonces]), seated)
    course.happens(PlayBegan(course.now_us, seated))
    course.settle()


def leave(course: Course, command: Leave) -> None:
    if course.match.phase is Phase.PLAYING and course.match.gone_us[command.seat] is None:
        course.happens(SeatGone(course.now_us, command.seat))


def come_back(course: Course, command: Return) -> None:
    if course.match.phase is Phase.PLAYING and course.match.gone_us[command.seat] is not None:
        course.happens(SeatBack(course.now_us, command.seat))


def end_grace(course: Course, command: EndGrace) -> None:
    policies = course.match.setup.policies
    turn, gone_us = course.match.turns[command.seat], course.match.gone_us[command.seat]
    if policies.gone is not Gone.FORFEIT_AFTER_GRACE or turn is None or gone_us is None:
        return
    if course.now_us - max(gone_us, turn.asked_us) >= policies.grace_us:
        course.drop(SeatForfeited(course.now_us, command.seat, Fault.GONE))


def resume(course: Course, command: Resume) -> None:
    if course.match.phase is not Phase.OVER:
        course.happens(RefereeBack(course.now_us, command.down_ms))
