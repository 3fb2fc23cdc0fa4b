"""A trained policy as a bot: alone, and in a match of the arena."""

import json
import random
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from referee_client import Turn

from engines.api import Game
from engines.codec import END
from engines.registry import find
from engines.testing.random_games import game_path
from referee.lab.learning import IllegalAction, Observation, PolicyBot, RawEnv
from tests.engines.test_codec import codec_of, every_game
from tests.lab.learning.learning_games import first_action
from tests.local.test_commands import referee, table_row

BOT_PROGRAM = """
import numpy as np
from engines.registry import find
from referee.lab.learning import PolicyBot

GAME = find("{game}")


def policy(observation):
    return int(np.flatnonzero(observation["action_mask"])[-1])


BOT = PolicyBot(policy, GAME.codec(GAME.settings({options})))
"""


@every_game
def test_a_bot_gets_the_view_and_the_moves_from_its_turn(game: Game) -> None:
    bot = PolicyBot(first_action, codec_of(game, game.settings()))
    for position in islice(game_path(game, game.settings(), random.Random(2)), 30):
        for seat in position.owing:
            view = json.dumps(position.view(seat))
            moves = tuple(position.moves(seat))
            turn = Turn("", seat, "", game.name, {}, 0, position.text(seat), listed_moves=moves, received_view=view)
            assert bot.choose(turn) in moves


def test_a_policy_observes_as_a_bot_what_it_observes_in_the_environment() -> None:
    in_environment: list[Observation] = []
    in_matches: list[Observation] = []
    environment = RawEnv("toc")
    environment.reset(seed=3)
    game = find("toc")
    position = game.start(game.settings(), np.random.default_rng(3).bytes(32))

    def policy(observation: Observation) -> int:
        in_matches.append(observation)
        return first_action(observation)

    bot = PolicyBot(policy, codec_of(game, game.settings()))
    for _ in range(40):
        seat = position.owing[0]
        turn = Turn("", seat, "", "toc", game.settings().texts(), 0, position.text(seat))
        position = position.play(seat, bot.choose(turn))
    while len(in_environment) < len(in_matches):
        in_environment.append(environment.observe(environment.agent_selection))
        environment.step(first_action(in_environment[-1]))
    for observation, other in zip(in_environment, in_matches, strict=True):
        assert observation["observation"].tolist() == other["observation"].tolist()
        assert observation["action_mask"].tolist() == other["action_mask"].tolist()


def test_a_policy_that_chooses_an_illegal_action_is_an_error() -> None:
    game = find("alquerque")
    bot = PolicyBot(lambda _: END, codec_of(game, game.settings()))
    start = str(game.start(game.settings(), b""))
    with pytest.raises(IllegalAction):
        bot.choose(Turn("", 0, "", "alquerque", {}, 0, start))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"), [("alquerque", {}), ("toc", {"max_turns": 40}), ("troke", {"max_plies": 40}), ("trox", {})]
)
def test_a_policy_plays_a_match_in_the_arena(name: str, options: dict[str, int], tmp_path: Path) -> None:
    (tmp_path / "my_policy.py").write_text(BOT_PROGRAM.format(game=name, options=options))
    bot = f"python:{tmp_path}/my_policy.py:BOT"
    bots = ["random"] * (len(find(name).table(find(name).settings()).seats) - 1)
    chosen = [word for option, value in options.items() for word in ("-o", f"{option}={value}")]
    completed = referee("match", f"mine={bot}", *bots, "--game", name, *chosen, "--out", str(tmp_path / "out"))
    assert completed.returncode == 0, completed.stderr + completed.stdout
    assert table_row(completed.stdout, "mine")[0] == "1"
    [record] = (tmp_path / "out").glob("records/*")
    *_, end, _ = record.read_text(encoding="utf-8").splitlines()
    assert json.loads(end)["event"]["result"]["cause"] == "rules"
