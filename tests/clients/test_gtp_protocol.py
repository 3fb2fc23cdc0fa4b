"""The conversation with a GTP engine: its beginning, the board, clocks, and replies of all kinds."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from referee_client.answers import RESIGN
from referee_client.bridge.gtp_clock import KGS_SETTINGS, left_words, settings_words
from referee_client.bridge.gtp_protocol import GtpProtocol, stones_in
from referee_client.bridge.program_lines import MAX_EXTRA_BYTES, MAX_LINE_BYTES, ProgramUnavailable
from referee_client.turn import Turn
from referee_values import (
    Bank,
    Bronstein,
    CanadianByoYomi,
    Clock,
    ClockRule,
    Correspondence,
    Fischer,
    Hourglass,
    JapaneseByoYomi,
    Match,
    MatchEnded,
    MatchTerms,
    MovesPerPeriod,
    Opening,
    Period,
    PerMove,
    Result,
    SeatMove,
    SeatOdds,
    SuddenDeath,
    TimeControl,
    UsDelay,
)

OPTIONS = {"size": "9", "komi": "6.5", "handicap": "0"}
TURN = Turn("m", 0, "t", "go", OPTIONS, 0, "9/9/9/9/9/9/9/9/9 b 0 0", listed_moves=())
FIRST, REPLY = SeatMove(seat=0, move="E5"), SeatMove(seat=1, move="G3")
LATER = replace(TURN, ply=2, position="9/9/9/9/4b4/9/6w2/9/9 b 0 2", history=(FIRST, REPLY))
COMMANDS = ("boardsize", "komi", "clear_board", "play", "genmove")
BEGUN = ["boardsize 9", "komi 6.5", "clear_board"]
OTHER_MATCH = replace(LATER, match_id="m2", options={**OPTIONS, "size": "13"})


class GtpEngine:
    """The engine's end of the conversation."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, protocol: GtpProtocol) -> None:
        self.reader = reader
        self.writer = writer
        self.protocol = protocol
        self.number = ""

    async def read(self) -> str:
        """Return the next command, without its number."""
        self.number, command = (await self.reader.readline()).decode().strip().split(" ", 1)
        return command

    def write(self, text: str) -> None:
        self.writer.write(text.encode())

    def reply(self, text: str = "", sign: str = "=") -> None:
        self.write(f"{sign}{self.number} {text}\n\n")

    async def greet(self, *commands: str) -> None:
        for expected, text in (("protocol_version", "2"), ("list_commands", "\n".join((*COMMANDS, *commands)))):
            assert await self.read() == expected
            self.reply(text)

    async def obey(self, *expected: str) -> None:
        """Accept these commands, which must be the next ones."""
        for command in expected:
            assert await self.read() == command
            self.reply()

    def ask(self, turn: Turn) -> "asyncio.Task[Any]":
        return asyncio.create_task(self.protocol.choose(turn))

    async def answer(self, turn: Turn, *expected: str, text: str) -> Any:
        """Return the answer to a turn for which these commands are sent before the engine replies with a move."""
        asking = self.ask(turn)
        await self.obey(*expected)
        assert await self.read() == f"genmove {'BW'[turn.seat]}"
        self.reply(text)
        return await asking


@asynccontextmanager
async def conversation(*commands: str, match: Match | None = None) -> AsyncIterator[GtpEngine]:
    bridge_end, program_end = socket.socketpair()
    protocol = GtpProtocol(*await asyncio.open_connection(sock=bridge_end, limit=MAX_LINE_BYTES))
    engine = GtpEngine(*await asyncio.open_connection(sock=program_end), protocol)
    async with asyncio.timeout(60):
        protocol.greet()
        await engine.greet(*commands)
        protocol.start_match(match or Match(id="m"), 0)
        yield engine
        engine.writer.close()
        await protocol.close()


async def test_an_engine_is_set_up_and_gets_only_the_moves_that_are_new() -> None:
    async with conversation() as engine:
        assert await engine.answer(TURN, *BEGUN, text="e5") == "E5"
        assert await engine.answer(LATER, "play W G3", text="PASS") == "pass"


async def test_a_seat_that_moves_second_begins_with_all_moves() -> None:
    async with conversation() as engine:
        engine.protocol.start_match(Match(id="m"), 1)
        turn = replace(LATER, seat=1, ply=1, history=(FIRST,))
        assert await engine.answer(turn, *BEGUN, "play B E5", text="G3") == "G3"


async def test_handicap_stones_are_placed_first() -> None:
    async with conversation() as engine:
        turn = replace(TURN, ply=1, options={**OPTIONS, "handicap": "4"}, history=(SeatMove(seat=1, move="E5"),))
        assert await engine.answer(turn, *BEGUN, "fixed_handicap 4", "play W E5", text="C3") == "C3"


@pytest.mark.parametrize("ply", [2, 5])
async def test_without_all_moves_since_the_usual_start_the_engine_gets_the_stones(ply: int) -> None:
    opened = Match(id="m", opening=Opening(position="9/9/9/9/9/9/6w2/9/9 b 0 1"))
    async with conversation(match=opened if ply == 2 else None) as engine:
        turn = replace(LATER, ply=ply, position="9/9/9/9/4b4/9/6w2/6w2/9 b 0 3")
        expected = (*BEGUN, "play B E5", "play W G3", "play W G2")
        assert await engine.answer(turn, *expected, text="C3") == "C3"


async def test_an_engine_that_was_started_again_gets_the_stones() -> None:
    async with conversation() as engine:
        engine.protocol.end_match(MatchEnded(match_id="m", result=Result()))
        assert await engine.answer(LATER, *BEGUN, "play B E5", "play W G3", text="C3") == "C3"


async def test_an_engine_that_refuses_a_move_gets_the_stones() -> None:
    async with conversation() as engine:
        await engine.answer(TURN, *BEGUN, text="E5")
        asking = engine.ask(LATER)
        assert await engine.read() == "play W G3"
        engine.reply("illegal move", "?")
        await engine.obey("clear_board", "play B E5", "play W G3")
        assert await engine.read() == "genmove B"
        engine.reply("C3")
        assert await asking == "C3"


async def test_another_move_than_the_engine_chose_and_another_match_begin_again() -> None:
    async with conversation() as engine:
        assert await engine.answer(TURN, *BEGUN, text="D4") == "D4"
        assert await engine.answer(TURN, *BEGUN, text="E5") == "E5"
        thirteen = ["boardsize 13", *BEGUN[1:]]
        engine.protocol.start_match(Match(id="m2"), 0)
        assert await engine.answer(OTHER_MATCH, *thirteen, "play B E5", "play W G3", text="D4") == "D4"
        assert await engine.answer(LATER, *BEGUN, "play B E5", "play W G3", text="C3") == "C3"


async def test_an_engine_that_cannot_play_on_the_board_resigns() -> None:
    async with conversation() as engine:
        asking = engine.ask(TURN)
        assert await engine.read() == "boardsize 9"
        engine.reply("unacceptable size", "?")
        assert await asking is RESIGN


async def test_an_engine_that_does_not_know_komi_plays_without_it() -> None:
    async with conversation() as engine:
        asking = engine.ask(TURN)
        await engine.obey("boardsize 9")
        assert await engine.read() == "komi 6.5"
        engine.reply("unknown command", "?")
        await engine.obey("clear_board")
        assert await engine.read() == "genmove B"
        engine.reply("D4")
        assert await asking == "D4"


@pytest.mark.parametrize(
    ("text", "answer"),
    [("resign", RESIGN), ("Resign", RESIGN), ("", "="), ("Z99x", "=Z99x"), ("I5", "=I5"), ("D4 well played", "D4")],
)
async def test_a_reply_is_a_move_a_resignation_or_what_the_referee_refuses(text: str, answer: object) -> None:
    async with conversation() as engine:
        assert await engine.answer(TURN, *BEGUN, text=text) == answer


async def test_an_error_instead_of_a_move_is_refused_by_the_referee() -> None:
    async with conversation() as engine:
        asking = engine.ask(TURN)
        await engine.obey(*BEGUN)
        await engine.read()
        engine.reply("out of memory", "?")
        assert await asking == "?out of memory"


async def test_replies_without_numbers_with_several_lines_and_with_output_between_are_read() -> None:
    async with conversation() as engine:
        asking = engine.ask(TURN)
        await engine.read()
        engine.write("# a comment\n\nthinking\n=\nmore of it\n=7 even this\n\n\n\n")
        await engine.obey(*BEGUN[1:])
        await engine.read()
        engine.write("=99 A1\n\n= D4\t\r\nbecause\r\n\r\n")
        assert await asking == "D4"


async def test_a_turn_that_is_cancelled_waits_for_its_reply_which_is_not_used() -> None:
    async with conversation() as engine:
        asking = engine.ask(TURN)
        await engine.obey(*BEGUN)
        assert await engine.read() == "genmove B"
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        asking = engine.ask(LATER)
        number, reading = engine.number, asyncio.create_task(engine.read())
        for _ in range(20):
            await asyncio.sleep(0)
        assert not reading.done()
        engine.write(f"={number} A1\n\n")
        assert await reading == BEGUN[0]
        engine.reply()
        await engine.obey(*BEGUN[1:], "play B E5", "play W G3")
        assert await engine.read() == "genmove B"
        engine.reply("C3")
        assert await asking == "C3"


async def test_an_engine_that_ends_while_it_thinks_is_unavailable() -> None:
    async with conversation() as engine:
        asking = engine.ask(TURN)
        await engine.obey(*BEGUN)
        await engine.read()
        engine.writer.close()
        with pytest.raises(ProgramUnavailable, match="it closed its output"):
            await asking
        with pytest.raises(ProgramUnavailable, match="it closed its output"):
            await engine.protocol.choose(LATER)


async def test_a_reply_has_a_limit_and_so_has_output_between_turns() -> None:
    much = "much\n" * (MAX_EXTRA_BYTES // 4)
    async with conversation() as engine:
        asking = engine.ask(TURN)
        await engine.obey(*BEGUN)
        await engine.read()
        engine.write(much)
        engine.write(f"={engine.number} D4\n")
        engine.write(much + much)
        with pytest.raises(ProgramUnavailable, match="it wrote a reply of more than"):
            await asking
    async with conversation() as engine:
        await engine.answer(TURN, *BEGUN, text="D4")
        engine.write(much + much)
        assert await engine.protocol.ends_within(60)
        assert "bytes that answer no turn" in engine.protocol.end_reason


async def test_the_clock_is_described_at_the_start_and_in_each_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Turn, "time_left_now", property(lambda self: self.time_left - 1))
    rule = ClockRule(canadian_byo_yomi=CanadianByoYomi(main_ms=60_000, period_ms=30_000, moves=5))
    match = Match(id="m", terms=MatchTerms(time_control=TimeControl(rule=rule)))
    clocks = (Clock(main_us=50_900_000), Clock(seat=1, period_us=20_000_000, moves_left=3))
    async with conversation("time_settings", "time_left", match=match) as engine:
        begun = [*BEGUN[:2], "time_settings 60 30 5", BEGUN[2], "time_left B 49 0", "time_left W 20 3"]
        turn = replace(TURN, clocks=clocks, time_left=50.9)
        assert await engine.answer(turn, *begun, text="D4") == "D4"


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (ClockRule(), "time_settings 0 1 0"),
        (ClockRule(sudden_death=SuddenDeath(main_ms=300_000)), "time_settings 300 0 0"),
        (ClockRule(hourglass=Hourglass(main_ms=300_000)), "time_settings 300 0 0"),
        (ClockRule(fischer=Fischer(main_ms=300_500, increment_ms=2_000)), "time_settings 300 0 0"),
        (ClockRule(bronstein=Bronstein(main_ms=5_000, delay_ms=2_000)), "time_settings 5 0 0"),
        (ClockRule(us_delay=UsDelay(main_ms=5_000, delay_ms=2_000)), "time_settings 5 0 0"),
        (ClockRule(us_delay=UsDelay(delay_ms=2_000)), "time_settings 0 2 1"),
        (ClockRule(per_move=PerMove(move_ms=500)), "time_settings 0 1 1"),
        (ClockRule(bank=Bank(move_ms=4_000, bank_ms=60_000)), "time_settings 60 4 1"),
        (ClockRule(bank=Bank(bank_ms=60_000)), "time_settings 60 0 0"),
        (
            ClockRule(japanese_byo_yomi=JapaneseByoYomi(main_ms=60_000, period_ms=30_000, periods=5)),
            "time_settings 60 30 1",
        ),
        (
            ClockRule(canadian_byo_yomi=CanadianByoYomi(main_ms=60_000, period_ms=30_000, moves=25)),
            "time_settings 60 30 25",
        ),
        (
            ClockRule(moves_per_period=MovesPerPeriod(periods=(Period(moves=40, added_ms=5_000),))),
            "time_settings 0 5 40",
        ),
        (ClockRule(moves_per_period=MovesPerPeriod(periods=(Period(added_ms=5_000),))), "time_settings 5 0 0"),
        (ClockRule(correspondence=Correspondence()), ""),
    ],
)
def test_the_clock_is_described_in_the_words_of_gtp(rule: ClockRule, words: str) -> None:
    odds = (SeatOdds(seat=1, rule=ClockRule(sudden_death=SuddenDeath(main_ms=9_000))),)
    match = Match(terms=MatchTerms(time_control=TimeControl(rule=rule, odds=odds)))
    assert " ".join(settings_words(match, 0, {"time_settings"})) == words
    assert " ".join(settings_words(match, 1, {"time_settings"})) == "time_settings 9 0 0"
    assert settings_words(match, 0, ()) == []


def test_a_byo_yomi_has_its_periods_if_the_engine_knows_the_extension_of_kgs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Turn, "time_left_now", property(lambda self: self.time_left))
    rule = ClockRule(japanese_byo_yomi=JapaneseByoYomi(main_ms=60_000, period_ms=30_000, periods=5))
    match = Match(terms=MatchTerms(time_control=TimeControl(rule=rule)))
    assert settings_words(match, 0, {KGS_SETTINGS, "time_settings"}) == [
        "kgs-time_settings",
        "byoyomi",
        "60",
        "30",
        "5",
    ]
    clocks = (Clock(period_us=10_500_000, periods_left=4), Clock(seat=1, main_us=30_000_000, periods_left=5))
    turn = replace(TURN, clocks=clocks, time_left=100.0)
    kgs, standard = ({"time_left", KGS_SETTINGS}, {"time_left"})
    assert [" ".join(words) for words in left_words(turn, kgs)] == ["time_left B 10 4", "time_left W 30 0"]
    assert [" ".join(words) for words in left_words(turn, standard)] == ["time_left B 10 1", "time_left W 30 0"]
    assert left_words(turn, ()) == []


def test_the_stones_of_a_position_are_read_from_its_text() -> None:
    assert list(stones_in("1w10b/13/b12/12w b 0 2")) == [("W", "B4"), ("B", "N4"), ("B", "A2"), ("W", "N1")]
