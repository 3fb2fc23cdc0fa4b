"""A `Game` whose rules are those of an engine. Its positions are texts, with what the engine has said about them.

Everything that a match asks of a position comes with the position itself: who is to move, the legal moves, the outcome,
and what each viewer sees. So one move costs one request, and one more for each sealed move that it reveals.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import NoReturn, TypeVar

from engines.api import REFEREE, SPECTATOR, Game, Json, Notation, Outcome, Position, Seat, Table, Viewer
from engines.external.answer_lines import (
    PROTOCOL,
    Description,
    ErrorLine,
    Seen,
    ShownTo,
    State,
    TableLine,
    check_description,
    check_shown,
    check_state,
    check_table,
    outcome_of,
    raise_failure,
    raise_move_error,
    raise_option_error,
    raise_position_error,
    read_answer,
)
from engines.external.engine_client import Declaration, EngineClient
from engines.external.engine_connection import BrokenEngine
from engines.game_errors import MalformedMove, MalformedPosition, NotYourTurn
from engines.options import Options, Settings
from engines.view_table import view_table

S = TypeVar("S")
T = TypeVar("T")

TABLE_CACHE_SIZE = 256


class ExternalPosition(Position):
    """A position as an engine has described it."""

    __slots__ = ("_game", "_revealed", "_sealed", "_settings", "_shown", "_state")

    def __init__(
        self, game: "ExternalGame", settings: Settings, state: State, sealed: tuple[tuple[Seat, str], ...] = ()
    ) -> None:
        """`sealed` are the moves of seats that chose at the same time as those that are to move."""
        self._game = game
        self._settings = settings
        self._state = state
        self._sealed = sealed
        self._shown: dict[tuple[Seat, str], ShownTo] = {}
        """Moves that were played from here, as they were seen then."""
        self._revealed: dict[tuple[Seat, str], ShownTo] = {}
        """Moves that have led here, as they are seen now."""

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return ExternalPosition, (self._game, self._settings, self._state, self._sealed)

    @property
    def settings(self) -> Settings:
        return self._settings

    @property
    def owing(self) -> tuple[Seat, ...]:
        return self._state.owing

    def moves(self, seat: Seat) -> Sequence[str]:
        owing = self._state.owing
        return list(self._state.moves[owing.index(seat)]) if seat in owing else []

    def play(self, seat: Seat, move: str) -> "ExternalPosition":
        if seat not in self.owing:
            raise NotYourTurn(seat, self.owing)
        self._game.check_move(move)
        after, shown = self._game.play(self._settings, self._state, seat, move)
        if shown:
            self._shown[seat, move] = shown
        more = ((seat, move),) if self._game.said.hides_moves and len(self.owing) > 1 else ()
        position = ExternalPosition(self._game, self._settings, after, (*self._sealed, *more) if more else ())
        if not more:
            for played in self._sealed:  # Now, since the caller of `revealed_move` may be an event loop.
                position.reveal(*played)
        return position

    @property
    def outcome(self) -> Outcome | None:
        line = self._state.outcome
        return outcome_of(line) if line else None

    @property
    def standing(self) -> tuple[float, ...]:
        return self._state.standing

    def text(self, viewer: Viewer) -> str:
        seen = self._seen(viewer)
        return seen.text if seen else self._state.position

    def view(self, viewer: Viewer) -> Json:
        seen = self._seen(viewer)
        view: Json = seen.view if seen else self._state.view
        return view

    def visible_move(self, seat: Seat, move: str, viewer: Viewer) -> str:
        if viewer == REFEREE or not self._game.said.hides_moves:
            return move
        if (seat, move) not in self._shown:
            self._shown[seat, move] = self._game.show("visible_move", self._settings, self._state, seat, move)
        return _as_seen(self._shown[seat, move], viewer)

    def revealed_move(self, seat: Seat, move: str, viewer: Viewer) -> str:
        if viewer == REFEREE or not self._game.said.hides_moves:
            return move
        return _as_seen(self.reveal(seat, move), viewer)

    def reveal(self, seat: Seat, move: str) -> ShownTo:
        """Return a move that has led here as all see it now. The engine is asked once."""
        if (seat, move) not in self._revealed:
            self._revealed[seat, move] = self._game.show("revealed_move", self._settings, self._state, seat, move)
        return self._revealed[seat, move]

    def picture(self, viewer: Viewer) -> str:
        return self._game.picture(self._settings, self._state, viewer) or self.text(viewer)

    def default(self, seat: Seat) -> str:
        defaults = self._state.defaults
        return defaults[self.owing.index(seat)] if defaults else self.moves(seat)[0]

    @property
    def claimable(self) -> str | None:
        return self._state.claimable

    def _seen(self, viewer: Viewer) -> Seen | None:
        """Return what a viewer sees; None: everything."""
        seen = self._state.seen
        if viewer == REFEREE or seen is None:
            return None
        return seen.spectator if viewer == SPECTATOR else seen.seats[viewer]

    def _whole(self) -> tuple[Settings, str]:
        return self._settings, f"{self._game.name} {self._state.position}"


class ExternalGame(Game):
    """The game of one engine."""

    is_slow = True

    def __init__(self, client: EngineClient, said: Description, options: Options) -> None:
        """`said` and `options` are its answer to `describe`."""
        self.client = client
        self.said = said
        self.options = options
        self.name, self.version, self.title, self.rules = said.name, said.version, said.title, said.rules
        self.notation = Notation(said.notation.move, said.notation.position)
        self.view_schema = said.view_schema
        self.draws_by_agreement = said.draws_by_agreement
        self._table = lru_cache(TABLE_CACHE_SIZE)(self._ask_table)

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return load_game, (self.client.declaration,)

    def table(self, settings: Settings) -> Table:
        return self._table(settings)

    def start(self, settings: Settings, seed: bytes) -> ExternalPosition:
        return self._position("start", settings, {"seed": seed.hex()}, raise_failure)

    def read(self, text: str, settings: Settings) -> ExternalPosition:
        self._check_position(text)
        return self._position("read", settings, {"position": text}, lambda error: raise_position_error(error, text))

    def svg(self, settings: Settings, view: Json, last_move: str | None = None) -> str:
        if "svg" not in self.said.can:
            return view_table(self.title, view, last_move)
        content = {"settings": _written(settings), "view": view, "last_move": last_move}
        return self._ask("svg", content, str, raise_failure, str)

    def check_move(self, move: str) -> None:
        """Raise MalformedMove if a text is too long for a move or not printable."""
        if len(move) > self.said.max_move_chars:
            raise MalformedMove(move, f"a move has at most {self.said.max_move_chars} characters")
        if not move.isprintable():
            raise MalformedMove(move, f"it is not printable; {self.notation.move}")

    def play(self, settings: Settings, state: State, seat: Seat, move: str) -> tuple[State, ShownTo | None]:
        """Return the position after a move of a seat that is to move, and the move as all see it.

        Raises MalformedMove or IllegalMove; ExternalGameFault also if the engine contradicts its list of moves.
        """
        content = _at(settings, state) | {"seat": seat, "move": move}
        listed = move in state.moves[state.owing.index(seat)]

        def refuse(error: ErrorLine) -> NoReturn:
            if listed:
                raise BrokenEngine(f"it refuses a move that it has listed: {move!a}: {error.sentence!a}")
            raise_move_error(error, move)

        def check(after: State) -> tuple[State, ShownTo | None]:
            if not listed:
                raise BrokenEngine(f"it plays a move that it has not listed: {move!a}")
            checked = check_state(after, self.said, table)
            return checked, check_shown(after.shown, self.said, len(table.seats)) if self.said.hides_moves else None

        table = self.table(settings)
        return self._ask("play", content, State, refuse, check)

    def show(self, ask: str, settings: Settings, state: State, seat: Seat, move: str) -> ShownTo:
        """Return a move as all see it: when it is played, or when it is revealed."""
        seats = len(self.table(settings).seats)
        content = _at(settings, state) | {"seat": seat, "move": move}
        return self._ask(ask, content, ShownTo, raise_failure, lambda shown: check_shown(shown, self.said, seats))

    def picture(self, settings: Settings, state: State, viewer: Viewer) -> str:
        """Return the drawing of the engine; empty if it draws nothing."""
        if "picture" not in self.said.can:
            return ""
        return self._ask("picture", _at(settings, state) | {"viewer": _viewer(viewer)}, str, raise_failure, str)

    def _ask_table(self, settings: Settings) -> Table:
        values = dict(settings.values)
        content = {"settings": _written(settings)}
        return self._ask("table", content, TableLine, lambda error: raise_option_error(error, values), check_table)

    def _position(
        self, ask: str, settings: Settings, content: Mapping[str, Json], refuse: Callable[[ErrorLine], NoReturn]
    ) -> ExternalPosition:
        table = self.table(settings)
        state = self._ask(
            ask,
            {"settings": _written(settings), **content},
            State,
            refuse,
            lambda state: check_state(state, self.said, table),
        )
        return ExternalPosition(self, settings, state)

    def _check_position(self, text: str) -> None:
        if len(text) > self.said.max_position_chars:
            raise MalformedPosition(text, f"a position has at most {self.said.max_position_chars} characters")
        if not text or not text.isprintable():
            raise MalformedPosition(text, "it is empty or not printable")

    def _ask(
        self,
        ask: str,
        content: Mapping[str, Json],
        kind: type[S],
        refuse: Callable[[ErrorLine], NoReturn],
        check: Callable[[S], T],
    ) -> T:
        """Return what `check` makes of the content of the answer; `refuse` raises what an error of the engine means."""

        def read(line: bytes, asked: int) -> T:
            answer = read_answer(line, asked, kind)
            if isinstance(answer, ErrorLine):
                refuse(answer)
            return check(answer)

        return self.client.ask(ask, content, read)


class ImaginingGame(ExternalGame):
    """The game of an engine that can draw what a viewer does not see."""

    def imagine(self, text: str, settings: Settings, seed: bytes) -> ExternalPosition:
        self._check_position(text)
        content = {"position": text, "seed": seed.hex()}
        return self._position("imagine", settings, content, lambda error: raise_position_error(error, text))


@cache
def load_game(declaration: Declaration) -> ExternalGame:
    """Start an engine and return its game, always the same one. Raises ExternalGameFault."""
    client = EngineClient(declaration)
    said, options = client.ask(
        "describe", {"protocol": PROTOCOL}, lambda line, asked: _described(line, asked, declaration.name)
    )
    return (ImaginingGame if "imagine" in said.can else ExternalGame)(client, said, options)


def _described(line: bytes, asked: int, name: str) -> tuple[Description, Options]:
    answer = read_answer(line, asked, Description)
    if isinstance(answer, ErrorLine):
        raise_failure(answer)
    return answer, check_description(answer, name)


def _written(settings: Settings) -> Mapping[str, Json]:
    return dict(settings.values)


def _at(settings: Settings, state: State) -> dict[str, Json]:
    return {"settings": _written(settings), "position": state.position}


def _viewer(viewer: Viewer) -> Json:
    return {REFEREE: "referee", SPECTATOR: "spectator"}.get(viewer, viewer)


def _as_seen(shown: ShownTo, viewer: Viewer) -> str:
    return shown.spectator if viewer == SPECTATOR else shown.seats[viewer]
