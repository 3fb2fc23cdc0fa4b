"""Properties of each position of a game."""

import json
import random

from jsonschema import Draft202012Validator

from engines.api import REFEREE, SPECTATOR, Game, Position, Seat, is_score
from engines.game_errors import IllegalMove, MalformedMove, NotYourTurn
from engines.options import Settings
from engines.testing.failure import locate, require, require_error
from engines.testing.random_games import NONSENSE, mutated
from engines.testing.svg_checks import parse_svg


class Checker:
    """Checks positions of one game, and keeps its moves to try them where they are illegal."""

    def __init__(self, game: Game, settings: Settings) -> None:
        self.game = game
        self.settings = settings
        self.table = game.table(settings)
        self.schema = Draft202012Validator(game.view_schema)
        self.moves_seen: set[str] = set()

    @property
    def viewers(self) -> list[int]:
        return [REFEREE, SPECTATOR, *range(len(self.table.seats))]

    def check(self, position: Position, rng: random.Random) -> None:
        """Check all properties of one position. Raises CheckFailure."""
        self.check_moves(position, rng)
        self.check_outcome(position, rng)
        self.check_text(position, rng)
        self.check_views(position, rng)
        self.check_drawings(position, rng)
        self.check_refusals(position, rng)

    def check_moves(self, position: Position, rng: random.Random) -> None:
        """Check who is to move, which moves are listed, and that playing them is repeatable."""
        seats = range(len(self.table.seats))
        before = str(position)
        with locate(position=position):
            owing = list(position.owing)
            require(owing == sorted(set(owing)), f"the seats to move are not in ascending order: {owing}")
            require(set(owing) <= set(seats), f"a seat to move is not at the table: {owing}")
        for seat in seats:
            with locate(position=position, seat=seat):
                moves = list(position.moves(seat))
                require(moves == sorted(set(moves)), f"the moves are not sorted, or one is listed twice: {moves[:20]}")
                require(bool(moves) == (seat in owing), "a seat has moves if and only if it is to move; this is not so")
                require(not moves or position.default(seat) in moves, "the default move is not legal")
            self.moves_seen.update(moves)
            for move in rng.sample(moves, min(3, len(moves))):
                with locate(position=position, seat=seat, move=move):
                    self._check_legal(position, seat, move)
        with locate(position=before):
            require(str(position) == before, "playing a move has changed the position, which must be immutable")

    def check_outcome(self, position: Position, rng: random.Random) -> None:
        """Check that the position has moves or an outcome, and that the outcome has a score of each seat."""
        with locate(position=position):
            outcome, sides = position.outcome, len(self.table.sides)
            require((outcome is None) == bool(position.owing), "there is an outcome, and a seat to move, or neither")
            require(len(position.standing) == sides, "the standing has not as many numbers as there are sides")
            require(
                all(map(is_score, position.standing)),
                f"the standing is not made of finite numbers: {position.standing}",
            )
            claimable = position.claimable
            require(claimable is None or claimable.replace("_", "").isalpha(), f"{claimable!r} is not a word")
            if outcome:
                require(not (wrong := outcome.fault(self.table)), wrong)
                require(len(outcome.ranks(self.table)) == len(self.table.seats), "the outcome does not rank each seat")
                require(outcome.reason.replace("_", "").isalpha(), f"the reason {outcome.reason!r} is not one word")

    def check_text(self, position: Position, rng: random.Random) -> None:
        """Check that the text of the position is read as the same position."""
        with locate(position=position):
            text = position.text(REFEREE)
            require(text.isprintable(), "the text is not printable")
            again = self.game.read(text, self.settings)
            require(str(again) == text, f"the text is read as another one: {again!s}")
            require(again == position, "the position that is read from the text is not equal")
            require(hash(again) == hash(position), "the position that is read from the text has another hash")
            # An outcome can follow from repeated positions, which no text contains.
            if position.outcome is None and again.outcome is None:
                moves = [again.moves(seat) == position.moves(seat) for seat in range(len(self.table.seats))]
                require(all(moves), "the position that is read from the text has other moves")

    def check_views(self, position: Position, rng: random.Random) -> None:
        """Check that what each viewer sees is printable, and that its view is JSON by the schema of the game."""
        for viewer in self.viewers:
            with locate(position=position, seat=viewer):
                view = position.view(viewer)
                wrong = [error.message for error in self.schema.iter_errors(view)]
                require(not wrong, f"the view does not match view_schema: {wrong[:1]}")
                require(json.dumps(view, allow_nan=False), "the view is not JSON")
                require(position.text(viewer).isprintable(), "the text of a viewer is not printable")
                require(position.picture(viewer), "the picture is empty")

    def check_drawings(self, position: Position, rng: random.Random) -> None:
        """Check that every view can be drawn with any last move, and equally after it has been JSON."""
        moves = [*NONSENSE, *rng.sample(sorted(self.moves_seen), min(3, len(self.moves_seen)))]
        drawn_views: list[object] = []
        for viewer in self.viewers:
            view = position.view(viewer)
            if view in drawn_views:  # A drawing depends on the view, and not on its viewer.
                continue
            drawn_views.append(view)
            for move in (None, rng.choice(moves)):
                with locate(position=position, seat=viewer, move=move):
                    drawn = self.game.svg(self.settings, view, move)
                    parse_svg(drawn)
                    again = self.game.svg(self.settings, json.loads(json.dumps(view)), move)
                    require(drawn == again, "the drawing is another one after the view has been JSON")

    def check_refusals(self, position: Position, rng: random.Random) -> None:
        """Check that no seat can play what is not listed: moves of other positions, nearly legal ones, and nonsense."""
        seen = sorted(self.moves_seen)
        tried = [*NONSENSE, *rng.sample(seen, min(20, len(seen)))]
        tried += [mutated(rng.choice(seen), rng) for _ in range(10)] if seen else []
        for seat in range(len(self.table.seats)):
            legal = set(position.moves(seat))
            for move in tried:
                if move not in legal:
                    with locate(position=position, seat=seat, move=move):
                        self._check_refused(position, seat, move)

    def _check_legal(self, position: Position, seat: Seat, move: str) -> None:
        after, again = position.play(seat, move), position.play(seat, move)
        require(after == again, "the same move leads to two different positions")
        require(position.visible_move(seat, move, seat) == move, "a seat does not see its own move")
        require(position.visible_move(seat, move, REFEREE) == move, "the referee does not see the move")
        require(isinstance(position.visible_move(seat, move, SPECTATOR), str), "a spectator sees no text of the move")

    def _check_refused(self, position: Position, seat: Seat, move: str) -> None:
        kinds = (IllegalMove, MalformedMove, NotYourTurn)
        error = require_error(kinds, lambda: position.play(seat, move), "a move that is not listed is accepted")
        if isinstance(error, IllegalMove):
            require(seat in position.owing, "IllegalMove of a seat that is not to move, instead of NotYourTurn")
            require(error.details["rule"], "IllegalMove names no rule")
        elif isinstance(error, NotYourTurn):
            require(seat not in position.owing, "NotYourTurn of a seat that is to move")
