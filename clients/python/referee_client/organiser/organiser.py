"""Client for organisers: registers bots, creates matches and watches them.

It may be used from several threads at the same time.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from referee_api.v1 import (
    bot_pb2,
    bot_service_pb2,
    entry_pb2,
    game_pb2,
    game_service_pb2,
    match_pb2,
    match_service_pb2,
)
from referee_api.v1.bot_service_pb2_grpc import BotServiceStub
from referee_api.v1.game_service_pb2_grpc import GameServiceStub
from referee_api.v1.match_service_pb2_grpc import MatchServiceStub

from referee_client.address import address
from referee_client.matches import Match, Result, match_in, result_in
from referee_client.organiser.administration import Administration
from referee_client.organiser.bot_accounts import BotAccounts
from referee_client.organiser.calls import PAGE_SIZE, Calls, request_id
from referee_client.organiser.entrants import bot_ref
from referee_client.organiser.invitations import Invitations
from referee_client.organiser.ladders import Ladders
from referee_client.organiser.standing import PHASES, Standing, standing_in
from referee_client.organiser.terms import Terms
from referee_client.organiser.tournaments import Tournaments
from referee_client.organiser.unary_play import UnaryPlay
from referee_client.organiser.watch import Watch

PATIENCE_S = 60.0


class Organiser:
    """All methods raise Refused (or a subclass: NotAllowed, NotServed), or Unreachable if no retry has succeeded."""

    def __init__(
        self,
        target: str | None = None,
        token: str | None = None,
        *,
        ca: str | os.PathLike[str] | None = None,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """`target`, `token` and `ca` as for `run`; `patience_s`: how long calls are retried."""
        self._calls = Calls(address(target, token, ca), patience_s)
        self._bots = BotServiceStub(self._calls.channel)
        self._games = GameServiceStub(self._calls.channel)
        self._matches = MatchServiceStub(self._calls.channel)
        self.accounts = BotAccounts(self._calls)
        self.play = UnaryPlay(self._calls)
        self.ladders = Ladders(self._calls)
        self.tournaments = Tournaments(self._calls)
        self.invitations = Invitations(self._calls)
        self.administration = Administration(self._calls)

    def __enter__(self) -> "Organiser":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._calls.close()

    def games(self) -> list[game_pb2.Game]:
        """Return all games that the referee has."""
        return list(self._calls.call(self._games.ListGames, game_service_pb2.ListGamesRequest()).games)

    def game(self, name: str) -> game_pb2.Game:
        return self._calls.call(self._games.GetGame, game_service_pb2.GetGameRequest(name=name)).game

    def read_position(self, request: game_service_pb2.ReadPositionRequest) -> game_service_pb2.ReadPositionResponse:
        """Return the seats to move, the legal moves and the result of a position, after the moves of the request."""
        return self._calls.call(self._games.ReadPosition, request)

    def register_bot(self, name: str, description: str = "", consent: bot_pb2.Consent | None = None) -> str:
        """Register a bot and return its token. `consent` says from whom it takes matches; None: the defaults."""
        request = bot_service_pb2.RegisterBotRequest(
            request_id=request_id(), name=name, description=description, consent=consent
        )
        registered = self._calls.call(self._bots.RegisterBot, request)
        # The secret is returned only once, and that answer may have been lost.
        return registered.secret or self.create_token(name)

    def create_token(self, name: str, label: str = "") -> str:
        """Create and return another token of a bot."""
        return self.accounts.make_token(name, label).secret

    def bots(self, owner: str = "", online_only: bool = False) -> Iterator[bot_pb2.Bot]:
        request = bot_service_pb2.ListBotsRequest(owner=owner, online_only=online_only, page_size=PAGE_SIZE)
        for page in self._calls.pages(self._bots.ListBots, request):
            yield from page.bots

    def bot_log(
        self, name: str, after: int = 0, version: str = "", match_id: str = ""
    ) -> Iterator[bot_pb2.BotLogEntry]:
        """Return the log of one of your own bots, the oldest entry first. Default: of all versions and matches."""
        request = bot_service_pb2.ListBotLogEntriesRequest(
            bot=name, version=version, match_id=match_id, after_number=after, page_size=PAGE_SIZE
        )
        more = True
        while more:
            page = self._calls.call(self._bots.ListBotLogEntries, request)
            yield from page.entries
            more = page.has_more
            request.after_number = page.entries[-1].number if page.entries else request.after_number

    def create_match(
        self,
        terms: Terms | match_pb2.MatchTerms | str,
        bots: Sequence[str] = (),
        *,
        title: str = "",
        seed: bytes = b"",
        position: str | game_pb2.Opening = "",
        ladder: str = "",
    ) -> Match:
        """Create a match with the given terms, as words or as a message, or of the named game with its defaults.

        `bots` are names, seat by seat, as `anna` or `anna/1.4` with a version; an empty name leaves its seat open.
        `seed`: 32 bytes to repeat the same match. `position`: the position to start from, also with moves from
        there. `ladder`: the ladder that rates the match.
        """
        words = Terms(terms) if isinstance(terms, str) else terms
        request = match_service_pb2.CreateMatchRequest(
            request_id=request_id(),
            terms=words.message() if isinstance(words, Terms) else words,
            seats=map(bot_ref, bots),
            opening=game_pb2.Opening(position=position) if isinstance(position, str) else position,
            seed=seed,
            title=title,
            ladder=ladder,
        )
        return match_in(self._calls.call(self._matches.CreateMatch, request).match)

    def abort(self, match_id: str, message: str = "") -> Result:
        """Abort a match."""
        request = match_service_pb2.AbortMatchRequest(request_id=request_id(), match_id=match_id, message=message)
        return result_in(self._calls.call(self._matches.AbortMatch, request).result)

    def withdraw_bot(self, match_id: str, bot: str) -> None:
        """Take one of your own bots out of an unrated match. Its seat becomes open, or it forfeits in play."""
        request = match_service_pb2.WithdrawBotRequest(request_id=request_id(), match_id=match_id, bot=bot)
        self._calls.call(self._matches.WithdrawBot, request)

    def standing(self, match_id: str) -> Standing:
        """Return the current state of a match."""
        return standing_in(self.get_match(match_id))

    def get_match(self, match_id: str) -> match_service_pb2.GetMatchResponse:
        """Return a match and its current state as messages of the contract."""
        return self._calls.call(self._matches.GetMatch, match_service_pb2.GetMatchRequest(match_id=match_id))

    def matches(self, bot: str = "", game: str = "", phase: str = "", open_only: bool = False) -> Iterator[Match]:
        """Return matches, the newest first. `phase` is `waiting`, `playing` or `over`; empty arguments match any."""
        return map(match_in, self.list_matches(bot, game, phase, open_only))

    def list_matches(
        self, bot: str = "", game: str = "", phase: str = "", open_only: bool = False
    ) -> Iterator[match_pb2.Match]:
        """Return the same as `matches`, as messages of the contract."""
        request = match_service_pb2.ListMatchesRequest(
            bot=bot, game=game, phase=_phase(phase), open_only=open_only, page_size=PAGE_SIZE
        )
        for page in self._calls.pages(self._matches.ListMatches, request):
            yield from page.matches

    def watch(self, match_id: str, after: int = 0) -> Watch[entry_pb2.Entry]:
        """Watch every entry after the number `after`, once and in order, until the match is over.

        The watch resumes by itself after the referee could not be reached, or after it was ended because the watcher
        was too slow.
        """

        def open_stream(after: int) -> Any:
            request = match_service_pb2.WatchMatchRequest(match_id=match_id, after_number=after)
            return self._matches.WatchMatch(request, metadata=self._calls.metadata)

        return Watch(self._calls, open_stream, after)

    def result(self, match_id: str) -> Result:
        """Wait for the end of a match and return its result."""
        for entry in self.watch(match_id):
            if entry.HasField("play_ended"):
                return result_in(entry.play_ended.result)
        raise AssertionError("the last entry of a match is its end")

    def record(self, match_id: str, file: str | os.PathLike[str]) -> Path:
        """Write the record of a finished match to a file, which is replaced atomically, and return its path."""
        target = Path(file)
        temporary = target.with_name(f"{target.name}.part")
        temporary.write_bytes(self.record_bytes(match_id))
        return temporary.replace(target)

    def record_bytes(self, match_id: str) -> bytes:
        """Return the record of a finished match, as its file contains it."""
        messages = self._calls.all(self._matches.GetRecord, match_service_pb2.GetRecordRequest(match_id=match_id))
        return b"".join(f"{line}\n".encode() for message in messages for line in message.lines)


def _phase(word: str) -> match_pb2.MatchPhase.ValueType:
    if not word:
        return match_pb2.MATCH_PHASE_UNSPECIFIED
    numbers = {text: number for number, text in PHASES.items()}
    if word not in numbers:
        raise ValueError(f"phase cannot be {word!r}; it is one of {', '.join(numbers)}")
    return numbers[word]
