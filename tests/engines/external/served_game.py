"""Serves a game of Python by the engine protocol: `python -m tests.engines.external.served_game nim`."""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

from engines.api import REFEREE, SPECTATOR, Game, Position
from engines.external.answer_lines import PROTOCOL
from engines.game_errors import BadOption, IllegalMove, MalformedMove, MalformedPosition, NotYourTurn
from engines.options import Choice, Count, Flag, Option, Settings
from tests.match.games import STONES
from tests.third_party_games.third_party_games import FINGERS, NIM
from tests.third_party_games.third_party_games.fingers import FingersPosition

GAMES: dict[str, Game] = {"nim": NIM, "fingers": FINGERS, "stones": STONES}


class GameServer:
    """Answers requests about one game."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.hides = game is FINGERS

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return {"id": request["id"], "ok": getattr(self, request["ask"])(request)}
        except MalformedMove as error:
            return _error(request, "malformed_move", error.details["right"])
        except IllegalMove as error:
            return _error(request, "illegal_move", error.details["why"], rule=error.details["rule"])
        except NotYourTurn as error:
            return _error(request, "not_your_turn", str(error))
        except MalformedPosition as error:
            return _error(request, "malformed_position", error.details["wrong"])
        except BadOption as error:
            return _error(request, "bad_option", error.details["known"], option=error.details["option"])

    def describe(self, request: Mapping[str, Any]) -> dict[str, Any]:
        game = self.game
        return {
            "protocol": PROTOCOL,
            "name": game.name,
            "version": game.version,
            "title": game.title,
            "rules": game.rules,
            "notation": {"move": game.notation.move, "position": game.notation.position},
            "view_schema": game.view_schema,
            "options": [_option(option) for option in game.options.declared],
            "presets": [
                {"name": preset.name, "meaning": preset.meaning, "chosen": dict(preset.chosen)}
                for preset in game.options.presets
            ],
            "draws_by_agreement": game.draws_by_agreement,
            "hides": self.hides,
            "hides_moves": self.hides,
            "can": ["picture", "svg"],
        }

    def table(self, request: Mapping[str, Any]) -> dict[str, Any]:
        table = self.game.table(self._settings(request))
        return {"seats": table.seats, "sides": table.sides}

    def start(self, request: Mapping[str, Any]) -> dict[str, Any]:
        return self._state(self.game.start(self._settings(request), bytes.fromhex(request["seed"])))

    def read(self, request: Mapping[str, Any]) -> dict[str, Any]:
        return self._state(self._position(request))

    def play(self, request: Mapping[str, Any]) -> dict[str, Any]:
        position = self._position(request)
        after = self._state(position.play(request["seat"], request["move"]))
        return after | ({"shown": self.visible_move(request)} if self.hides else {})

    def visible_move(self, request: Mapping[str, Any]) -> dict[str, Any]:
        return self._shown(request, self._position(request).visible_move)

    def revealed_move(self, request: Mapping[str, Any]) -> dict[str, Any]:
        return self._shown(request, self._position(request).revealed_move)

    def picture(self, request: Mapping[str, Any]) -> str:
        viewer = {"referee": REFEREE, "spectator": SPECTATOR}.get(request["viewer"], request["viewer"])
        return self._position(request).picture(viewer)

    def svg(self, request: Mapping[str, Any]) -> str:
        return self.game.svg(self._settings(request), request["view"], request["last_move"])

    def _settings(self, request: Mapping[str, Any]) -> Settings:
        return self.game.settings(request["settings"])

    def _position(self, request: Mapping[str, Any]) -> Position:
        return self.game.read(request["position"], self._settings(request))

    def _shown(self, request: Mapping[str, Any], show: Callable[[int, str, int], str]) -> dict[str, Any]:
        seats = range(len(self.game.table(self._settings(request)).seats))
        seat, move = request["seat"], request["move"]
        return {"spectator": show(seat, move, SPECTATOR), "seats": [show(seat, move, viewer) for viewer in seats]}

    def _state(self, position: Position) -> dict[str, Any]:
        outcome = position.outcome
        state = {
            "position": position.text(REFEREE),
            "owing": position.owing,
            "moves": [position.moves(seat)[::-1] for seat in position.owing],
            "defaults": [position.default(seat) for seat in position.owing],
            "standing": position.standing,
            "claimable": position.claimable,
            "view": position.view(REFEREE),
            "outcome": outcome
            and {"reason": outcome.reason, "scores": outcome.scores, "side_scores": outcome.side_scores},
        }
        return state | ({"seen": self._seen(position)} if isinstance(position, FingersPosition) else {})

    def _seen(self, position: FingersPosition) -> dict[str, Any]:
        by_viewer = [
            {"text": position.text(viewer), "view": position.view(viewer)}
            for viewer in (SPECTATOR, *range(len(position.scores)))
        ]
        return {"spectator": by_viewer[0], "seats": by_viewer[1:]}


def _option(option: Option) -> dict[str, Any]:
    line = {"name": option.name, "default": option.default, "meaning": option.meaning, "late": option.late}
    if isinstance(option, Count):
        return {"kind": "count", **line, "least": option.least, "most": option.most}
    if isinstance(option, Choice):
        return {"kind": "choice", **line, "choices": option.choices}
    assert isinstance(option, Flag)
    return {"kind": "flag", **line}


def _error(request: Mapping[str, Any], kind: str, sentence: str, **more: str) -> dict[str, Any]:
    return {"id": request["id"], "error": {"kind": kind, "sentence": sentence, **more}}


def main(name: str) -> None:
    server = GameServer(GAMES[name])
    for line in sys.stdin:
        sys.stdout.write(f"{json.dumps(server.answer(json.loads(line)))}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
