"""The lab: many matches in processes of this machine, without a server between the referee and the bots.

    from referee import lab

    for result in lab.play({"new": "python:new.py:choose", "old": "random"}, lab.terms("alquerque"), matches=1000):
        print(result.bots, result.result)

- `same_table`: `lab.play`, and the terms of its matches
- `lab_plan`, `lab_contest`: plan files, and the arenas and tournaments that they describe
- `crew`: worker processes, and batches of matches
- `lab_worker`, `match_player`, `lab_turn`: one process, one match, one turn
- `lab_bots`, `line_program`, `engine_program`: bots as Python functions, as programs with lines, and as engines
- `what_if`: what the positions of a match were worth, by random continuations
- `lab_match`, `lab_records`, `lab_folder`: what is to be played, its results, records, and the folder that keeps them
- `learning/`: environments of PettingZoo and Gymnasium, and trained policies as bots
"""

from referee.lab.crew import LabWorkerDied
from referee.lab.lab_bots import LabBotRefused
from referee.lab.lab_match import LabResult
from referee.lab.same_table import play, terms

__all__ = ["LabBotRefused", "LabResult", "LabWorkerDied", "play", "terms"]
