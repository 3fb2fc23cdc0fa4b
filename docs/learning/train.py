import numpy as np
from linear_policy import CODEC, OPTIONS, LinearPolicy

from referee.lab.learning import SeatEnv

EPISODES, RATE = 1000, 0.02
seats = [SeatEnv("alquerque", OPTIONS, seat=seat, opponent="random") for seat in (0, 1)]
policy = LinearPolicy(np.zeros((len(CODEC.chunks), CODEC.size)))
chance = np.random.default_rng(1)
steps = []


def play(seed, choose):
    """Play one game, with the seats in turn, and return the reward."""
    environment = seats[seed % 2]
    observation, _ = environment.reset(seed=seed)
    over = False
    while not over:
        observation, reward, over, _, _ = environment.step(choose(observation))
    return reward


def explore(observation):
    """Choose by the probabilities, and remember the step."""
    numbers, legal, likely = policy.preferences(observation)
    chosen = chance.choice(len(legal), p=likely)
    steps.append((numbers, legal, likely, chosen))
    return legal[chosen]


def report(name, choose, games=400):
    """Print how many games are won against random, with seeds that training does not use."""
    won = sum(play(1_000_000 + seed, choose) > 0 for seed in range(games))
    print(f"{name}: {won / games:.0%}")


report("actions at random", explore)
report("untrained", policy)
for seed in range(EPISODES):
    steps.clear()
    reward = play(seed, explore)
    for numbers, legal, likely, chosen in steps:
        change = -likely
        change[chosen] += 1
        policy.weights[legal] += RATE * reward * np.outer(change, numbers)
report("trained", policy)
np.save("weights.npy", policy.weights)
