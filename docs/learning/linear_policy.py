import numpy as np

from engines.registry import find

OPTIONS = {"no_capture_plies": 20, "on_draw": "count"}
GAME = find("alquerque")
CODEC = GAME.codec(GAME.settings(OPTIONS))
SCALE = np.array([field.high for field in CODEC.fields for _ in range(field.size)])


class LinearPolicy:
    def __init__(self, weights):
        self.weights = weights

    def preferences(self, observation):
        """Return the observed numbers, the legal actions, and a probability for each of these."""
        numbers = observation["observation"][: CODEC.size] / SCALE
        legal = np.flatnonzero(observation["action_mask"])
        values = self.weights[legal] @ numbers
        likely = np.exp(values - values.max())
        return numbers, legal, likely / likely.sum()

    def __call__(self, observation):
        _, legal, likely = self.preferences(observation)
        return int(legal[likely.argmax()])
