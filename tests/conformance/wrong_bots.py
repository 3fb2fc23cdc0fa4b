"""Bots that each break one rule of the client specification: python -m tests.conformance.wrong_bots NAME"""

import os
import queue
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.unknown_fields import UnknownFieldSet
from referee_api.v1 import game_service_pb2, play_pb2, play_service_pb2
from referee_api.v1.game_service_pb2_grpc import GameServiceStub
from referee_api.v1.play_service_pb2_grpc import PlayServiceStub

from tests.conformance.bot import Bot, Items, OpenTurn, start

SHORT_S = 3.0
"""Patience with a bot that fails to do something."""
LONG_S = 120.0
"""Patience with a bot that does something wrong."""
THINKING_S = 1.0
"""Longer than a bot may take for a pong with the patience `SHORT_S`."""
CHANNELS: list[grpc.Channel] = []


@dataclass(frozen=True)
class WrongBot:
    """A bot, and the clause that must fail it."""

    rule: str
    """Empty if the clause is not about a rule of clients."""
    clause: str
    bot: type[Bot]
    said: str
    """Part of the reason of the failure; empty for a failure by timeout."""

    @property
    def patience_s(self) -> float:
        return LONG_S if self.said else SHORT_S


WRONG_BOTS: dict[str, WrongBot] = {}


def breaks(rule: str, clause: str, said: str = "") -> Any:
    def register(bot: type[Bot]) -> type[Bot]:
        WRONG_BOTS[bot.__name__] = WrongBot(rule, clause, bot, said)
        return bot

    return register


# Settings


@breaks("SET-3", "token-file", "the program exited")
class ReadsNoTokenFile(Bot):
    def read_token(self) -> str:
        return self.environment["BOT_TOKEN"]


@breaks("SET-3", "token-file")
class KeepsWhiteSpaceOfTheToken(Bot):
    def read_token(self) -> str:
        return self.environment.get("BOT_TOKEN") or Path(self.environment["BOT_TOKEN_FILE"]).read_text()


@breaks("SET-6", "untrusted-server", "opened a stream")
class TrustsOtherAuthorities(Bot):
    def roots(self) -> bytes:
        return b"".join(file.read_bytes() for file in Path(self.environment["BOT_CA"]).parent.glob("*.pem"))


@breaks("SET-7", "settings", "its max_matches is 4")
class IgnoresMaxMatches(Bot):
    def read_max_matches(self) -> int:
        return 4


@breaks("SET-9", "settings", "its version is ''")
class IgnoresItsVersion(Bot):
    def __init__(self) -> None:
        super().__init__()
        self.version = ""


@breaks("SET-10", "invalid-setting", "opened a stream")
class ConnectsBeforeItReadsSettings(Bot):
    def read_max_matches(self) -> int:
        if not self.environment.get("BOT_MAX_MATCHES", "4").isdecimal():
            channel = self.open_channel()
            self.stream = PlayServiceStub(channel).Play(self.requests(self.outgoing), metadata=self.metadata())
            GameServiceStub(channel).ListGames(game_service_pb2.ListGamesRequest())
        return super().read_max_matches()


@breaks("SET-10", "invalid-setting")
class AcceptsAnySetting(Bot):
    def read_max_matches(self) -> int:
        return 1


@breaks("EXIT-2", "invalid-setting", "its exit status was 1")
class ExitsOtherwiseAfterAnInvalidSetting(Bot):
    invalid_setting_status = 1


# Connections and Hello


@breaks("CONN-1", "heartbeat-timeout", "CONN-1")
class SharesItsConnection(Bot):
    def open_channel(self) -> grpc.Channel:
        if not CHANNELS:
            CHANNELS.append(super().open_channel())
        return CHANNELS[0]

    def close(self, channel: grpc.Channel) -> None: ...


@breaks("CONN-2", "large-turn", "the bot ended the stream")
class AcceptsOnlyHalfOfTheSize(Bot):
    max_message_bytes = 32 << 20


@breaks("CONN-3", "hello-comes-first", "CONN-3")
class SendsNoToken(Bot):
    def metadata(self) -> tuple[tuple[str, str], ...]:
        return ()


@breaks("CONN-3", "token-file", "CONN-3")
class SendsAnotherToken(Bot):
    def read_token(self) -> str:
        return self.environment.get("BOT_TOKEN") or "another"


@breaks("CONN-4", "whole-match", "CONN-4: the stream has a deadline")
class SetsADeadline(Bot):
    timeout_s = 600.0


@breaks("CONN-4", "whole-match", "CONN-4: the bot ended the stream")
class HalfClosesAfterItsAnswer(Bot):
    def requests(self, outgoing: "queue.Queue[Items | None]") -> Iterator[play_service_pb2.PlayRequest]:
        for request in super().requests(outgoing):
            yield request
            if any(item.HasField("move") for item in request.items):
                return


@breaks("HELLO-1", "hello-comes-first", "HELLO-1: the first item is pong")
class SendsAPongFirst(Bot):
    def requests(self, outgoing: "queue.Queue[Items | None]") -> Iterator[play_service_pb2.PlayRequest]:
        yield play_service_pb2.PlayRequest(items=[play_pb2.BotItem(pong=play_pb2.Pong())])
        yield from super().requests(outgoing)


@breaks("HELLO-1", "hello-comes-first", "HELLO-1: its client is empty")
class NamesNoClient(Bot):
    def hello(self) -> play_pb2.Hello:
        hello = super().hello()
        hello.client = ""
        return hello


@breaks("HELLO-1", "settings", "verdicts_with_turns is not set")
class IgnoresVerdictsWithTurns(Bot):
    def hello(self) -> play_pb2.Hello:
        hello = super().hello()
        hello.verdicts_with_turns = False
        return hello


@breaks("HELLO-2", "same-version-after-reconnect", "HELLO-2")
class TakesTheNewestVersion(Bot):
    def on_welcome(self, welcome: play_pb2.Welcome) -> None:
        super().on_welcome(welcome)
        self.version = ""


# Heartbeat and silence


@breaks("BEAT-1", "pings-are-answered")
class SendsNoPongs(Bot):
    def on_ping(self, ping: play_pb2.Ping) -> None: ...


@breaks("BEAT-1", "pings-are-answered", "BEAT-1: a pong with the id")
class CutsTheIdsOfPings(Bot):
    def on_ping(self, ping: play_pb2.Ping) -> None:
        super().on_ping(play_pb2.Ping(id=ping.id & ((1 << 63) - 1)))


@breaks("BEAT-1", "pings-are-answered-during-a-turn")
class ComputesBeforeItsPong(Bot):
    def on_turn(self, turn: play_pb2.Turn) -> None:
        time.sleep(THINKING_S)
        super().on_turn(turn)


@breaks("BEAT-2", "heartbeat-timeout")
class WaitsForEver(Bot):
    def start_timer(self, stream: Any) -> Any:
        return start(600, stream.cancel)


@breaks("BEAT-3", "heartbeat-timeout")
class KeepsItsOwnTimeout(Bot):
    def on_welcome(self, welcome: play_pb2.Welcome) -> None:
        silence_s = self.silence_s
        super().on_welcome(welcome)
        self.silence_s = silence_s


# Turns


@breaks("TURN-1", "turn-is-answered", "is illegal")
class MovesIllegally(Bot):
    def choose(self, turn: play_pb2.Turn) -> str:
        return "nonsense"


@breaks("TURN-1", "concurrent-matches")
class KnowsTurnsByTheirTokenOnly(Bot):
    def on_turn(self, turn: play_pb2.Turn) -> None:
        if turn.turn_token not in {asked.turn.turn_token for asked in self.open.values()}:
            super().on_turn(turn)


@breaks("TURN-1", "two-seats-of-one-match")
class PlaysOneSeat(Bot):
    def on_turn(self, turn: play_pb2.Turn) -> None:
        if turn.seat == 0:
            super().on_turn(turn)


@breaks("TURN-1", "simultaneous-turns")
class AnswersOneOfSimultaneousTurns(Bot):
    def on_turn(self, turn: play_pb2.Turn) -> None:
        if not turn.simultaneous:
            super().on_turn(turn)


@breaks("TURN-2", "repeated-turn", "TURN-3: one token got different answers")
class ThinksAnewForEachRepetition(Bot):
    def on_turn(self, turn: play_pb2.Turn) -> None:
        self.open.pop((turn.match_id, turn.seat), None)
        super().on_turn(turn)


@breaks("TURN-3", "repeated-turn")
class DoesNotRepeatItsAnswer(Bot):
    def on_turn(self, turn: play_pb2.Turn) -> None:
        if (turn.match_id, turn.seat) not in self.open:
            super().on_turn(turn)


@breaks("TURN-3", "disconnect-before-the-verdict", "TURN-3: one token got different answers")
class ForgetsItsAnswers(Bot):
    def run_session(self) -> None:
        self.open.clear()
        super().run_session()


@breaks("TURN-4", "replaced-turn", "TURN-6: an answer was sent for a turn that was replaced")
class AnswersReplacedTurns(Bot):
    def is_open(self, asked: OpenTurn) -> bool:
        return asked.session == self.session


@breaks("TURN-4", "rejected-move")
class MakesOneAttempt(Bot):
    def on_turn(self, turn: play_pb2.Turn) -> None:
        if turn.attempts_left == 3:
            super().on_turn(turn)


@breaks("TURN-5", "disconnect-before-the-answer", "TURN-5")
class SendsKeptAnswersAtOnce(Bot):
    def on_welcome(self, welcome: play_pb2.Welcome) -> None:
        super().on_welcome(welcome)
        self.items += [asked.answer for asked in self.open.values()]


@breaks("TURN-6", "expired-turn", "TURN-6: an answer was sent for a turn that had expired")
class AnswersTurnsThatHaveEnded(Bot):
    def flush(self) -> None:
        self.items += [asked.answer for asked in self.answers]
        self.answers = []
        super().flush()


@breaks("TURN-6", "match-end-during-a-turn", "TURN-6: an answer was sent for a turn whose match had ended")
class AnswersFinishedMatchesLate(Bot):
    def on_match_ended(self, ended: play_pb2.MatchEnded) -> None:
        late = [asked.answer for asked in self.answers if asked.turn.match_id == ended.match_id]
        super().on_match_ended(ended)
        start(0.1, self.outgoing.put, late)


@breaks("TURN-7", "repeated-verdict", "TURN-14")
class AppliesVerdictsToItsLastTurn(Bot):
    def answer(self, turn: play_pb2.Turn) -> play_pb2.BotItem:
        self.last = super().answer(turn)
        return self.last

    def on_verdict(self, verdict: play_pb2.Verdict) -> None:
        if verdict.HasField("rejected"):
            self.items.append(self.last)


@breaks("TURN-8", "rejected-move", "TURN-14")
class RepeatsRejectedMoves(Bot):
    def on_rejection(self, asked: OpenTurn, rejection: play_pb2.Rejection) -> None:
        self.items.append(asked.answer)


@breaks("TURN-9", "retry-after", "TURN-9")
class RetriesAtOnce(Bot):
    def retry_after_s(self, text: str) -> float:
        return 0


@breaks("TURN-9", "retry-after")
class NeverRetries(Bot):
    def on_rejection(self, asked: OpenTurn, rejection: play_pb2.Rejection) -> None: ...


@breaks("TURN-9", "retry-after", "TURN-3: one token got different answers")
class ThinksAnewForARetry(Bot):
    def send_again(self, asked: OpenTurn) -> None:
        asked.answer = self.answer(asked.turn)
        super().send_again(asked)


@breaks("TURN-10", "malformed-retry-after", "TURN-9")
class RetriesAtOnceIfTheTimeIsMalformed(Bot):
    def retry_after_s(self, text: str) -> float:
        return float(text) / 1_000 if text.isdecimal() else 0.0


@breaks("TURN-10", "malformed-retry-after")
class WaitsAnyTime(Bot):
    def retry_after_s(self, text: str) -> float:
        return float(text) / 1_000 if text.isdecimal() else 1.0


@breaks("TURN-11", "stale-answer", "TURN-6: an answer was sent for a turn that was stale")
class RepeatsStaleAnswers(Bot):
    def end_turns(self, ended: list[OpenTurn]) -> None: ...


@breaks("TURN-12", "expired-turn")
class ExpiresTurnsByTheirTokenOnly(Bot):
    def on_turn_expired(self, expired: play_pb2.TurnExpired) -> None:
        self.end_turns([asked for asked in self.open.values() if asked.turn.turn_token == expired.turn_token])


@breaks("TURN-13", "match-end-during-a-turn", "TURN-6: an answer was sent for a turn whose match had ended")
class EndsOneSeatOfAMatch(Bot):
    def on_match_ended(self, ended: play_pb2.MatchEnded) -> None:
        self.open.pop((ended.match_id, ended.seat), None)


@breaks("TURN-14", "verdict-with-the-next-turn", "TURN-14")
class RepeatsAnswersWithoutVerdictLate(Bot):
    def answer(self, turn: play_pb2.Turn) -> play_pb2.BotItem:
        answer = super().answer(turn)
        start(0.8, self.outgoing.put, [answer])
        return answer


@breaks("TURN-14", "verdict-with-the-next-turn")
class WaitsForVerdicts(Bot):
    def on_turn(self, turn: play_pb2.Turn) -> None:
        if not self.open:
            super().on_turn(turn)


@breaks("TURN-16", "unknown-items", "the bot ended the stream")
class KnowsAllItems(Bot):
    def on_item(self, kind: str | None, item: Any) -> None:
        getattr(self, f"on_{kind}", lambda _: sys.exit(1) if kind is None else None)(getattr(item, kind or "turn"))


@breaks("TURN-16", "unknown-fields", "the bot ended the stream")
class KnowsAllFields(Bot):
    def on_turn(self, turn: play_pb2.Turn) -> None:
        if len(UnknownFieldSet(turn)):
            sys.exit(1)
        super().on_turn(turn)


@breaks("TURN-16", "unknown-values", "the bot ended the stream")
class KnowsAllOutcomes(Bot):
    def on_verdict(self, verdict: play_pb2.Verdict) -> None:
        if verdict.WhichOneof("outcome") is None:
            sys.exit(1)


@breaks("TURN-17", "concurrent-matches")
class ReadsOneItemOfAMessage(Bot):
    def on_message(self, message: Any) -> None:
        super().on_message(play_service_pb2.PlayResponse(items=message.items[:1]))


@breaks("TURN-17", "pings-are-answered", "the pongs for one message came in 64 messages")
class SendsEachItemInAMessageOfItsOwn(Bot):
    def flush(self) -> None:
        items, self.items = self.items, []
        for item in items:
            self.outgoing.put([item])
        super().flush()


# Answers, matches and nonces


@breaks("ANS-1", "turn-is-answered", "ANS-1: an answer has the item id 0")
class SendsNoItemIds(Bot):
    def answer(self, turn: play_pb2.Turn) -> play_pb2.BotItem:
        return play_pb2.BotItem(move=super().answer(turn).move)


@breaks("ANS-1", "two-seats-of-one-match", "ANS-1: two answers have the item id 7")
class SendsOneItemId(Bot):
    def answer(self, turn: play_pb2.Turn) -> play_pb2.BotItem:
        return play_pb2.BotItem(item_id=7, move=super().answer(turn).move)


@breaks("TURN-3", "repeated-turn", "TURN-3: one token got different answers")
class SendsANewItemIdWithEachRepetition(Bot):
    def flush(self) -> None:
        for asked in self.answers:
            asked.answer = play_pb2.BotItem(item_id=next(self.item_ids), move=asked.answer.move)
        super().flush()


@breaks("ANS-1", "turn-is-answered", "ANS-1: a move for a turn that was not sent")
class MovesInAnUnknownMatch(Bot):
    def answer(self, turn: play_pb2.Turn) -> play_pb2.BotItem:
        answer = super().answer(turn)
        answer.move.match_id = "unknown"
        return answer


@breaks("ANS-1", "turn-is-answered", "ANS-1: an item resignation for match 'unknown'")
class ResignsInAnUnknownMatch(Bot):
    def answer(self, turn: play_pb2.Turn) -> play_pb2.BotItem:
        resignation = play_pb2.Resignation(match_id="unknown", seat=0)
        self.items.append(play_pb2.BotItem(item_id=next(self.item_ids), resignation=resignation))
        return super().answer(turn)


@breaks("ANS-1", "turn-is-answered", "ANS-1: a resignation without a seat")
class ResignsWithoutASeat(Bot):
    def answer(self, turn: play_pb2.Turn) -> play_pb2.BotItem:
        resignation = play_pb2.Resignation(match_id=turn.match_id)
        return play_pb2.BotItem(item_id=next(self.item_ids), resignation=resignation)


@breaks("MATCH-2", "match-end-during-a-turn", "the bot ended the stream")
class ExpectsOneEndOfAMatch(Bot):
    def on_match_ended(self, ended: play_pb2.MatchEnded) -> None:
        if not [asked for asked in self.open.values() if asked.turn.match_id == ended.match_id]:
            sys.exit(1)
        super().on_match_ended(ended)


@breaks("MATCH-2", "end-of-an-unknown-match", "the bot ended the stream")
class ExpectsEndsOfItsMatches(ExpectsOneEndOfAMatch): ...


@breaks("NONCE-1", "nonce-request", "some requests for a nonce were not answered")
class AnswersOneNonceRequest(Bot):
    def on_nonce_request(self, request: play_pb2.NonceRequest) -> None:
        if not self.nonces:
            super().on_nonce_request(request)


@breaks("NONCE-1", "nonce-request", "NONCE-1: a nonce has 4 bytes")
class SendsShortNonces(Bot):
    def new_nonce(self) -> bytes:
        return os.urandom(4)


@breaks("NONCE-2", "nonce-request", "NONCE-2: the nonces of two seats or matches are the same")
class SendsOneNonce(Bot):
    def new_nonce(self) -> bytes:
        return b"x" * 32


@breaks("NONCE-2", "nonce-request", "NONCE-2: a match has different nonces for one seat")
class ChangesItsNonces(Bot):
    def on_nonce_request(self, request: play_pb2.NonceRequest) -> None:
        self.nonces.clear()
        super().on_nonce_request(request)


# Pauses, and ends of a stream


@breaks("BACK-1", "reconnect-backoff", "it reconnected after")
class DoesNotBackOff(Bot):
    def next_pause_s(self) -> float:
        return 0.5


@breaks("BACK-1", "reconnect-backoff")
class WaitsTooLong(Bot):
    def next_pause_s(self) -> float:
        return 600


@breaks("BACK-2", "reconnect-backoff", "it reconnected after")
class ResetsItsBackoffAtAWelcome(Bot):
    def is_stable(self) -> bool:
        return self.welcomed_s is not None


@breaks("BACK-3", "draining", "it reconnected after")
class HurriesBackAfterDraining(Bot):
    def on_draining(self, draining: play_pb2.Draining) -> None: ...


@breaks("BACK-4", "draining")
class DoesNotPlayWhileTheServerDrains(Bot):
    def is_open(self, asked: OpenTurn) -> bool:
        return self.draining_s is None and super().is_open(asked)


@breaks("END-1", "disconnect-before-the-answer", "the program exited")
class StopsWhenTheServerIsUnavailable(Bot):
    def on_status(self, ended: Any) -> None:
        sys.exit(0)


@breaks("END-1", "disconnect-before-the-verdict", "the program exited")
class StopsAtOk(Bot):
    def on_status(self, ended: Any) -> None:
        if ended.code() == grpc.StatusCode.OK:
            sys.exit(0)


@breaks("END-2", "session-taken-over", "opened a stream")
class TakesItsSeatsBack(Bot):
    def on_status(self, ended: Any) -> None: ...


@breaks("END-3", "rejected-token", "opened a stream")
class TriesARejectedTokenAgain(TakesItsSeatsBack): ...


# Exit status


@breaks("EXIT-1", "stop-on-sigterm", "its exit status was 1")
class ExitsOtherwiseWhenStopped(Bot):
    stopped_status = 1


@breaks("EXIT-3", "session-taken-over", "its exit status was 1")
class ExitsOtherwiseWhenTakenOver(Bot):
    taken_over_status = 1


@breaks("EXIT-4", "rejected-token", "its exit status was 1")
class ExitsOtherwiseWhenRejected(Bot):
    rejected_status = 1


@breaks("EXIT-4", "rejected-token", "do not have the reason")
class GivesNoReason(Bot):
    def report(self, text: str) -> None: ...


# What a bot plays, which no rule of clients is about


@breaks("", "every-game")
class PlaysOneGame(Bot):
    def on_turn(self, turn: play_pb2.Turn) -> None:
        if turn.rules.game == "alquerque":
            super().on_turn(turn)


@breaks("", "turn-with-a-draw-offer")
class IgnoresTurnsWithDrawOffers(Bot):
    def on_turn(self, turn: play_pb2.Turn) -> None:
        if not turn.draw_offer_seats:
            super().on_turn(turn)


if __name__ == "__main__":
    WRONG_BOTS[sys.argv[1]].bot().run()
