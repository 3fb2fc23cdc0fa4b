"""The bots of the lab: Python functions in the process of the match, programs that read and write lines, engines."""

import inspect
import os
import pickle
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol, cast

import referee_values as values
from msgspec import Struct, structs
from referee_api.conversion import to_value
from referee_client.__main__ import SAMPLES
from referee_client.answers import Answer
from referee_client.bot import Players
from referee_client.bridge.protocol_options import ProtocolOptions, choose_protocol, find_only_game
from referee_client.errors import Misconfigured
from referee_values import MatchEnded, Opening, Rules
from referee_values import Result as ResultValue

from engines.game_errors import DetailedError
from referee.lab.match_player import SeatedBot
from referee.local.bot_pool import passed_on
from referee.local.bot_process import check_program
from referee.local.entrant import BRIDGE, CLIENT, Entrant, WrongGame, read_entrant
from referee.match.setup import Setup
from referee.match.state import Match
from referee.transport.wire.results import result_of

if TYPE_CHECKING:
    from referee.lab.engine_program import EngineProgram
    from referee.lab.line_program import LineProgram

BotFunction = Callable[[Any], Answer]
Bot = str | BotFunction | type
"""A bot as given to `lab.play`: text as for `referee match`, or a function, an object or a class of a module."""


ENGINES = {"--uci": "UCI", "--gtp": "GTP"}
"""The protocols of engines, by the options of the bridge with which their commands begin."""
RUNS = "Python functions, programs that read lines, and UCI and GTP engines"


class LabBotRefused(DetailedError):
    """A bot that the lab cannot run."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"the lab cannot run the bot {name}: {why}", name=name, why=why)


class LabBot(Struct, frozen=True):
    """How a worker process gets a bot."""

    name: str
    python: Any = None
    """A function, an object or a class; or text, such as `FILE.py:NAME`."""
    command: tuple[str, ...] = ()
    """The command of a program; empty: the bot is Python."""
    folder: str = "."
    env: Mapping[str, str] = {}
    protocol: str = ""
    """UCI or GTP, for an engine; empty: the program reads and writes the bridge's own lines."""
    new_lines: Any = None
    """Creates the bridge's protocol with an engine."""
    only_game: str = ""
    """The only game that it plays; empty: all."""

    def check_game(self, game: str) -> None:
        """Raise WrongGame if the bot does not play that game."""
        if self.only_game not in ("", game):
            raise WrongGame(self.name, self.only_game, game)

    def check_importable(self) -> None:
        """Raise LabBotRefused if other processes cannot get the bot."""
        try:
            pickle.dumps(self.python)
        except Exception as why:
            why_not = f"worker processes cannot import it ({why}); define it in a module, or use workers=0"
            raise LabBotRefused(self.name, why_not) from None


class RunningBot(Protocol):
    """A bot in a worker process, for one match after the other."""

    def check(self) -> None:
        """Try before the first match whether the bot can play. Raises BotFailure."""

    def seat(self, setup: Setup, seat: int) -> SeatedBot:
        """Begin a match. Any exception is a failure of the bot."""

    def end(self, match: Match, seat: int) -> None:
        """Report the end of a match. Any exception is a failure of the bot."""

    def close(self) -> None: ...


def lab_bot(name: str, bot: Bot) -> LabBot:
    """Return a bot as given to `lab.play`. Raises BadEntrant or LabBotRefused."""
    if isinstance(bot, str):
        return lab_bot_of(read_entrant(bot), name, Path())
    return LabBot(name, bot)


def lab_bot_of(entrant: Entrant, name: str, run_in: Path) -> LabBot:
    """Return the bot of a plan file. Raises LabBotRefused."""
    folder, command = str((run_in / entrant.folder).resolve()), entrant.command
    if command[: len(CLIENT)] == CLIENT:
        return LabBot(name, command[len(CLIENT)], folder=folder)
    if command[: len(BRIDGE)] == BRIDGE and "--" in command:
        end = command.index("--")
        options, program = command[len(BRIDGE) : end], command[end + 1 :]
        plain = LabBot(name, None, program, folder, passed_on(os.environ, entrant))
        if not options:
            return plain
        if options[0] in ENGINES:
            return _engine(plain, options)
    raise LabBotRefused(name, f"it runs {RUNS}, not programs with a network")


def _engine(program: LabBot, options: Sequence[str]) -> LabBot:
    """Return a program as an engine, by these options of the bridge. Raises LabBotRefused."""
    try:
        chosen = ProtocolOptions().parse_args(options)
        new_lines = choose_protocol(chosen)
    except Misconfigured as why:
        raise LabBotRefused(program.name, str(why)) from None
    protocol = ENGINES[options[0]]
    return structs.replace(program, protocol=protocol, new_lines=new_lines, only_game=find_only_game(chosen))


def start_bot(bot: LabBot, log: Path | None) -> RunningBot:
    """Start a bot in this process. Its program appends its standard error to `log`. Raises LabBotRefused."""
    if bot.command:
        try:
            check_program(bot.command[0], Path(bot.folder), bot.env.get("PATH"))
        except OSError as why:
            raise LabBotRefused(bot.name, f"{why.filename}: {why.strerror}") from None
        return ProgramBot(_program(bot, log))
    found = _load(bot) if isinstance(bot.python, str) else bot.python
    if not callable(getattr(found, "choose", found)) or Players(found).is_async:
        raise LabBotRefused(bot.name, "it is no plain function, and no object or class with `choose`")
    return PythonBot(found)


def _program(bot: LabBot, log: Path | None) -> "LineProgram | EngineProgram":
    # Imported here, since these modules are for POSIX only, and lists of commands are not.
    if not bot.protocol:
        from referee.lab.line_program import LineProgram  # noqa: PLC0415

        return LineProgram(bot.command, bot.folder, bot.env, log)
    from referee_client.bridge.programs import Command, Limits  # noqa: PLC0415

    from referee.lab.engine_program import EngineProgram  # noqa: PLC0415

    return EngineProgram(Command(bot.command, Limits(), bot.new_lines, bot.folder, bot.env), bot.protocol, log)


class PythonBot:
    """A function, an object, or a class that is instantiated for each match and seat."""

    def __init__(self, bot: Any) -> None:
        self._bot = bot
        self._players = Players(bot)
        self._plain = inspect.isroutine(bot)

    def check(self) -> None:
        """Nothing to do."""

    def seat(self, setup: Setup, seat: int) -> SeatedBot:
        if self._plain:
            return cast(SeatedBot, self._bot)
        key = (setup.match_id, seat)
        if hasattr(self._bot, "started"):
            self._players.notify(key, "started", started_match(setup), seat)
        return partial(self._players.choose, key)

    def end(self, match: Match, seat: int) -> None:
        if self._plain:
            return
        key = (match.setup.match_id, seat)
        try:
            if hasattr(self._bot, "ended"):
                self._players.notify(key, "ended", match_end(match, seat))
        finally:
            self._players.remove(key)

    def close(self) -> None:
        """Nothing to do."""


class ProgramBot:
    """A program; it plays the matches of this process one after the other."""

    def __init__(self, program: "LineProgram | EngineProgram") -> None:
        self._program = program

    def check(self) -> None:
        self._program.check()

    def seat(self, setup: Setup, seat: int) -> SeatedBot:
        self._program.started(program_match(setup), seat)
        return self._program.choose

    def end(self, match: Match, seat: int) -> None:
        self._program.ended(match_end(match, seat))

    def close(self) -> None:
        self._program.close()


def seed_bots(seed: bytes) -> None:
    """Seed Python's random numbers, so that a match of bots that use them depends on its own seed only."""
    random.seed(seed)


def started_match(setup: Setup) -> values.Match:
    """Return a match as the client library describes it to a bot at its start."""
    terms = setup.terms
    rules = Rules(game=terms.game, version=setup.game_version, options=terms.settings.texts())
    seats = tuple(values.Seat(bot=player.bot, version=player.version, online=True) for player in setup.players)
    return values.Match(id=setup.match_id, terms=values.MatchTerms(rules=rules), seats=seats, phase="playing")


def program_match(setup: Setup) -> values.Match:
    """Return a match as programs need it: also with the clocks, and the position with which it begins."""
    match, terms = started_match(setup), setup.terms
    timed = structs.replace(match.terms, time_control=terms.time_control)
    return structs.replace(match, terms=timed, opening=Opening(position=setup.opening))


def match_end(match: Match, seat: int) -> MatchEnded:
    """Return the end of a match as the client library describes it to a bot."""
    assert match.result
    result = to_value(result_of(match.result, match.setup.match_id), ResultValue)
    return MatchEnded(match_id=match.setup.match_id, seat=seat, result=result)


def _load(bot: LabBot) -> Any:
    """Return the object that the text names. Raises LabBotRefused."""
    module, _, name = SAMPLES.get(bot.python, bot.python).rpartition(":")
    try:
        loaded = _load_file(bot, Path(bot.folder, module)) if module.endswith(".py") else _import(bot, module)
        return getattr(loaded, name)
    except (Exception, SystemExit) as why:
        raise LabBotRefused(bot.name, f"{bot.python} cannot be loaded: {type(why).__name__}: {why}") from None


def _load_file(bot: LabBot, file: Path) -> ModuleType:
    """Load a file under a name of its own: two versions of a bot are often files of the same name."""
    spec = spec_from_file_location(f"lab_bot_{bot.name.replace('-', '_')}", file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is no Python file")
    _search_in(str(file.parent))
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _import(bot: LabBot, module: str) -> ModuleType:
    _search_in(bot.folder)
    return import_module(module)


def _search_in(folder: str) -> None:
    with suppress(ValueError):
        sys.path.remove(folder)
    sys.path.insert(0, folder)


def names_of(bots: Mapping[str, Bot] | Sequence[Bot]) -> dict[str, Bot]:
    """Return the bots by name; others are named by their text, function or class, numbered if equal."""
    if isinstance(bots, Mapping):
        return dict(bots)
    named: dict[str, Bot] = {}
    for bot in bots:
        name = read_entrant(bot).name if isinstance(bot, str) else getattr(bot, "__name__", type(bot).__name__)
        number = 2
        while name in named:
            name = f"{name.rpartition('-')[0] if number > 2 else name}-{number}"
            number += 1
        named[name] = bot
    return named
