"""Bots that each break one rule of the client specification: python -m tests.conformance.wrong_bots NAME"""

import os
import queue
import sys
import time
from collections.abc import Callable, Iterator
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
    """Return the decorator of a class of bots that break this rule."""

    def register(bot: type[Bot]) -> type[Bot]:
        WRONG_BOTS[bot.__name__] = WrongBot(rule, clause, bot, said)
        return bot

    return register


def wrong(name: str, rule: str, clause: str, said: str = "", **members: Any) -> None:
    """Register a bot that differs from the right one in these methods or constants."""
    WRONG_BOTS[name] = WrongBot(rule, clause, type(name, (Bot,), members), said)


def do_nothing(*_: Any) -> None: ...


def returns(value: Any) -> Any:
    return lambda *_: value


def only_turns(condition: Callable[[Bot, play_pb2.Turn], bool]) -> Any:
    """Return a method for turns that ignores the others."""
    return lambda bot, turn: Bot.on_turn(bot, turn) if condition(bot, turn) else None


def exit_if(condition: Callable[[Any], bool], method: Callable[[Bot, Any], None] = do_nothing, status: int = 1) -> Any:
    """Return a method that ends the program under this condition, and otherwise calls `method`."""
    return lambda bot, item: sys.exit(status) if condition(item) else method(bot, item)


# Settings


@breaks("SET-6", "untrusted-server", "opened a stream")
class TrustsOtherAuthorities(Bot):
    def roots(self) -> bytes:
        return b"".join(file.read_bytes() for file in Path(self.environment["BOT_CA"]).parent.glob("*.pem"))


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


wrong(
    "ReadsNoTokenFile", "SET-3", "token-file", "the program exited", read_token=lambda bot: bot.environment["BOT_TOKEN"]
)
wrong(
    "KeepsWhiteSpaceOfTheToken",
    "SET-3",
    "token-file",
    read_token=lambda bot: bot.environment.get("BOT_TOKEN") or Path(bot.environment["BOT_TOKEN_FILE"]).read_text(),
)
wrong("IgnoresMaxMatches", "SET-7", "settings", "its max_matches is 4", read_max_matches=returns(4))
wrong("AcceptsAnySetting", "SET-10", "invalid-setting", read_max_matches=returns(1))
wrong(
    "ExitsOtherwiseAfterAnInvalidSetting",
    "EXIT-2",
    "invalid-setting",
    "its exit status was 1",
    invalid_setting_status=1,
)


# Connections and Hello


@breaks("CONN-1", "heartbeat-timeout", "CONN-1")
class SharesItsConnection(Bot):
    def open_channel(self) -> grpc.Channel:
        if not CHANNELS:
            CHANNELS.append(super().open_channel())
        return CHANNELS[0]

    def close(self, channel: grpc.Channel) -> None: ...


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


wrong("AcceptsOnlyHalfOfTheSize", "CONN-2", "large-turn", "the bot ended the stream", max_message_bytes=32 << 20)
wrong("SendsNoToken", "CONN-3", "hello-comes-first", "CONN-3", metadata=returns(()))
wrong(
    "SendsAnotherToken",
    "CONN-3",
    "token-file",
    "CONN-3",
    read_token=lambda bot: bot.environment.get("BOT_TOKEN") or "another",
)
wrong("SetsADeadline", "CONN-4", "whole-match", "CONN-4: the stream has a deadline", timeout_s=600.0)


# Heartbeat and silence


@breaks("BEAT-1", "pings-are-answered", "BEAT-1: a pong with the id")
class CutsTheIdsOfPings(Bot):
    def on_ping(self, ping: play_pb2.Ping) -> None:
        super().on_ping(play_pb2.Ping(id=ping.id & ((1 << 63) - 1)))


@breaks("BEAT-1", "pings-are-answered-during-a-turn")
class ComputesBeforeItsPong(Bot):
    def on_turn(self, turn: play_pb2.Turn) -> None:
        time.sleep(THINKING_S)
        super().on_turn(turn)


@breaks("BEAT-3", "heartbeat-timeout")
class KeepsItsOwnTimeout(Bot):
    def on_welcome(self, welcome: play_pb2.Welcome) -> None:
        silence_s = self.silence_s
        super().on_welcome(welcome)
        self.silence_s = silence_s


wrong("SendsNoPongs", "BEAT-1", "pings-are-answered", on_ping=do_nothing)
wrong("WaitsForEver", "BEAT-2", "heartbeat-timeout", start_timer=lambda _bot, stream: start(600, stream.cancel))


# Turns


@breaks("TURN-1", "concurrent-matches")
class KnowsTurnsByTheirTokenOnly(Bot):
    def on_turn(self, turn: play_pb2.Turn) -> None:
        if turn.turn_token not in {asked.turn.turn_token for asked in self.open.values()}:
            super().on_turn(turn)


@breaks("TURN-2", "repeated-turn", "TURN-3: one token got different answers")
class ThinksAnewForEachRepetition(Bot):
    def on_turn(self, turn: play_pb2.Turn) -> None:
        self.open.pop((turn.match_id, turn.seat), None)
        super().on_turn(turn)


@breaks("TURN-3", "disconnect-before-the-verdict", "TURN-3: one token got different answers")
class ForgetsItsAnswers(Bot):
    def run_session(self) -> None:
        self.open.clear()
        super().run_session()


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


@breaks("TURN-9", "retry-after", "TURN-3: one token got different answers")
class ThinksAnewForARetry(Bot):
    def send_again(self, asked: OpenTurn) -> None:
        asked.answer = self.answer(asked.turn)
        super().send_again(asked)


@breaks("TURN-12", "expired-turn")
class ExpiresTurnsByTheirTokenOnly(Bot):
    def on_turn_expired(self, expired: play_pb2.TurnExpired) -> None:
        self.end_turns([asked for asked in self.open.values() if asked.turn.turn_token == expired.turn_token])


@breaks("TURN-14", "verdict-with-the-next-turn", "TURN-14")
class RepeatsAnswersWithoutVerdictLate(Bot):
    def answer(self, turn: play_pb2.Turn) -> play_pb2.BotItem:
        answer = super().answer(turn)
        start(0.8, self.outgoing.put, [answer])
        return answer


@breaks("TURN-16", "unknown-items", "the bot ended the stream")
class KnowsAllItems(Bot):
    def on_item(self, kind: str | None, item: Any) -> None:
        getattr(self, f"on_{kind}", lambda _: sys.exit(1) if kind is None else None)(getattr(item, kind or "turn"))


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


wrong("MovesIllegally", "TURN-1", "turn-is-answered", "is illegal", choose=returns("nonsense"))
wrong("PlaysOneSeat", "TURN-1", "two-seats-of-one-match", on_turn=only_turns(lambda _, turn: turn.seat == 0))
wrong(
    "AnswersOneOfSimultaneousTurns",
    "TURN-1",
    "simultaneous-turns",
    on_turn=only_turns(lambda _, turn: not turn.simultaneous),
)
wrong(
    "DoesNotRepeatItsAnswer",
    "TURN-3",
    "repeated-turn",
    on_turn=only_turns(lambda bot, turn: (turn.match_id, turn.seat) not in bot.open),
)
wrong(
    "AnswersReplacedTurns",
    "TURN-4",
    "replaced-turn",
    "TURN-6: an answer was sent for a turn that was replaced",
    is_open=lambda bot, asked: asked.session == bot.session,
)
wrong("MakesOneAttempt", "TURN-4", "rejected-move", on_turn=only_turns(lambda _, turn: turn.attempts_left == 3))
wrong(
    "RepeatsRejectedMoves",
    "TURN-8",
    "rejected-move",
    "TURN-14",
    on_rejection=lambda bot, asked, _: bot.items.append(asked.answer),
)
wrong("RetriesAtOnce", "TURN-9", "retry-after", "TURN-9", retry_after_s=returns(0))
wrong("NeverRetries", "TURN-9", "retry-after", on_rejection=do_nothing)
wrong(
    "RetriesAtOnceIfTheTimeIsMalformed",
    "TURN-10",
    "malformed-retry-after",
    "TURN-9",
    retry_after_s=lambda _, text: float(text) / 1_000 if text.isdecimal() else 0.0,
)
wrong(
    "WaitsAnyTime",
    "TURN-10",
    "malformed-retry-after",
    retry_after_s=lambda _, text: float(text) / 1_000 if text.isdecimal() else 1.0,
)
wrong(
    "RepeatsStaleAnswers",
    "TURN-11",
    "stale-answer",
    "TURN-6: an answer was sent for a turn that was stale",
    end_turns=do_nothing,
)
wrong(
    "EndsOneSeatOfAMatch",
    "TURN-13",
    "match-end-during-a-turn",
    "TURN-6: an answer was sent for a turn whose match had ended",
    on_match_ended=lambda bot, ended: bot.open.pop((ended.match_id, ended.seat), None),
)
wrong("WaitsForVerdicts", "TURN-14", "verdict-with-the-next-turn", on_turn=only_turns(lambda bot, _: not bot.open))
wrong(
    "KnowsAllFields",
    "TURN-16",
    "unknown-fields",
    "the bot ended the stream",
    on_turn=exit_if(lambda turn: len(UnknownFieldSet(turn)) > 0, Bot.on_turn),
)
wrong(
    "KnowsAllOutcomes",
    "TURN-16",
    "unknown-values",
    "the bot ended the stream",
    on_verdict=exit_if(lambda verdict: verdict.WhichOneof("outcome") is None),
)


# Answers, matches and nonces


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


@breaks("NONCE-2", "nonce-request", "NONCE-2: a match has different nonces for one seat")
class ChangesItsNonces(Bot):
    def on_nonce_request(self, request: play_pb2.NonceRequest) -> None:
        self.nonces.clear()
        super().on_nonce_request(request)


wrong(
    "SendsNoItemIds",
    "ANS-1",
    "turn-is-answered",
    "ANS-1: an answer has the item id 0",
    answer=lambda bot, turn: play_pb2.BotItem(move=Bot.answer(bot, turn).move),
)
wrong(
    "SendsOneItemId",
    "ANS-1",
    "two-seats-of-one-match",
    "ANS-1: two answers have the item id 7",
    answer=lambda bot, turn: play_pb2.BotItem(item_id=7, move=Bot.answer(bot, turn).move),
)
wrong("SendsShortNonces", "NONCE-1", "nonce-request", "NONCE-1: a nonce has 4 bytes", new_nonce=lambda _: os.urandom(4))
wrong(
    "SendsOneNonce",
    "NONCE-2",
    "nonce-request",
    "NONCE-2: the nonces of two seats or matches are the same",
    new_nonce=returns(b"x" * 32),
)


# Pauses, and ends of a stream


wrong("DoesNotBackOff", "BACK-1", "reconnect-backoff", "it reconnected after", next_pause_s=returns(0.5))
wrong("WaitsTooLong", "BACK-1", "reconnect-backoff", next_pause_s=returns(600))
wrong(
    "ResetsItsBackoffAtAWelcome",
    "BACK-2",
    "reconnect-backoff",
    "it reconnected after",
    next_pause_s=lambda bot: Bot.next_pause_s(bot) if bot.welcomed_s is None else 0,
)
wrong("HurriesBackAfterDraining", "BACK-3", "draining", "it reconnected after", on_draining=do_nothing)
wrong(
    "DoesNotPlayWhileTheServerDrains",
    "BACK-4",
    "draining",
    is_open=lambda bot, asked: bot.draining_s is None and Bot.is_open(bot, asked),
)
wrong(
    "StopsWhenTheServerIsUnavailable",
    "END-1",
    "disconnect-before-the-answer",
    "the program exited",
    on_status=exit_if(returns(True), status=0),
)
wrong(
    "StopsAtOk",
    "END-1",
    "disconnect-before-the-verdict",
    "the program exited",
    on_status=exit_if(lambda ended: ended.code() == grpc.StatusCode.OK, status=0),
)
wrong("TakesItsSeatsBack", "END-2", "session-taken-over", "opened a stream", on_status=do_nothing)
wrong("TriesARejectedTokenAgain", "END-3", "rejected-token", "opened a stream", on_status=do_nothing)


# Exit status


wrong("ExitsOtherwiseWhenStopped", "EXIT-1", "stop-on-sigterm", "its exit status was 1", stopped_status=1)
wrong("ExitsOtherwiseWhenTakenOver", "EXIT-3", "session-taken-over", "its exit status was 1", taken_over_status=1)
wrong("ExitsOtherwiseWhenRejected", "EXIT-4", "rejected-token", "its exit status was 1", rejected_status=1)
wrong("GivesNoReason", "EXIT-4", "rejected-token", "do not have the reason", report=do_nothing)


# What a bot plays, which no rule of clients is about


wrong("PlaysOneGame", "", "every-game", on_turn=only_turns(lambda _, turn: turn.rules.game == "alquerque"))
wrong(
    "IgnoresTurnsWithDrawOffers",
    "",
    "turn-with-a-draw-offer",
    on_turn=only_turns(lambda _, turn: not turn.draw_offer_seats),
)


if __name__ == "__main__":
    WRONG_BOTS[sys.argv[1]].bot().run()
