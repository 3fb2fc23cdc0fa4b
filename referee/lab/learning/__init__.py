"""Environments of PettingZoo and Gymnasium for all games that have a codec, and trained policies as bots.

It needs the extra `referee[learning]`.
"""

EXTRA = ("gymnasium", "numpy", "pettingzoo")

try:
    from referee.lab.learning.aec_env import RawEnv, env
    from referee.lab.learning.learning_game import IllegalAction, Observation, Policy, PolicyBot
    from referee.lab.learning.seat_env import SeatEnv
except ModuleNotFoundError as why:
    if why.name not in EXTRA:
        raise
    raise ModuleNotFoundError(
        f"learning environments need the package {why.name}: pip install 'referee[learning]'", name=why.name
    ) from None

__all__ = ["IllegalAction", "Observation", "Policy", "PolicyBot", "RawEnv", "SeatEnv", "env"]
