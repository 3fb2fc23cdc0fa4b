"""Converts games, rules, seat layouts and openings."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache

from referee_api.v1 import game_pb2

from engines.api import Game, Seat, Table
from engines.options import Preset, Settings, Value, written
from referee.live.match_request import find_game

RULES_CACHE_SIZE = 256
"""Rules are part of every turn, and most matches share them."""
LARGE_RULES_BYTES = 4096
"""Larger rules are sent once in a session; after that, turns have only their hash."""


def read_rules(games: Mapping[str, Game], rules: game_pb2.Rules) -> tuple[Game, Settings]:
    """Raises UnknownGame, UnknownOption, UnknownPreset or BadOption."""
    game = find_game(games, rules.game)
    return game, game.settings(dict(rules.options), rules.preset or None)


@lru_cache(RULES_CACHE_SIZE)
def rules_of(game: str, version: int, settings: Settings) -> game_pb2.Rules:
    """Convert rules, with the value of every option. The message is cached: callers must not change it."""
    return game_pb2.Rules(game=game, options=settings.texts(), version=version)


@lru_cache(RULES_CACHE_SIZE)
def turn_rules(game: str, version: int, values: tuple[tuple[str, Value], ...]) -> tuple[game_pb2.Rules, str]:
    """Return the rules, and the hash that replaces large ones in turns; empty: they are small enough.

    Takes the values of the settings because their hash is fast: that of a dataclass is a Python function.
    """
    rules = rules_of(game, version, Settings(values))
    encoded = rules.SerializeToString(deterministic=True)
    return rules, hashlib.sha256(encoded).hexdigest() if len(encoded) > LARGE_RULES_BYTES else ""


def seat_layout_of(table: Table) -> game_pb2.SeatLayout:
    return game_pb2.SeatLayout(seat_names=table.seats, sides=[game_pb2.Side(seats=side) for side in table.sides])


def game_of(game: Game) -> game_pb2.Game:
    return game_pb2.Game(
        name=game.name,
        version=game.version,
        title=game.title,
        rules_text=game.rules,
        notation=game_pb2.Notation(move_grammar=game.notation.move, position_grammar=game.notation.position),
        options_schema_json=json_text(game.options.schema()),
        presets=map(_preset_of, game.options.presets),
        view_schema_json=json_text(game.view_schema),
        draws_by_agreement=game.draws_by_agreement,
    )


def seat_moves(moves: Sequence[tuple[Seat, str]]) -> list[game_pb2.SeatMove]:
    return [game_pb2.SeatMove(seat=seat, move=move) for seat, move in moves]


def json_text(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _preset_of(preset: Preset) -> game_pb2.Preset:
    options = {name: written(value) for name, value in preset.chosen.items()}
    return game_pb2.Preset(name=preset.name, description=preset.meaning, options=options)
