"""A second referee, who keeps a match by hand in plain dicts, from the words of the rules alone.

It is told every command and foretells the refusal or the first event; then it reads the events one by
one, and says after each what has to follow. Legal is what a position lists; time is added up by hand.
"""

import re
from typing import Any, TypeAlias

from engines.api import Game, Outcome, Position
from referee.core.commands import (
    Abort,
    AcceptDraw,
    Adjudicate,
    Begin,
    ClaimDraw,
    Command,
    DeclineDraw,
    EndGrace,
    FallFlag,
    GiveNonce,
    Leave,
    OfferDraw,
    Resign,
    Resume,
    Return,
    SubmitMove,
    TakeSeat,
    Void,
)
from referee.core.events import Event, FlagFell, MovePlayed, MoveRefused, PlayEnded, Source
from referee.core.match import Match
from referee.core.policy import Dropout, Gone, Illegal, Late
from referee.core.result import VOID_CAUSES, Cause, Kind
from referee.core.row import ClockRow, Measured
from referee.core.setup import Setup
from tests.core.time_by_hand import TimeByHand

NOTHING = ""
BEFORE_PLAY = (TakeSeat, GiveNonce, Begin)
DURING_PLAY = (SubmitMove, Resign, OfferDraw, AcceptDraw, DeclineDraw, ClaimDraw, Adjudicate)
NO_LONGER = (*BEFORE_PLAY, *DURING_PLAY[1:], Abort, Void)
Turn: TypeAlias = dict[str, int]


class Book:
    """What a match should be by now."""

    def __init__(self, game: Game, setup: Setup) -> None:
        self.game, self.setup, self.policies = game, setup, setup.policies
        self.sides = game.table(setup.settings).sides
        self.seats = range(len(setup.players))
        self.phase = "waiting"
        self.players = dict(enumerate(setup.players))
        self.nonces: dict[int, bytes] = {}
        self.position: Position | None = None
        self.ply = 0
        self.turns: dict[int, Turn] = {}
        self.time = TimeByHand(setup, self.sides)
        self.answers: dict[int, dict[str, str]] = {}
        self.out: list[int] = []
        self.faults: list[int] = []
        self.gone: dict[int, int] = {}
        self.offers: set[int] = set()
        self.offered_at: dict[int, int] = {}
        self.moved: set[int] = set()
        self.command: Command = Begin()
        self.now = 0

    # What a command should bring

    def foretell(self, command: Command, now: int) -> str:
        """The class of the refusal, or of the first event, or NOTHING."""
        self.command, self.now = command, now
        seat = getattr(command, "seat", None)
        if seat is not None and seat not in self.seats:
            return "NoSuchSeat"
        if self.phase == "waiting" and isinstance(command, DURING_PLAY):
            return "NotAllowedNow"
        if self.phase == "playing" and isinstance(command, BEFORE_PLAY):
            return "NotAllowedNow"
        if self.phase == "over" and isinstance(command, NO_LONGER):
            return "MatchOver"
        foretold: str = getattr(self, method_for(command))(command)
        return foretold

    def _take_seat(self, command: TakeSeat) -> str:
        held = self.players[command.seat]
        if not held.bot or (held.version == "" != command.player.version and held.bot == command.player.bot):
            return "SeatTaken"
        return NOTHING if held == command.player else "SeatHeld"

    def _give_nonce(self, command: GiveNonce) -> str:
        given = self.nonces.get(command.seat, command.nonce)
        if not self.setup.nonce_within_us or len(command.nonce) > 64 or given != command.nonce:
            return "NonceRefused"
        return NOTHING if command.seat in self.nonces else "NonceGiven"

    def _begin(self, _: Begin) -> str:
        return "PlayBegan" if all(player.bot for player in self.players.values()) else "SeatsOpen"

    def _submit_move(self, command: SubmitMove) -> str:
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

    def _judged(self, command: SubmitMove) -> str:
        if self._is_late(command.seat, command.measured):
            return "FlagFell"
        return "MovePlayed" if command.move in self.at_play.moves(command.seat) else "MoveRefused"

    def _fall_flag(self, command: FallFlag) -> str:
        owes = command.seat in self.turns
        return "FlagFell" if owes and self._is_late(command.seat, command.measured) else NOTHING

    def _resign(self, command: Resign) -> str:
        return "SeatOut" if command.seat in self.out else "SeatResigned"

    def _offer_draw(self, command: OfferDraw | AcceptDraw) -> str:
        if command.seat in self.out:
            return "SeatOut"
        others = self.offers - set(self.side(command.seat))
        again = self.offered_at.get(command.seat) == self.ply and not others
        if not self.game.draws_by_agreement:
            return "NoDraw"
        return "OfferedBefore" if command.seat in self.offers or again else "DrawOffered"

    def _accept_draw(self, command: AcceptDraw) -> str:
        answer = self._decline_draw(DeclineDraw(command.seat))
        return self._offer_draw(command) if answer == "DrawDeclined" else answer

    def _decline_draw(self, command: DeclineDraw) -> str:
        if command.seat in self.out:
            return "SeatOut"
        return "DrawDeclined" if self.offers - set(self.side(command.seat)) else "NoDraw"

    def _claim_draw(self, command: ClaimDraw) -> str:
        return "PlayEnded" if command.seat in self.turns and self.at_play.claimable else "NoDraw"

    def _leave(self, command: Leave) -> str:
        return "SeatGone" if self.phase == "playing" and command.seat not in self.gone else NOTHING

    def _return(self, command: Return) -> str:
        return "SeatBack" if self.phase == "playing" and command.seat in self.gone else NOTHING

    def _end_grace(self, command: EndGrace) -> str:
        if self.policies.gone is Gone.CLOCK_DECIDES or not {command.seat} & self.gone.keys() & self.turns.keys():
            return NOTHING
        waited = self.now - max(self.gone[command.seat], self.turns[command.seat]["asked"])
        return "SeatForfeited" if waited >= self.policies.grace_us else NOTHING

    def _resume(self, _: Resume) -> str:
        return NOTHING if self.phase == "over" else "RefereeBack"

    def _abort(self, command: Abort) -> str:
        if command.seat in self.out:
            return "SeatOut"
        return "TooLateToAbort" if command.seat in self.moved else "PlayEnded"

    def _void(self, command: Void) -> str:
        return "PlayEnded" if command.cause in VOID_CAUSES else "BadVerdict"

    def _adjudicate(self, command: Adjudicate) -> str:
        return "PlayEnded" if len(command.side_ranks) == len(self.sides) else "BadVerdict"

    # What an event changes, and what has to follow

    def read(self, event: Event) -> str:
        """Take note of an event; the class of the one that has to follow at once, or NOTHING."""
        assert self.phase != "over", "nothing follows the end"
        assert event.at_us == self.now
        follows: str = getattr(self, method_for(event), self._nothing)(event)
        return follows

    def _nothing(self, _: Any) -> str:
        return NOTHING

    def _seat_taken(self, event: Any) -> str:
        self.players[event.seat] = event.player
        return NOTHING

    def _nonce_given(self, event: Any) -> str:
        self.nonces[event.seat] = event.nonce
        return NOTHING

    def begin(self, position: Position) -> str:
        """Play has begun: the first position is the game's to say."""
        self.phase, self.position = "playing", position
        self._ask()
        return self._settled()

    def _move_played(self, event: MovePlayed) -> str:
        seat, by_bot = event.seat, event.source is Source.BOT
        assert event.move in self.at_play.moves(seat)
        assert event.token.startswith(f"{seat}.{self.turns[seat]['ply']}.")
        # Who was asked and answered is charged; the late were charged when their flag fell.
        assert (event.row is not None) == (by_bot or self._took_place(seat))
        if event.row:
            self._charge(seat, event.row)
        if by_bot:
            self._remember(event, "played", event.move)
        else:
            assert event.source is self._source(seat)
        self.position = self.at_play.play(seat, event.move)
        self.ply += 1
        del self.turns[seat]
        self.moved.add(seat)
        self.offers &= set(self.side(seat))
        self._ask()
        offers = by_bot and isinstance(self.command, SubmitMove) and self.command.offers_draw
        offers = offers and self.game.draws_by_agreement and self.at_play.outcome is None
        return "DrawOffered" if offers else self._settled()

    def _move_refused(self, event: MoveRefused) -> str:
        turn = self.turns[event.seat]
        allowed = self.policies.attempts if self.policies.illegal is Illegal.REFUSE_THEN_FORFEIT else 1
        assert event.attempts_left == allowed - turn["attempt"] >= 0
        turn["attempt"] += 1
        self._remember(event, "refused", event.move)
        if event.attempts_left:
            return NOTHING
        return "MovePlayed" if self.policies.illegal is Illegal.RANDOM_MOVE else "SeatForfeited"

    def _flag_fell(self, event: FlagFell) -> str:
        assert event.row.late
        self._charge(event.seat, event.row)
        self._remember(event, "late", event.move)
        return "SeatForfeited" if self.policies.late is Late.FORFEIT else "MovePlayed"

    def _draw_offered(self, event: Any) -> str:
        self.offers.add(event.seat)
        self.offered_at[event.seat] = self.ply
        if isinstance(self.command, SubmitMove):
            return self._settled()
        return "PlayEnded" if self._all_agree() else NOTHING

    def _draw_declined(self, _: Any) -> str:
        self.offers.clear()
        return NOTHING

    def _seat_resigned(self, event: Any) -> str:
        self.out.append(event.seat)
        self.offers.discard(event.seat)
        goes_on = self.policies.dropout is not Dropout.ENDS_MATCH and len(self.sides) - len(self.sides_out) > 1
        return self._settled() if goes_on and not self._all_agree() else "PlayEnded"

    def _seat_forfeited(self, event: Any) -> str:
        self.faults.append(event.seat)
        return self._seat_resigned(event)

    def _seat_gone(self, event: Any) -> str:
        self.gone[event.seat] = self.now
        return NOTHING

    def _seat_back(self, event: Any) -> str:
        del self.gone[event.seat]
        return NOTHING

    def _play_ended(self, event: PlayEnded) -> str:
        self.phase, result = "over", event.result
        assert event.seed == self.setup.seed
        if isinstance(self.command, Abort | Void):
            assert (result.kind, result.scores, result.ranks) == (Kind.VOID, (), ())
        else:
            assert [forfeit.seat for forfeit in result.forfeits] == self.faults
            self._check_ranks(event, None if self.position is None else self.position.outcome)
        self.turns.clear()
        self.offers.clear()
        return NOTHING

    def _check_ranks(self, event: PlayEnded, outcome: Outcome | None) -> None:
        result, still_in = event.result, [side for side in range(len(self.sides)) if side not in self.sides_out]
        if isinstance(self.command, Adjudicate):
            assert (result.kind, result.cause) == (Kind.PLAYED, Cause.ADJUDICATION)
            return
        assert result.kind is (Kind.FORFEITED if self.faults else Kind.PLAYED)
        for side in self.sides_out:
            assert result.side_ranks[side] == len(still_in) + 1
        if outcome:
            assert result.scores == outcome.scores
            better = sorted(still_in, key=lambda side: -outcome.side_scores[side])
            assert [result.side_ranks[side] for side in better] == sorted(result.side_ranks[side] for side in still_in)
        elif isinstance(self.command, OfferDraw | AcceptDraw | ClaimDraw) or self._all_agree():
            assert all(result.side_ranks[side] == 1 for side in still_in)
        assert [result.ranks[seat] for side in self.sides for seat in side] == [
            result.side_ranks[number] for number, side in enumerate(self.sides) for _ in side
        ]

    # Whose turn, and what follows by itself

    @property
    def at_play(self) -> Position:
        assert self.position is not None
        return self.position

    def token(self, seat: int) -> str:
        turn = self.turns.get(seat)
        return f"{seat}.{turn['ply']}.{turn['attempt']}" if turn else "none"

    def side(self, seat: int) -> tuple[int, ...]:
        return next(side for side in self.sides if seat in side)

    @property
    def sides_out(self) -> set[int]:
        return {number for number, side in enumerate(self.sides) if set(side) & set(self.out)}

    def _all_agree(self) -> bool:
        offering = {number for number, side in enumerate(self.sides) if set(side) & self.offers}
        return offering | self.sides_out == set(range(len(self.sides)))

    def _ask(self) -> None:
        owing = self.at_play.owing
        self.turns = {
            seat: self.turns.get(seat) or {"ply": self.ply, "asked": self.now, "attempt": 1} for seat in owing
        }

    def _settled(self) -> str:
        if self.at_play.outcome:
            return "PlayEnded"
        return "MovePlayed" if set(self.turns) & set(self.out) else NOTHING

    def _took_place(self, seat: int) -> bool:
        """Does a move drawn for the seat take the place of one that it could not play?"""
        return seat not in self.out and self.answers[seat]["verdict"] == "refused"

    def _source(self, seat: int) -> Source:
        """Who has to choose where no bot did."""
        if seat in self.out:
            return Source.RANDOM if self.policies.dropout is Dropout.RANDOM_MOVES else Source.DEFAULT
        if self._took_place(seat):
            return Source.RANDOM
        return Source.RANDOM if self.policies.late is Late.RANDOM_MOVE else Source.DEFAULT

    def _remember(self, event: MovePlayed | MoveRefused | FlagFell, verdict: str, move: str) -> None:
        self.answers[event.seat] = {
            "token": event.token,
            "move": move,
            "verdict": verdict,
            "request_id": event.request_id,
        }

    # Time

    def _is_late(self, seat: int, measured: Measured) -> bool:
        return self.time.is_late(seat, self.turns[seat]["asked"], measured)

    def _charge(self, seat: int, row: ClockRow) -> None:
        assert row.asked_us == self.turns[seat]["asked"]
        self.time.charge(seat, row)

    # The two referees agree

    def agrees_with(self, match: Match) -> None:
        assert match.phase.value == self.phase
        assert (match.result is not None) == (self.phase == "over")
        assert match.ply == self.ply
        assert {turn.seat: (turn.token, turn.asked_us) for turn in match.owing} == {
            seat: (self.token(seat), turn["asked"]) for seat, turn in self.turns.items()
        }
        assert dict(enumerate(match.clocks)) == self.time.clocks
        assert all(clock.left_us >= 0 for clock in match.clocks)
        assert dict(enumerate(match.credit_us)) == self.time.credit
        assert match.out == set(self.out)
        assert match.offers == self.offers
        assert {seat: since for seat, since in enumerate(match.gone_us) if since is not None} == self.gone
        assert match.position == self.position


def method_for(thing: object) -> str:
    """`_seat_taken` for a SeatTaken."""
    return re.sub("([A-Z])", r"_\1", type(thing).__name__).lower()


def cut(text: str) -> str:
    """As much of a text as the log keeps of a bad one."""
    return text if len(text) <= 80 else text[:80] + "..."
