"""A reference implementation of a match, in plain dicts, written from the rules alone.

It predicts the error or the first event of each command; then it reads the events one by one and predicts which event
follows each. A move is legal if the position lists it; clocks are plain sums.
"""

import re
from collections.abc import Sequence
from typing import Any, TypeAlias

from engines.api import Outcome, Position
from referee.match import commands
from referee.match.clock_charge import ClockCharge, TurnMeasurement
from referee.match.events import Event, FlagFell, MovePlayed, MoveRejected, MoveSource, PlayEnded
from referee.match.match_terms import attempts_a_turn
from referee.match.result import VOID_CAUSES, EndCause, EndKind
from referee.match.setup import Player
from referee.match.state import Match
from tests.match.manual_clock import ManualClock

NOTHING = ""
BEFORE_PLAY = (commands.TakeSeat, commands.AddNonce, commands.StartPlay)
DURING_PLAY = (
    commands.SubmitMove,
    commands.Resign,
    commands.OfferDraw,
    commands.AcceptDraw,
    commands.DeclineDraw,
    commands.ClaimDraw,
    commands.AdjudicateMatch,
)
INVALID_AFTER_THE_END = (*BEFORE_PLAY, *DURING_PLAY[1:], commands.AbortMatch, commands.VoidMatch, commands.WithdrawBot)
Turn: TypeAlias = dict[str, int]


class ReferenceMatch:
    """The expected state of a match."""

    def __init__(self, match: Match) -> None:
        """`match` is a new one."""
        self.game, self.setup, self.policies = match.game, match.setup, match.terms.policies
        self.sides = match.table.sides
        self.seats = range(len(match.players))
        self.phase = "waiting"
        self.players = dict(enumerate(match.players))
        self.nonces: dict[int, bytes] = {}
        self.position: Position | None = None
        self.ply = 0
        self.turns: dict[int, Turn] = {}
        self.time = ManualClock(match)
        self.answers: dict[int, dict[str, str]] = {}
        self.out: list[int] = []
        self.faults: list[int] = []
        self.gone: dict[int, int] = {}
        self.offers: set[int] = set()
        self.offered_at: dict[int, int] = {}
        self.moved: set[int] = set()
        self.command: commands.Command = commands.StartPlay()
        self.now = 0

    # Commands and their expected results

    def predict(self, command: commands.Command, now: int) -> str:
        """Return the class of the error, or of the first event, or NOTHING."""
        self.command, self.now = command, now
        seat = getattr(command, "seat", None)
        if seat is not None and seat not in self.seats:
            return "NoSuchSeat"
        if self.phase == "waiting" and isinstance(command, DURING_PLAY):
            return "NotAllowedNow"
        if self.phase == "playing" and isinstance(command, BEFORE_PLAY):
            return "NotAllowedNow"
        if self.phase == "over" and isinstance(command, INVALID_AFTER_THE_END):
            return "MatchOver"
        expected: str = getattr(self, method_for(command))(command)
        return expected

    def _take_seat(self, command: commands.TakeSeat) -> str:
        held = self.players[command.seat]
        if not held.bot or (held.version == "" != command.player.version and held.bot == command.player.bot):
            return "SeatTaken"
        return NOTHING if held == command.player else "SeatHeld"

    def _add_nonce(self, command: commands.AddNonce) -> str:
        given = self.nonces.get(command.seat, command.nonce)
        if not self.setup.terms.nonce_timeout_us or len(command.nonce) > 64 or given != command.nonce:
            return "NonceRefused"
        return NOTHING if command.seat in self.nonces else "NonceAdded"

    def _start_play(self, _: commands.StartPlay) -> str:
        return "PlayStarted" if all(player.bot for player in self.players.values()) else "SeatsOpen"

    def _submit_move(self, command: commands.SubmitMove) -> str:
        last = self.answers.get(command.seat, {})
        if command.token == last.get("token"):
            if last["verdict"] == "late":
                return "ClockExpired"
            if cut(command.move) == cut(last["move"]):
                return NOTHING
        if command.request_id and command.request_id == last.get("request_id"):
            return "RequestIdReused"
        if self.phase == "over":
            return "MatchOver"
        if command.seat not in self.turns or command.token != self.token(command.seat):
            return "StaleTurn"
        return self._judged(command)

    def _judged(self, command: commands.SubmitMove) -> str:
        if self._is_late(command.seat, command.measured):
            return "FlagFell"
        return "MovePlayed" if command.move in self.require_position.moves(command.seat) else "MoveRejected"

    def _fall_flag(self, command: commands.FallFlag) -> str:
        owes = command.seat in self.turns
        return "FlagFell" if owes and self._is_late(command.seat, command.measured) else NOTHING

    def _resign(self, command: commands.Resign) -> str:
        return "SeatOut" if command.seat in self.out else "SeatResigned"

    def _offer_draw(self, command: commands.OfferDraw | commands.AcceptDraw) -> str:
        if command.seat in self.out:
            return "SeatOut"
        others = self.offers - set(self.side(command.seat))
        again = self.offered_at.get(command.seat) == self.ply and not others
        if not self.game.draws_by_agreement:
            return "DrawNotClaimable"
        return "DrawOfferedBefore" if command.seat in self.offers or again else "DrawOffered"

    def _accept_draw(self, command: commands.AcceptDraw) -> str:
        answer = self._decline_draw(commands.DeclineDraw(command.seat))
        return self._offer_draw(command) if answer == "DrawDeclined" else answer

    def _decline_draw(self, command: commands.DeclineDraw) -> str:
        if command.seat in self.out:
            return "SeatOut"
        return "DrawDeclined" if self.offers - set(self.side(command.seat)) else "DrawNotClaimable"

    def _claim_draw(self, command: commands.ClaimDraw) -> str:
        return "PlayEnded" if command.seat in self.turns and self.require_position.claimable else "DrawNotClaimable"

    def _disconnect_seat(self, command: commands.DisconnectSeat) -> str:
        return "SeatDisconnected" if self.phase == "playing" and command.seat not in self.gone else NOTHING

    def _reconnect_seat(self, command: commands.ReconnectSeat) -> str:
        return "SeatReconnected" if self.phase == "playing" and command.seat in self.gone else NOTHING

    def _end_grace_period(self, command: commands.EndGracePeriod) -> str:
        if (
            self.policies.disconnect.action == "clock_decides"
            or not {command.seat} & self.gone.keys() & self.turns.keys()
        ):
            return NOTHING
        waited = self.now - max(self.gone[command.seat], self.turns[command.seat]["started"])
        return "SeatForfeited" if waited >= self.policies.disconnect.grace_period_ms * 1_000 else NOTHING

    def _resume_match(self, _: commands.ResumeMatch) -> str:
        return NOTHING if self.phase == "over" else "RefereeRecovered"

    def _abort_match(self, command: commands.AbortMatch) -> str:
        if command.seat in self.out:
            return "SeatOut"
        return "TooLateToAbort" if command.seat in self.moved else "PlayEnded"

    def _withdraw_bot(self, command: commands.WithdrawBot) -> str:
        held = self.seats_of(command.bot)
        if not held:
            return "NotWithdrawable"
        if self.phase == "waiting":
            return "SeatVacated"
        return "SeatForfeited" if set(held) - set(self.out) else "NotWithdrawable"

    def _void_match(self, command: commands.VoidMatch) -> str:
        return "PlayEnded" if command.cause in VOID_CAUSES else "BadVerdict"

    def _adjudicate_match(self, command: commands.AdjudicateMatch) -> str:
        return "PlayEnded" if len(command.side_ranks) == len(self.sides) else "BadVerdict"

    # Events, and what has to follow each

    def read(self, event: Event) -> str:
        """Apply an event. Return the class of the event that has to follow at once, or NOTHING."""
        assert self.phase != "over", "nothing follows the end"
        assert event.at_us == self.now
        follows: str = getattr(self, method_for(event), self._nothing)(event)
        if follows == NOTHING and isinstance(self.command, commands.WithdrawBot) and self.phase == "playing":
            return "SeatForfeited" if set(self.seats_of(self.command.bot)) - set(self.out) else NOTHING
        return follows

    def _nothing(self, _: Any) -> str:
        return NOTHING

    def _seat_taken(self, event: Any) -> str:
        self.players[event.seat] = event.player
        return NOTHING

    def _seat_vacated(self, event: Any) -> str:
        bot = self.players[event.seat].bot
        self.players[event.seat] = Player()
        self.nonces.pop(event.seat, None)
        return "SeatVacated" if any(player.bot == bot for player in self.players.values()) else NOTHING

    def _nonce_added(self, event: Any) -> str:
        self.nonces[event.seat] = event.nonce
        return NOTHING

    def begin(self, position: Position, seated: Sequence[Player]) -> str:
        """Start play from the game's first position. Return the event that has to follow."""
        self.phase, self.position, self.players = "playing", position, dict(enumerate(seated))
        self._ask()
        return self._settled()

    def _move_played(self, event: MovePlayed) -> str:
        seat, by_bot = event.seat, event.source is MoveSource.BOT
        assert event.move in self.require_position.moves(seat)
        assert event.token.startswith(f"{seat}.{self.turns[seat]['ply']}.")
        # A seat that had a turn and answered is charged; a late one was charged when its flag fell.
        assert (event.row is not None) == (by_bot or self._took_place(seat))
        if event.row:
            self._charge(seat, event.row)
        if by_bot:
            self._remember(event, "played", event.move)
        else:
            assert event.source is self._source(seat)
        self.position = self.require_position.play(seat, event.move)
        self.ply += 1
        del self.turns[seat]
        self.moved.add(seat)
        self.offers &= set(self.side(seat))
        self._ask()
        offers = by_bot and isinstance(self.command, commands.SubmitMove) and self.command.offers_draw
        offers = offers and self.game.draws_by_agreement and self.require_position.outcome is None
        return "DrawOffered" if offers else self._settled()

    def _move_rejected(self, event: MoveRejected) -> str:
        turn = self.turns[event.seat]
        allowed = attempts_a_turn(self.policies)
        assert event.attempts_left == allowed - turn["attempt"] >= 0
        turn["attempt"] += 1
        self._remember(event, "refused", event.move)
        if event.attempts_left:
            return NOTHING
        return "MovePlayed" if self.policies.illegal_move.action == "random_move" else "SeatForfeited"

    def _flag_fell(self, event: FlagFell) -> str:
        assert event.row.late
        self._charge(event.seat, event.row)
        self._remember(event, "late", event.move)
        return "SeatForfeited" if self.policies.timeout == "forfeit" else "MovePlayed"

    def _draw_offered(self, event: Any) -> str:
        self.offers.add(event.seat)
        self.offered_at[event.seat] = self.ply
        if isinstance(self.command, commands.SubmitMove):
            return self._settled()
        return "PlayEnded" if self._all_agree() else NOTHING

    def _draw_declined(self, _: Any) -> str:
        self.offers.clear()
        return NOTHING

    def _seat_resigned(self, event: Any) -> str:
        assert event.seat not in self.out, "a seat drops out once"
        self.out.append(event.seat)
        self.offers.discard(event.seat)
        goes_on = self.policies.forfeit_effect != "ends_match" and len(self.sides) - len(self.sides_out) > 1
        return self._settled() if goes_on and not self._all_agree() else "PlayEnded"

    def _seat_forfeited(self, event: Any) -> str:
        self.faults.append(event.seat)
        return self._seat_resigned(event)

    def _seat_disconnected(self, event: Any) -> str:
        self.gone[event.seat] = self.now
        return NOTHING

    def _seat_reconnected(self, event: Any) -> str:
        del self.gone[event.seat]
        return NOTHING

    def _play_ended(self, event: PlayEnded) -> str:
        self.phase, result = "over", event.result
        assert event.seed == self.setup.seed
        if isinstance(self.command, commands.AbortMatch | commands.VoidMatch):
            assert (result.kind, result.scores, result.ranks) == (EndKind.VOID, (), ())
        else:
            assert [forfeit.seat for forfeit in result.forfeits] == self.faults
            self._check_ranks(event, None if self.position is None else self.position.outcome)
        self.turns.clear()
        self.offers.clear()
        return NOTHING

    def _check_ranks(self, event: PlayEnded, outcome: Outcome | None) -> None:
        result, still_in = event.result, [side for side in range(len(self.sides)) if side not in self.sides_out]
        if isinstance(self.command, commands.AdjudicateMatch):
            assert (result.kind, result.cause) == (EndKind.PLAYED, EndCause.ADJUDICATION)
            return
        assert result.kind is (EndKind.FORFEITED if self.faults else EndKind.PLAYED)
        for side in self.sides_out:
            assert result.side_ranks[side] == len(still_in) + 1
        if outcome:
            assert result.scores == outcome.scores
            better = sorted(still_in, key=lambda side: -outcome.side_scores[side])
            assert [result.side_ranks[side] for side in better] == sorted(result.side_ranks[side] for side in still_in)
        elif (
            isinstance(self.command, commands.OfferDraw | commands.AcceptDraw | commands.ClaimDraw) or self._all_agree()
        ):
            assert all(result.side_ranks[side] == 1 for side in still_in)
        assert [result.ranks[seat] for side in self.sides for seat in side] == [
            result.side_ranks[number] for number, side in enumerate(self.sides) for _ in side
        ]

    # Turns, and moves that no bot chose

    @property
    def require_position(self) -> Position:
        assert self.position is not None
        return self.position

    def token(self, seat: int) -> str:
        turn = self.turns.get(seat)
        return f"{seat}.{turn['ply']}.{turn['attempt']}" if turn else "none"

    def seats_of(self, bot: str) -> list[int]:
        return [seat for seat, player in self.players.items() if player.bot and player.bot == bot]

    def side(self, seat: int) -> tuple[int, ...]:
        return next(side for side in self.sides if seat in side)

    @property
    def sides_out(self) -> set[int]:
        return {number for number, side in enumerate(self.sides) if set(side) & set(self.out)}

    def _all_agree(self) -> bool:
        offering = {number for number, side in enumerate(self.sides) if set(side) & self.offers}
        return offering | self.sides_out == set(range(len(self.sides)))

    def _ask(self) -> None:
        owing = self.require_position.owing
        self.turns = {
            seat: self.turns.get(seat) or {"ply": self.ply, "started": self.now, "attempt": 1} for seat in owing
        }

    def _settled(self) -> str:
        if self.require_position.outcome:
            return "PlayEnded"
        return "MovePlayed" if set(self.turns) & set(self.out) else NOTHING

    def _took_place(self, seat: int) -> bool:
        """Return whether a move drawn for the seat replaces one that was rejected."""
        return seat not in self.out and self.answers[seat]["verdict"] == "refused"

    def _source(self, seat: int) -> MoveSource:
        """Return how a move is chosen that no bot chose."""
        if seat in self.out:
            return MoveSource.RANDOM if self.policies.forfeit_effect == "random_moves" else MoveSource.DEFAULT
        if self._took_place(seat):
            return MoveSource.RANDOM
        return MoveSource.RANDOM if self.policies.timeout == "random_move" else MoveSource.DEFAULT

    def _remember(self, event: MovePlayed | MoveRejected | FlagFell, verdict: str, move: str) -> None:
        self.answers[event.seat] = {
            "token": event.token,
            "move": move,
            "verdict": verdict,
            "request_id": event.request_id,
        }

    # Time

    def _is_late(self, seat: int, measured: TurnMeasurement) -> bool:
        return self.time.is_late(seat, self.turns[seat]["started"], measured)

    def _charge(self, seat: int, row: ClockCharge) -> None:
        assert row.asked_us == self.turns[seat]["started"]
        self.time.charge(seat, row)

    # Comparison with the match under test

    def agrees_with(self, match: Match) -> None:
        assert match.phase.value == self.phase
        assert (match.result is not None) == (self.phase == "over")
        assert match.ply == self.ply
        assert {turn.seat: (turn.token, turn.asked_us) for turn in match.owing} == {
            seat: (self.token(seat), turn["started"]) for seat, turn in self.turns.items()
        }
        assert dict(enumerate(match.clocks)) == self.time.clocks
        assert all(clock.left_us >= 0 for clock in match.clocks)
        assert dict(enumerate(match.credit_us)) == self.time.credit
        assert match.dropped_seats == set(self.out)
        assert match.offers == self.offers
        assert {seat: since for seat, since in enumerate(match.gone_us) if since is not None} == self.gone
        assert match.position == self.position


def method_for(thing: object) -> str:
    """Return `_seat_taken` for a SeatTaken."""
    return re.sub("([A-Z])", r"_\1", type(thing).__name__).lower()


def cut(text: str) -> str:
    """Return the part of a bad move's text that the log keeps."""
    return text if len(text) <= 80 else text[:80] + "..."
