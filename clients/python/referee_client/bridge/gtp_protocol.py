"""GTP, the protocol of Go engines: an engine that knows nothing else plays unchanged.

The engine follows the match on a board of its own, which the bridge keeps equal to that of the match: by the moves
since the start; or by the stones, if these moves are not known, or the engine refuses one. GTP has no command that
stops an engine that thinks.
"""

import asyncio
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from referee_values import Match, MatchEnded, Opening, SeatMove

from referee_client.answers import RESIGN, Answer
from referee_client.bridge.engine_lines import EngineLines, Key, resolve
from referee_client.bridge.gtp_clock import COLOURS, left_words, settings_words
from referee_client.bridge.program_lines import MAX_EXTRA_BYTES, ProgramUnavailable
from referee_client.turn import Turn

log = logging.getLogger("referee_client.bridge")

GAME = "go"
VERSION = "2"
COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
REPLY = re.compile(r"([=?])([0-9]{0,9})(?:\s+(.*)|)", re.ASCII)
MOVE = re.compile(r"[A-HJ-Z][1-9][0-9]?|PASS", re.ASCII)
RUN = re.compile("[bw]|[0-9]+", re.ASCII)


class CommandRefused(Exception):
    """The engine has answered a command with an error. `str()` is what it says."""


class IllegalThere(Exception):
    """The engine refuses a move that the referee has accepted, such as one that its own ko rule forbids."""


@dataclass(frozen=True)
class EngineBoard:
    """What is on the engine's board: the position of a seat after these moves."""

    key: Key
    moves: tuple[SeatMove, ...]


class GtpProtocol(EngineLines):
    """Commands to an engine, and its replies."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """`reader` must have the limit MAX_LINE_BYTES."""
        super().__init__(reader, writer)
        self._numbers = count(1)
        self._pending: dict[int, asyncio.Future[str]] = {}
        """Commands without a reply, in order. The result of a future is `=` or `?` and the reply."""
        self._replying: asyncio.Future[str] | None = None
        """The command whose reply is being read, until an empty line ends it."""
        self._reply: list[str] = []
        self._reply_chars = 0
        self._thinking = False
        self._known: frozenset[str] | None = None
        """The commands of the engine."""
        self._matches: dict[Key, Match] = {}
        self._board: EngineBoard | None = None
        """None: it is not known."""

    def greet(self) -> None:
        self._version, self._commands = self._send("protocol_version"), self._send("list_commands")

    async def wait_until_greeted(self) -> None:
        await self._known_commands()

    def start_match(self, match: Match, seat: int) -> None:
        self._matches[match.id, seat] = match

    def end_match(self, end: MatchEnded) -> None:
        self._matches.pop((end.match_id, end.seat), None)

    async def choose(self, turn: Turn) -> Answer:
        if self.end_reason:
            raise ProgramUnavailable(self.end_reason)
        self._extra_bytes = 0
        await self._finish_pending()
        known = await self._known_commands()
        try:
            await self._set_board(turn, known)
        except CommandRefused as why:
            log.error("match %s: the engine cannot play it, and resigns: %s", turn.match_id, why)
            return RESIGN
        for words in left_words(turn, known):
            await self._try(*words)
        return await self._generate(turn)

    async def _generate(self, turn: Turn) -> Answer:
        self._board, self._thinking = None, True
        reply = self._send("genmove", COLOURS[turn.seat])
        reply.add_done_callback(self._stop_thinking)
        text = await asyncio.shield(reply)
        said = "".join(text.removeprefix("=").split()[:1]).upper()
        if said == "RESIGN":
            return RESIGN
        if not MOVE.fullmatch(said):
            return text.splitlines()[0]  # The referee refuses and explains it.
        move = "pass" if said == "PASS" else said
        self._board = EngineBoard((turn.match_id, turn.seat), (*turn.history, SeatMove(seat=turn.seat, move=move)))
        return move

    def _stop_thinking(self, _: object) -> None:
        self._thinking = False

    async def _known_commands(self) -> frozenset[str]:
        if self._known is None:
            version, commands = await asyncio.shield(self._version), await asyncio.shield(self._commands)
            if version != f"={VERSION}":
                log.warning("the engine does not speak version %s of GTP, but %r; it is used anyway", VERSION, version)
            self._known = frozenset(commands.removeprefix("=").split()) if commands.startswith("=") else frozenset()
        return self._known

    async def _set_board(self, turn: Turn, known: frozenset[str]) -> None:
        """Make the engine's board that of the turn. Raises CommandRefused if the engine cannot have such a board."""
        board, moves, key = self._board, turn.history, (turn.match_id, turn.seat)
        self._board = None
        try:
            if board and board.key == key and board.moves == moves[: len(board.moves)]:
                await self._play(moves[len(board.moves) :])
            else:
                await self._begin(turn, known)
        except IllegalThere as why:
            log.warning("match %s: the engine refuses a move, so it gets the stones instead: %s", turn.match_id, why)
            await self._place_stones(turn)
        self._board = EngineBoard(key, moves)

    async def _begin(self, turn: Turn, known: frozenset[str]) -> None:
        """Begin a game, and lead it to the position of the turn. Raises CommandRefused, and IllegalThere for a move."""
        match = self._matches.get((turn.match_id, turn.seat))
        await self._call("boardsize", turn.options.get("size", "19"))
        await self._try("komi", turn.options.get("komi", "7.5"))
        words = settings_words(match, turn.seat, known) if match else []
        if words:
            await self._try(*words)
        if match and match.opening == Opening() and len(turn.history) == turn.ply:
            await self._call("clear_board")
            await self._play(turn.history, turn.options.get("handicap", "0"))
        else:
            await self._place_stones(turn)

    async def _play(self, moves: tuple[SeatMove, ...], handicap: str = "0") -> None:
        """Play moves, after placing handicap stones. Raises IllegalThere."""
        try:
            if handicap != "0":
                await self._call("fixed_handicap", handicap)
            for played in moves:
                await self._call("play", COLOURS[played.seat], played.move)
        except CommandRefused as why:
            raise IllegalThere(str(why)) from None

    async def _place_stones(self, turn: Turn) -> None:
        """Put the stones of the position on the board. No order of them captures anything."""
        await self._call("clear_board")
        for colour, point in stones_in(turn.position):
            await self._call("play", colour, point)

    async def _try(self, *words: str) -> None:
        try:
            await self._call(*words)
        except CommandRefused as why:
            log.warning("the engine refuses a command, and plays on without it: %s", why)

    async def _call(self, *words: str) -> str:
        """Send a command and return the reply. Raises CommandRefused."""
        text = await asyncio.shield(self._send(*words))
        if text.startswith("?"):
            raise CommandRefused(f"`{' '.join(words)}`: {text.removeprefix('?').strip()}")
        return text.removeprefix("=")

    def _send(self, *words: str) -> asyncio.Future[str]:
        number = next(self._numbers)
        reply = self._pending[number] = self._future()
        self._command(str(number), *words)
        if self.end_reason:
            self._reject_pending()
        return reply

    async def _finish_pending(self) -> None:
        """Wait for the replies to commands of a turn that was cancelled."""
        for reply in tuple(self._pending.values()):
            await asyncio.shield(reply)

    def _on_line(self, line: str) -> None:
        if self._replying:
            self._reply.append(line)
            self._reply_chars += len(line)
            if self._reply_chars > MAX_EXTRA_BYTES:
                self._end(f"it wrote a reply of more than {MAX_EXTRA_BYTES} bytes")
                self._reading.cancel()
            return
        found = REPLY.fullmatch(line)
        number = _number(found[2], self._pending) if found else None
        if found and number in self._pending:
            self._replying = self._pending.pop(number)
            self._reply, self._reply_chars = [found[1] + (found[3] or "")], len(line)
        elif not self._thinking:
            self._discard(len(line))

    def _on_empty_line(self, size: int) -> None:
        if self._replying:
            replying, self._replying = self._replying, None
            resolve(replying, "\n".join(self._reply))
        else:
            self._discard(size)

    def _reject_pending(self) -> None:
        self._reject([*self._pending.values(), *([self._replying] if self._replying else [])])


def stones_in(position: str) -> Iterator[tuple[str, str]]:
    """Yield the colour and the point of each stone in the text of a position."""
    rows = position.split(" ", maxsplit=1)[0].split("/")
    for number, row in zip(range(len(rows), 0, -1), rows, strict=True):
        column = 0
        for run in RUN.findall(row):
            if run in "bw":
                yield run.upper(), f"{COLUMNS[column]}{number}"
            column += 1 if run in "bw" else int(run)


def _number(written: str, pending: dict[int, asyncio.Future[str]]) -> int | None:
    """Return the number of a reply; without one, it is that of the first command that has none yet."""
    return int(written) if written else next(iter(pending), None)
