"""UCI, the protocol of chess engines: an engine that knows nothing else plays unchanged.

The engine is asked with the position from which the seat has known the match, and all moves since then, so that it sees
repetitions. A turn that is cancelled stops the search, whose move is then discarded.
"""

import asyncio
import logging
import re
from collections.abc import Mapping, Sequence

from referee_values import Match, MatchEnded

from referee_client.answers import MAX_SCORE, Answer, Choice
from referee_client.bridge.engine_lines import EngineLines, Key, resolve
from referee_client.bridge.program_lines import ProgramUnavailable
from referee_client.bridge.uci_clock import go_words, increments
from referee_client.turn import Turn

log = logging.getLogger("referee_client.bridge")

GAME = "chess"
UNTIMED_MS = 1_000
"""Default of the time for a move in a match without clocks."""
CHESS960 = "UCI_Chess960"
NUMBER = re.compile("-?[0-9]{1,9}", re.ASCII)


class UciProtocol(EngineLines):
    """Commands to an engine, and its moves."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        options: Mapping[str, str] | None = None,
        untimed_ms: int = UNTIMED_MS,
    ) -> None:
        """`options` are set by `setoption`. `reader` must have the limit MAX_LINE_BYTES."""
        super().__init__(reader, writer)
        self._options = options or {}
        self._untimed_ms = untimed_ms
        self._known_options: set[str] = set()
        """The names of the engine's options in lower case: UCI ignores case."""
        self._greeted = self._future()
        self._ready = self._future()
        self._search = self._future()
        """The search that is running, or the last one. Its result is the move."""
        self._search.set_result("")
        self._score: int | None = None
        """What the engine last said in this search that it expects."""
        self._increments: dict[Key, dict[int, int]] = {}
        self._bases: dict[Key, tuple[str, int]] = {}
        """The first position that a seat was asked in, and the number of moves before it."""
        self._playing: Key | None = None

    def greet(self) -> None:
        self._command("uci")

    async def wait_until_greeted(self) -> None:
        await asyncio.shield(self._greeted)

    def start_match(self, match: Match, seat: int) -> None:
        self._increments[match.id, seat] = increments(match)

    def end_match(self, end: MatchEnded) -> None:
        key = (end.match_id, end.seat)
        self._increments.pop(key, None)
        self._bases.pop(key, None)

    async def choose(self, turn: Turn) -> Answer:
        if self.end_reason:
            raise ProgramUnavailable(self.end_reason)
        self._extra_bytes = 0
        await self.wait_until_greeted()
        await asyncio.shield(self._search)
        key = (turn.match_id, turn.seat)
        if key != self._playing:
            await self._begin_game(turn)
            self._playing = key
        base, before = self._bases.setdefault(key, (turn.position, len(turn.history)))
        moves = [played.move for played in turn.history[before:]]
        self._command("position fen", base, *(["moves", *moves] if moves else []))
        self._search = self._future()
        self._score = None
        self._command("go", *go_words(turn, self._increments.get(key, {}), self._untimed_ms))
        try:
            return self._with_score(await asyncio.shield(self._search))
        except asyncio.CancelledError:
            self._command("stop")
            raise

    def _with_score(self, move: str) -> Answer:
        return move if self._score is None else Choice(move, score=self._score)

    async def _begin_game(self, turn: Turn) -> None:
        if CHESS960.lower() in self._known_options:
            self._set_option(CHESS960, turn.options.get("chess960", "false"))
        self._command("ucinewgame")
        self._ready = self._future()
        self._command("isready")
        await asyncio.shield(self._ready)

    def _on_line(self, line: str) -> None:
        match line.split():
            case ["option", "name", *words] if "type" in words:
                self._known_options.add(" ".join(words[: words.index("type")]).lower())
            case ["uciok", *_]:
                self._set_options()
                resolve(self._greeted)
            case ["readyok", *_]:
                resolve(self._ready)
            case ["info", *words] if not self._search.done():
                score = _score_of(words)
                self._score = self._score if score is None else score
            case ["bestmove", *words] if not self._search.done():
                resolve(self._search, words[0] if words else line)
                return
        if self._search.done():
            self._discard(len(line))

    def _set_options(self) -> None:
        for name, value in self._options.items():
            if name.lower() not in self._known_options:
                log.warning("the engine has no option %r; it is set anyway", name)
            self._set_option(name, value)

    def _set_option(self, name: str, value: str) -> None:
        self._command("setoption name", name, "value", value)

    def _reject_pending(self) -> None:
        self._reject((self._greeted, self._ready, self._search))


def _score_of(words: Sequence[str]) -> int | None:
    """Return the score in the words after `info`, for the side to move; None: there is none.

    Bounds and other variations than the best one do not count. A mate is the highest score, less its distance.
    """
    if "string" in words or "lowerbound" in words or "upperbound" in words or "score" not in words:
        return None
    if "multipv" in words and words[words.index("multipv") + 1 :][:1] != ["1"]:
        return None
    match words[words.index("score") + 1 :]:
        case ["cp", number, *_] if NUMBER.fullmatch(number):
            return int(number)
        case ["mate", number, *_] if NUMBER.fullmatch(number):
            moves = int(number)
            return max(0, MAX_SCORE - moves) if moves > 0 else min(0, -MAX_SCORE - moves)
    return None
