"""Plan files of the lab: those of `referee arena` (with `games`) and of `referee tournament run`."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines.game_errors import quoted
from referee.lab.lab_bots import LabBot, lab_bot_of
from referee.lab.lab_contest import LabTournament, ListedMatches
from referee.local.contest_file import TournamentPlan, read_tournament
from referee.local.plan import Plan, cores, read_plan
from referee.local.terms_reader import LOCAL_POLICIES
from referee.local.toml_validation import BadPlan, read_toml

NOT_HERE = ("sandbox", "ladder", "qualification", "starts_at", "entries_close_at")
"""Keys of such files that mean nothing without a server, or without processes of the bots."""
WITHOUT_EFFECT = ("max_concurrent_matches", "matches_a_bot", "start_within_s")
"""Keys that say how a server plays, and change no match."""


@dataclass(frozen=True, slots=True)
class LabPlan:
    bots: dict[str, LabBot]
    plan: Plan | TournamentPlan
    text: str
    """All that the results depend on, but for the programs and modules of the bots."""
    workers: int

    def source(self, seed: str) -> ListedMatches | LabTournament:
        """Return the matches of the plan. Raises a DetailedError."""
        if isinstance(self.plan, Plan):
            return ListedMatches(self.plan, seed)
        return LabTournament(self.plan, seed)


def read_lab_plan(file: Path) -> LabPlan:
    """Read a plan file. Raises BadPlan or another DetailedError."""
    content = read_toml(file)
    for key in NOT_HERE:
        if content.get(key):
            raise BadPlan(key, "the lab has none; use `referee arena` or `referee tournament run`")
    plan: Plan | TournamentPlan = read_plan(file) if "games" in content else read_tournament(file, LOCAL_POLICIES)
    bots = {bot.name: lab_bot_of(bot, bot.name, file.parent) for bot in plan.bots}
    if isinstance(plan, TournamentPlan):
        _check_bots(plan, bots)
    for bot in bots.values():
        for game in _games_of(plan):
            bot.check_game(game)
    workers = plan.parallel if isinstance(plan, Plan) else plan.terms.max_concurrent_matches or cores()
    return LabPlan(bots, plan, _text_of(content) + _books_of(plan, content), min(workers, cores()))


def _games_of(plan: Plan | TournamentPlan) -> list[str]:
    if isinstance(plan, TournamentPlan):
        return [plan.terms.match_terms.rules.game]
    return [terms.game.name for terms in plan.terms]


def _check_bots(plan: TournamentPlan, bots: Iterable[str]) -> None:
    """Raise BadPlan if an entrant plays with a bot that the file does not define."""
    for entrant in plan.entrants:
        for bot in entrant.bots:
            if bot.bot not in bots:
                raise BadPlan("entrants", f"{quoted(bot.bot)} is not in the table `bots`; the lab runs all bots itself")


def _books_of(plan: Plan | TournamentPlan, content: dict[str, Any]) -> str:
    """Return the openings that come from books, which are other files than the plan; empty: none do."""
    if isinstance(plan, Plan):
        from_books = [isinstance(game.get("openings"), dict) for game in content["games"]]
        openings = [terms.openings for terms, is_book in zip(plan.terms, from_books, strict=True) if is_book]
    else:
        play = content.get("duplicate_play")
        is_book = isinstance(play, dict) and isinstance(play.get("openings"), dict)
        used = plan.terms.duplicate_play.openings if is_book and plan.terms.duplicate_play else ()
        openings = [tuple(opening.position for opening in used)]
    return "".join(f"\n{position}" for positions in openings for position in positions)


def _text_of(content: dict[str, Any]) -> str:
    told = {key: value for key, value in content.items() if key not in WITHOUT_EFFECT}
    return json.dumps(told, indent=2, sort_keys=True, default=str)
