"""Plan files of the lab: those of `referee arena` (with `games`) and of `referee tournament run`."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines.game_errors import quoted
from referee.lab.lab_bots import LabBot, lab_bot_of
from referee.lab.lab_contest import LabArena, LabContest, LabTournament
from referee.local.arena_plan import read_arena
from referee.local.contest_file import TournamentPlan, read_tournament
from referee.local.plan import cores
from referee.local.terms_reader import LOCAL_POLICIES
from referee.local.toml_validation import BadPlan, read_toml

NOT_HERE = ("sandbox", "ladder", "qualification", "starts_at", "entries_close_at")
"""Keys of such files that mean nothing without a server, or without processes of the bots."""
WITHOUT_EFFECT = ("max_concurrent_matches", "matches_a_bot", "start_within_s")
"""Keys that say how a server plays, and change no match."""


@dataclass(frozen=True, slots=True)
class LabPlan:
    bots: dict[str, LabBot]
    plans: tuple[TournamentPlan, ...]
    is_arena: bool
    text: str
    """All that the results depend on, but for the programs and modules of the bots."""
    workers: int

    def source(self, seed: str) -> LabContest:
        """Return the matches of the plan. Raises a DetailedError."""
        return LabArena(self.plans, seed) if self.is_arena else LabTournament(self.plans[0], seed)


def read_lab_plan(file: Path) -> LabPlan:
    """Read a plan file. Raises BadPlan or another DetailedError."""
    content = read_toml(file)
    for key in NOT_HERE:
        if content.get(key):
            raise BadPlan(key, "the lab has none; use `referee arena` or `referee tournament run`")
    is_arena = "games" in content
    plans = read_arena(file) if is_arena else (read_tournament(file, LOCAL_POLICIES),)
    bots = {bot.name: lab_bot_of(bot, bot.name, file.parent) for bot in plans[0].bots}
    for plan in plans:
        _check_bots(plan, bots)
        for bot in bots.values():
            bot.check_game(plan.game)
    workers = min(plans[0].terms.max_concurrent_matches or cores(), cores())
    return LabPlan(bots, plans, is_arena, _text_of(content) + "".join(map(_book_of, plans)), workers)


def _check_bots(plan: TournamentPlan, bots: Iterable[str]) -> None:
    """Raise BadPlan if an entrant plays with a bot that the file does not define."""
    for entrant in plan.entrants:
        for bot in entrant.bots:
            if bot.bot not in bots:
                raise BadPlan("entrants", f"{quoted(bot.bot)} is not in the table `bots`; the lab runs all bots itself")


def _book_of(plan: TournamentPlan) -> str:
    """Return the openings, which may come from a book, another file than the plan."""
    openings = plan.terms.duplicate_play.openings if plan.terms.duplicate_play else ()
    return "".join(f"\n{opening.position}" for opening in openings)


def _text_of(content: dict[str, Any]) -> str:
    told = {key: value for key, value in content.items() if key not in WITHOUT_EFFECT}
    return json.dumps(told, indent=2, sort_keys=True, default=str)
