"""What waits in the outbox of a session, as its bot hears it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

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
from referee.core.match import Match
from referee.core.row import ClockRow
from referee.transport.convert.clocks import row_of
from referee.transport.convert.matches import Aside, chance_of, match_of
from referee.transport.convert.ratings import changes_of
from referee.transport.convert.results import maybe_result
from referee.transport.convert.times import ms_down
from referee.transport.convert.turns import turn_of
from referee.transport.refusals import Say, refusal_of

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

    async def item(self, item: outbox.Item) -> play_pb2.FromReferee | None:
        """None: it has passed meanwhile."""
        name, message = SPOKEN[type(item)]
        told = await message(self, item)
        return None if told is None else play_pb2.FromReferee(**{name: told})

    async def _welcome(self, _: outbox.Welcomed) -> play_pb2.Welcome:
        return self.welcome()

    async def _turn(self, item: outbox.Asked) -> play_pb2.Turn | None:
        due = self.referee.turn_due(item.match_id, item.seat)
        return turn_of(due, self.session.hello.wishes) if due else None

    async def _verdict(self, item: outbox.Judged) -> play_pb2.Verdict:
        verdict = play_pb2.Verdict(item_id=item.item_id, match_id=item.match_id, token=item.token)
        outcome = item.outcome
        if isinstance(outcome, Answered):
            verdict.accepted.CopyFrom(play_pb2.Accepted(number=outcome.number, ply=outcome.ply + 1))
            verdict.again = outcome.again
            if outcome.event.row:
                verdict.clock_row.CopyFrom(await self._row(item.match_id, outcome.event.seat, outcome.event.row))
        elif isinstance(outcome, Done):
            match = (await self.referee.standing(item.match_id)).match
            verdict.accepted.CopyFrom(play_pb2.Accepted(number=outcome.number, ply=match.ply))
        else:
            await self._refused(verdict, outcome)
        return verdict

    async def _refused(self, verdict: play_pb2.Verdict, why: Exception) -> None:
        said = self.say(why, verdict.match_id)
        if isinstance(why, StaleTurn):
            verdict.stale.CopyFrom(play_pb2.Stale(current_token=why.details["current"]))
            return
        verdict.refused.refusal.CopyFrom(refusal_of(said))
        if isinstance(why, AttemptRefused):
            verdict.refused.attempts_left = why.attempts_left
            verdict.again = why.again
        elif isinstance(why, LateAnswer):
            verdict.clock_row.CopyFrom(await self._row(verdict.match_id, int(why.details["seat"]), why.row))
            verdict.again = why.again

    async def _began(self, item: outbox.Began) -> play_pb2.MatchStarted:
        standing = await self.referee.standing(item.match_id)
        match = match_of(standing, self.aside, item.seat)
        return play_pb2.MatchStarted(match=match, seat=item.seat)

    async def _ended(self, item: outbox.Ended) -> play_pb2.MatchEnded | None:
        try:
            match = (await self.referee.standing(item.match_id)).match
        except MatchArchived:  # While it waited to be told. That is long ago.
            return None
        result = maybe_result(match.result, item.match_id)
        return play_pb2.MatchEnded(
            match_id=item.match_id,
            seat=item.seat,
            result=result,
            chance=chance_of(match, self.aside),
            ratings=changes_of(match.ratings),
        )

    async def _lapsed(self, item: outbox.Lapsed) -> play_pb2.TurnLapsed:
        row = await self._row(item.match_id, item.seat, item.row) if item.row else None
        return play_pb2.TurnLapsed(
            match_id=item.match_id, token=item.token, played_instead=item.played_instead, clock_row=row
        )

    async def _nonce_wanted(self, item: outbox.NonceAsked) -> play_pb2.NonceWanted:
        left_us: Micros = max(0, item.until_us - self.time.monotonic_us())
        return play_pb2.NonceWanted(
            match_id=item.match_id, seat=item.seat, commitment=item.commitment, left_ms=ms_down(left_us)
        )

    async def _notice(self, item: Noticed) -> play_pb2.Notice:
        return play_pb2.Notice(kind=NOTICES[item.about], message=item.message, metadata=dict(item.details))

    async def _ping(self, item: outbox.Pinged) -> play_pb2.Ping:
        return play_pb2.Ping(id=item.id, path_us=item.path_us)

    async def _draining(self, item: outbox.Draining) -> play_pb2.Draining:
        return play_pb2.Draining(closes_in_ms=item.closes_in_ms, return_after_ms=item.return_after_ms)

    async def _taken_over(self, item: outbox.TakenOver) -> play_pb2.TakenOver:
        return play_pb2.TakenOver(by_session_id=item.by_session_id)

    async def _row(self, match_id: str, seat: Seat, row: ClockRow) -> clock_pb2.ClockRow:
        match: Match = (await self.referee.standing(match_id)).match
        return row_of(row, seat, match.setup.controls[seat])


SPOKEN: dict[type, tuple[str, Callable[[Speaker, Any], Any]]] = {
    outbox.Welcomed: ("welcome", Speaker._welcome),
    outbox.NonceAsked: ("nonce_wanted", Speaker._nonce_wanted),
    outbox.Began: ("match_started", Speaker._began),
    outbox.Asked: ("turn", Speaker._turn),
    outbox.Judged: ("verdict", Speaker._verdict),
    outbox.Lapsed: ("turn_lapsed", Speaker._lapsed),
    outbox.Ended: ("match_ended", Speaker._ended),
    outbox.Pinged: ("ping", Speaker._ping),
    outbox.Draining: ("draining", Speaker._draining),
    outbox.TakenOver: ("taken_over", Speaker._taken_over),
    Noticed: ("notice", Speaker._notice),
}
