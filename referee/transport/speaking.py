"""What waits in the outbox of a session, as its bot hears it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from referee_api.v1 import clock_pb2, play_pb2

from engines.api import Seat
from referee.app import outbox
from referee.app.answers import Answered, AttemptRefused, Done, LateAnswer
from referee.app.bot_log import Noticed
from referee.app.ports import MatchArchived, Time
from referee.app.referee import Referee
from referee.app.sessions import Session
from referee.core.clock import Micros
from referee.core.errors import StaleTurn
from referee.core.row import ClockRow
from referee.transport.convert.clocks import tell_row
from referee.transport.convert.matches import Aside, chance_of, match_of
from referee.transport.convert.ratings import changes_of
from referee.transport.convert.results import maybe_result
from referee.transport.convert.rules import large_rules_hash
from referee.transport.convert.times import ms_down
from referee.transport.convert.turns import tell_turn
from referee.transport.refusals import Say, refusal_of

Items: TypeAlias = Any
"""Those of a message. Each is written where it will go out from: to copy it costs more than to write it."""

NOTICES = {
    "paused": play_pb2.NOTICE_KIND_PAUSED,
    "returned": play_pb2.NOTICE_KIND_RETURNED,
    "fault_counted": play_pb2.NOTICE_KIND_FAULT_COUNTED,
    "quota_near": play_pb2.NOTICE_KIND_QUOTA_NEAR,
}


@dataclass(frozen=True, slots=True)
class Speaker:
    """Speaks to one session."""

    referee: Referee
    session: Session
    time: Time
    welcome: Callable[[], play_pb2.Welcome]
    say: Say
    aside: Aside
    knows_rules: set[tuple[str, Seat]] = field(default_factory=set)
    """Matches and seats whose large rules this session has been told."""

    async def tell(self, item: outbox.Item, items: Items) -> None:
        """Add it to the `items` of a message; or nothing, if it has passed meanwhile."""
        await SPOKEN[type(item)](self, item, items)

    async def _welcome(self, _: outbox.Welcomed, items: Items) -> None:
        items.add(welcome=self.welcome())

    async def _turn(self, item: outbox.Asked, items: Items) -> None:
        due = self.referee.turn_due(item.match_id, item.seat)
        if due:
            key = (item.match_id, item.seat)
            turn = items.add().turn
            tell_turn(turn, due, self.session.hello.wishes, with_rules=key not in self.knows_rules)
            if turn.rules_hash:
                self.knows_rules.add(key)

    async def _verdict(self, item: outbox.Judged, items: Items) -> None:
        verdict = items.add().verdict
        verdict.item_id = item.item_id
        verdict.match_id = item.match_id
        verdict.token = item.token
        outcome = item.outcome
        if isinstance(outcome, Answered):
            verdict.accepted.number = outcome.number
            verdict.accepted.ply = outcome.ply + 1
            verdict.again = outcome.again
            if outcome.event.row:
                await self._tell_row(verdict.clock_row, item.match_id, outcome.event.seat, outcome.event.row)
        elif isinstance(outcome, Done):
            verdict.accepted.number = outcome.number
            verdict.accepted.ply = (await self.referee.match(item.match_id)).ply
        else:
            await self._tell_refused(verdict, outcome)

    async def _tell_refused(self, verdict: play_pb2.Verdict, why: Exception) -> None:
        said = self.say(why, verdict.match_id)
        if isinstance(why, StaleTurn):
            verdict.stale.CopyFrom(play_pb2.Stale(current_token=why.details["current"]))
            return
        verdict.refused.refusal.CopyFrom(refusal_of(said))
        if isinstance(why, AttemptRefused):
            verdict.refused.attempts_left = why.attempts_left
            verdict.again = why.again
        elif isinstance(why, LateAnswer):
            await self._tell_row(verdict.clock_row, verdict.match_id, int(why.details["seat"]), why.row)
            verdict.again = why.again

    async def _began(self, item: outbox.Began, items: Items) -> None:
        standing = await self.referee.standing(item.match_id)
        match = match_of(standing, self.aside, item.seat)
        setup = standing.match.setup
        rules_hash = large_rules_hash(setup.game, setup.game_version, setup.settings)
        if rules_hash:
            self.knows_rules.add((item.match_id, item.seat))
        items.add(match_started=play_pb2.MatchStarted(match=match, seat=item.seat, rules_hash=rules_hash))

    async def _ended(self, item: outbox.Ended, items: Items) -> None:
        self.knows_rules.discard((item.match_id, item.seat))
        try:
            match = await self.referee.match(item.match_id)
        except MatchArchived:  # While it waited to be told. That is long ago.
            return
        ended = play_pb2.MatchEnded(
            match_id=item.match_id,
            seat=item.seat,
            result=maybe_result(match.result, item.match_id),
            chance=chance_of(match, self.aside),
            ratings=changes_of(match.ratings),
        )
        items.add(match_ended=ended)

    async def _lapsed(self, item: outbox.Lapsed, items: Items) -> None:
        lapsed = items.add().turn_lapsed
        lapsed.match_id = item.match_id
        lapsed.token = item.token
        lapsed.played_instead = item.played_instead
        if item.row:
            await self._tell_row(lapsed.clock_row, item.match_id, item.seat, item.row)

    async def _nonce_wanted(self, item: outbox.NonceAsked, items: Items) -> None:
        left_us: Micros = max(0, item.until_us - self.time.monotonic_us())
        wanted = play_pb2.NonceWanted(
            match_id=item.match_id, seat=item.seat, commitment=item.commitment, left_ms=ms_down(left_us)
        )
        items.add(nonce_wanted=wanted)

    async def _notice(self, item: Noticed, items: Items) -> None:
        items.add(notice=play_pb2.Notice(kind=NOTICES[item.about], message=item.message, metadata=dict(item.details)))

    async def _ping(self, item: outbox.Pinged, items: Items) -> None:
        items.add(ping=play_pb2.Ping(id=item.id, path_us=item.path_us))

    async def _draining(self, item: outbox.Draining, items: Items) -> None:
        items.add(draining=play_pb2.Draining(closes_in_ms=item.closes_in_ms, return_after_ms=item.return_after_ms))

    async def _taken_over(self, item: outbox.TakenOver, items: Items) -> None:
        items.add(taken_over=play_pb2.TakenOver(by_session_id=item.by_session_id))

    async def _tell_row(self, told: clock_pb2.ClockRow, match_id: str, seat: Seat, row: ClockRow) -> None:
        match = await self.referee.match(match_id)
        tell_row(told, row, seat, match.setup.controls[seat])


SPOKEN: dict[type, Callable[[Speaker, Any, Items], Awaitable[None]]] = {
    outbox.Welcomed: Speaker._welcome,
    outbox.NonceAsked: Speaker._nonce_wanted,
    outbox.Began: Speaker._began,
    outbox.Asked: Speaker._turn,
    outbox.Judged: Speaker._verdict,
    outbox.Lapsed: Speaker._lapsed,
    outbox.Ended: Speaker._ended,
    outbox.Pinged: Speaker._ping,
    outbox.Draining: Speaker._draining,
    outbox.TakenOver: Speaker._taken_over,
    Noticed: Speaker._notice,
}
