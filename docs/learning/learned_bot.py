from pathlib import Path

import numpy as np
from linear_policy import CODEC, LinearPolicy

from referee.lab.learning import PolicyBot

BOT = PolicyBot(LinearPolicy(np.load(Path(__file__).with_name("weights.npy"))), CODEC)
