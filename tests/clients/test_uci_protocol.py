"""The conversation with a UCI engine: its beginning, turns, clocks, and searches that are no longer needed."""

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from referee_client import Choice
from referee_client.bridge.program_lines import MAX_EXTRA_BYTES, MAX_LINE_BYTES
from referee_client.bridge.uci_clock import go_words, increments
from referee_client.bridge.uci_protocol import UciProtocol
from referee_client.turn import Turn
from referee_values import (
    Bank,
    Bronstein,
    Clock,
    ClockRule,
    Fischer,
    JapaneseByoYomi,
    Match,
    MatchEnded,
    MatchTerms,
    MovesPerPeriod,
    Period,
    Result,
    SeatMove,
    SeatOdds,
    SuddenDeath,
    TimeControl,
    UsDelay,
)

TURN = Turn("m", 0, "t", "chess", {"chess960": "false"}, 0, "FEN", listed_moves=())
LATER = replace(TURN, ply=2, position="FEN 2", history=(SeatMove(seat=0, move="e2e4"), SeatMove(seat=1, move="e7e5")))
GREETING = b"id name Fake\noption name Skill Level type spin default 20\noption name UCI_Chess960 type check\nuciok\n"


class Engine:
    """The engine's end of the conversation."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, protocol: UciProtocol) -> None:
        self.reader = reader
        self.writer = writer
        self.protocol = protocol

    async def read(self, lines: int = 1) -> list[str]:
        return [(await self.reader.readline()).decode().strip() for _ in range(lines)]

    def write(self, lines: bytes) -> None:
        self.writer.write(lines)

    async def greet(self) -> None:
        assert await self.read() == ["uci"]
        self.write(GREETING)

    async def begin(self, turn: Turn = TURN) -> "asyncio.Task[Any]":
        """Ask for the first turn, and return the task that waits for its answer."""
        asking = asyncio.create_task(self.protocol.choose(turn))
        assert (await self.read(3))[1:] == ["ucinewgame", "isready"]
        self.write(b"readyok\n")
        return asking


@asynccontextmanager
async def conversation(options: Mapping[str, str] | None = None) -> AsyncIterator[Engine]:
    bridge_end, program_end = socket.socketpair()
    protocol = UciProtocol(*await asyncio.open_connection(sock=bridge_end, limit=MAX_LINE_BYTES), options or {})
    engine = Engine(*await asyncio.open_connection(sock=program_end), protocol)
    async with asyncio.timeout(60):
        protocol.greet()
        await engine.greet()
        yield engine
        engine.writer.close()
        await protocol.close()


async def test_an_engine_is_set_up_and_asked_with_the_position_and_the_time() -> None:
    async with conversation({"skill level": "3"}) as engine:
        asking = asyncio.create_task(engine.protocol.choose(TURN))
        assert await engine.read(4) == [
            "setoption name skill level value 3",
            "setoption name UCI_Chess960 value false",
            "ucinewgame",
            "isready",
        ]
        engine.write(b"readyok\n")
        assert await engine.read(2) == ["position fen FEN", "go movetime 1000"]
        engine.write(b"info depth 1\nbestmove e2e4 ponder e7e5\n")
        assert await asking == "e2e4"


@pytest.mark.parametrize(
    ("lines", "score"),
    [
        ("info depth 1 score cp 13 nodes 20\ninfo depth 2 seldepth 3 score cp -35 pv e2e4", -35),
        ("info score mate 3", 999_997),
        ("info score mate -2", -999_998),
        ("info score mate 0", -1_000_000),
        ("info score cp 20\ninfo score cp 90 lowerbound\ninfo upperbound score cp 5", 20),
        ("info multipv 1 score cp 20\ninfo multipv 2 score cp 10\ninfo score cp 7 multipv", 20),
        ("info score cp 20\ninfo string the score cp 30 is a joke\ninfo depth 9", 20),
        ("info score cp\ninfo score\ninfo score cp many\ninfo score cp 99999999999\ninfo score wdl 1 2 3", None),
        ("info score mate 999999999", 0),
        ("info score mate -999999999", 0),
        ("option name score cp 3", None),
    ],
)
async def test_the_last_score_of_the_best_variation_goes_with_the_move(lines: str, score: int | None) -> None:
    async with conversation() as engine:
        asking = await engine.begin()
        await engine.read(2)
        engine.write(f"{lines}\nbestmove e2e4\n".encode())
        assert await asking == ("e2e4" if score is None else Choice("e2e4", score=score))


async def test_a_score_of_an_earlier_search_does_not_count() -> None:
    async with conversation() as engine:
        asking = await engine.begin()
        await engine.read(2)
        engine.write(b"info score cp 35\nbestmove e2e4\ninfo score cp 40\n")
        assert await asking == Choice("e2e4", score=35)
        asking = asyncio.create_task(engine.protocol.choose(LATER))
        await engine.read(2)
        engine.write(b"bestmove g1f3\n")
        assert await asking == "g1f3"


async def test_the_next_turn_has_the_first_position_and_all_moves_since() -> None:
    async with conversation() as engine:
        asking = await engine.begin()
        await engine.read(2)
        engine.write(b"bestmove e2e4\n")
        await asking
        asking = asyncio.create_task(engine.protocol.choose(LATER))
        assert (await engine.read(2))[0] == "position fen FEN moves e2e4 e7e5"
        engine.write(b"bestmove g1f3\n")
        assert await asking == "g1f3"


async def test_a_seat_that_is_first_asked_later_begins_with_that_position() -> None:
    async with conversation() as engine:
        asking = await engine.begin(LATER)
        assert (await engine.read(2))[0] == "position fen FEN 2"
        engine.write(b"bestmove g1f3\n")
        assert await asking == "g1f3"


async def test_another_match_is_another_game() -> None:
    async with conversation() as engine:
        asking = await engine.begin()
        await engine.read(2)
        engine.write(b"bestmove e2e4\n")
        await asking
        engine.protocol.end_match(MatchEnded(match_id="m", result=Result()))
        asking = await engine.begin(replace(TURN, match_id="m2", position="FEN 3", options={"chess960": "true"}))
        assert (await engine.read(2))[0] == "position fen FEN 3"
        engine.write(b"bestmove a2a3\n")
        assert await asking == "a2a3"


async def test_a_turn_that_is_cancelled_stops_the_search_whose_move_is_not_used() -> None:
    async with conversation() as engine:
        asking = await engine.begin()
        await engine.read(2)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert await engine.read() == ["stop"]
        asking = asyncio.create_task(engine.protocol.choose(LATER))
        engine.write(b"bestmove a2a3\n")
        assert (await engine.read(2))[0] == "position fen FEN moves e2e4 e7e5"
        engine.write(b"bestmove g1f3\n")
        assert await asking == "g1f3"


@pytest.mark.parametrize(("line", "answer"), [(b"bestmove (none)\n", "(none)"), (b"bestmove\n", "bestmove")])
async def test_nonsense_is_answered_as_it_is_so_that_the_referee_refuses_it(line: bytes, answer: str) -> None:
    async with conversation() as engine:
        asking = await engine.begin()
        await engine.read(2)
        engine.write(line)
        assert await asking == answer


async def test_an_engine_may_write_much_while_it_searches_but_not_between_turns() -> None:
    async with conversation() as engine:
        asking = await engine.begin()
        await engine.read(2)
        much = b"info string much\n" * (MAX_EXTRA_BYTES // 16)
        engine.write(much)
        engine.write(b"bestmove e2e4\n")
        assert await asking == "e2e4"
        engine.write(much + much)
        assert await engine.protocol.ends_within(60)
        assert "bytes that answer no turn" in engine.protocol.end_reason


def clocks(*, main: float = 0, period: float = 0, periods: int = 0, moves: int = 0) -> Turn:
    """Return a turn of Black, who has this clock, while White has eight seconds."""
    main_us, period_us = round(main * 1e6), round(period * 1e6)
    mine = Clock(seat=1, main_us=main_us, period_us=period_us, periods_left=periods, moves_left=moves)
    theirs = Clock(main_us=8_000_000, moves_left=moves)
    return replace(TURN, seat=1, clocks=(theirs, mine), time_left=main + period)


@pytest.mark.parametrize(
    ("turn", "words"),
    [
        (clocks(main=5), "wtime 8000 btime 5000 winc 100 binc 200"),
        (clocks(main=5, period=1), "wtime 8000 btime 5000 winc 100 binc 200"),
        (clocks(main=5, moves=7), "wtime 8000 btime 5000 winc 100 binc 200 movestogo 7"),
        (clocks(period=5, moves=7), "wtime 8000 btime 5000 winc 100 binc 200 movestogo 7"),
        (clocks(period=2), "movetime 1800"),
        (clocks(period=0.1), "movetime 80"),
        (clocks(period=0.001), "movetime 1"),
        (TURN, "movetime 1234"),
    ],
)
def test_the_clock_is_passed_in_the_words_of_uci(turn: Turn, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Turn, "time_left_now", property(lambda self: self.time_left))
    assert " ".join(go_words(turn, {0: 100, 1: 200}, 1234)) == words


def test_time_that_has_gone_since_the_turn_arrived_is_not_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Turn, "time_left_now", property(lambda self: self.time_left - 1))
    assert go_words(clocks(main=5), {}, 1)[:4] == ["wtime", "8000", "btime", "4000"]
    assert go_words(clocks(main=0.5), {}, 1)[:4] == ["wtime", "8000", "btime", "1"]
    assert go_words(clocks(period=2), {}, 1) == ["movetime", "900"]


@pytest.mark.parametrize(
    ("rule", "increment"),
    [
        (ClockRule(), 0),
        (ClockRule(sudden_death=SuddenDeath(main_ms=5)), 0),
        (ClockRule(fischer=Fischer(main_ms=5, increment_ms=1)), 1),
        (ClockRule(bronstein=Bronstein(main_ms=5, delay_ms=2)), 2),
        (ClockRule(us_delay=UsDelay(main_ms=5, delay_ms=3)), 3),
        (ClockRule(bank=Bank(move_ms=4, bank_ms=5)), 4),
        (ClockRule(japanese_byo_yomi=JapaneseByoYomi(main_ms=5, period_ms=6, periods=1)), 6),
        (ClockRule(moves_per_period=MovesPerPeriod(periods=(Period(moves=40, added_ms=5, increment_ms=7),))), 7),
        (ClockRule(moves_per_period=MovesPerPeriod()), 0),
    ],
)
def test_the_increment_is_that_of_the_rule_of_each_seat(rule: ClockRule, increment: int) -> None:
    odds = (SeatOdds(seat=1, rule=ClockRule(fischer=Fischer(main_ms=5, increment_ms=9))),)
    control = TimeControl(rule=rule, odds=odds)
    assert increments(Match(terms=MatchTerms(time_control=control))) == {0: increment, 1: 9}
