"""The environments of Gymnasium: one seat against an opponent."""

import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env, data_equivalence

from engines.api import Game
from engines.registry import find
from referee.lab.learning import Observation, RawEnv, SeatEnv, env
from tests.engines.test_codec import codec_of, every_game
from tests.lab.learning.learning_games import action_of, first_action
from tests.third_party_games.third_party_games import NIM


def play_on(environment: SeatEnv, seed: int) -> tuple[list[Observation], float, dict[str, object]]:
    """Take the first legal action until the end; return all observations, the last reward and the last info."""
    observation, _ = environment.reset(seed=seed)
    observations = [observation]
    while True:
        observation, reward, over, truncated, info = environment.step(first_action(observations[-1]))
        observations.append(observation)
        assert not truncated
        if over:
            return observations, reward, info


@every_game
@pytest.mark.parametrize("seat", [0, 1])
def test_every_game_passes_the_check_of_gymnasium(game: Game, seat: int) -> None:
    check_env(SeatEnv(game, seat=seat), skip_render_check=True)


def test_equal_seeds_and_actions_give_equal_episodes_against_random() -> None:
    environment = SeatEnv("alquerque", seat=1)
    episode, other = play_on(environment, 3), play_on(environment, 3)
    assert data_equivalence(episode, other)
    assert not data_equivalence(episode, play_on(environment, 4))


def test_the_opponent_may_be_a_policy_which_observes_from_its_own_seat() -> None:
    observed = []

    def opponent(observation: Observation) -> int:
        observed.append(tuple(observation["observation"][:2]))
        return first_action(observation)

    _, reward, info = play_on(SeatEnv(NIM, {"heap": 5}, opponent=opponent), 0)
    assert observed == [(4, 1), (2, 1)]
    assert (reward, info) == (1, {"reason": "last_taken", "score": 1})


def test_the_policy_plays_all_other_seats_of_a_table() -> None:
    seats = set()

    def opponent(observation: Observation) -> int:
        codec = codec_of(find("toc"), find("toc").settings())
        numbers = observation["observation"][codec.size - 4 : codec.size]
        seats.add(int(numbers.argmax()))
        return first_action(observation)

    play_on(SeatEnv("toc", {"max_turns": 8}, seat=2, opponent=opponent), 0)
    assert seats == {0, 1, 3}


def test_an_illegal_action_ends_the_episode_with_the_reason_of_the_rules() -> None:
    environment = SeatEnv("alquerque")
    environment.reset()
    _, reward, over, _, info = environment.step(action_of(find("alquerque"), "!c3"))
    assert (reward, over) == (-1, True)
    assert "!c3 is not legal" in info["refused"]


def test_a_game_that_is_over_before_the_first_turn_ends_with_any_action() -> None:
    environment = SeatEnv(NIM, {"heap": 1}, seat=1)
    observation, _ = environment.reset()
    assert not observation["action_mask"].any()
    _, reward, over, _, info = environment.step(1)
    assert (reward, over, info) == (-1, True, {"reason": "last_taken", "score": 0})


def test_an_unknown_opponent_or_seat_is_an_error_that_says_what_is_known() -> None:
    with pytest.raises(ValueError, match="unknown opponent 'greedy'; known: 'random', or a function"):
        SeatEnv("alquerque", opponent="greedy")
    with pytest.raises(ValueError, match="unknown opponent 5; known"):
        SeatEnv("alquerque", opponent=5)  # type: ignore[arg-type]  # That is the error.
    with pytest.raises(ValueError, match="there is no seat 2; the last one is 1"):
        SeatEnv("alquerque", seat=2)


def test_a_step_or_a_drawing_before_a_reset_is_an_error_that_says_so() -> None:
    environment = SeatEnv("alquerque", render_mode="ansi")
    with pytest.raises(ResetNeeded, match="call reset before step and render"):
        environment.step(0)
    with pytest.raises(ResetNeeded, match="call reset before step and render"):
        environment.render()


def test_an_unknown_render_mode_is_refused() -> None:
    for make in (SeatEnv, env, RawEnv):
        with pytest.raises(ValueError, match="unknown render mode 'human'; known: ansi"):
            make("alquerque", render_mode="human")


@pytest.mark.parametrize(("mode", "drawn"), [("ansi", True), (None, False)])
def test_the_render_mode_ansi_draws_what_the_seat_sees(mode: str | None, drawn: bool) -> None:
    environment = SeatEnv("alquerque", render_mode=mode)
    environment.reset()
    picture = environment.render()
    assert ("●" in picture) if picture else not drawn
