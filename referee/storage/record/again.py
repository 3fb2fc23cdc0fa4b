"""Deciding a match a second time, from its record: rules, lots, clocks, policies, result.

Nothing is believed but what could not be known otherwise: what the bots answered, what was measured,
what people decided. All else is computed anew and compared, entry by entry.
"""

from collections.abc import Sequence
from dataclasses import replace

from engines.api import Game
from engines.refusals import SHOWN_CHARS, Refusal
from referee.core.deciding import Decided, decide
from referee.core.events import Event, FlagFell, MovePlayed, MoveRefused, Opened, PlayEnded
from referee.core.match import Match, Phase, opened
from referee.storage.record.rebuilding import command_behind
from referee.storage.record.wording import difference, told


class Differs(Exception):
    """The first entry that is not what follows by the rules. `str()` names it and says how."""

    def __init__(self, number: int, how: str) -> None:
        super().__init__(f"entry {number}: {how}")
        self.number = number


def decided_again(events: Sequence[Event], game: Game) -> Match:
    """The match, over, as its own entries make it. Raises Differs at the first that do not agree."""
    match = followed(events, game)
    if match.phase is not Phase.OVER:
        raise Differs(len(events), "it is the last one, and the match is not over")
    return match


def followed(events: Sequence[Event], game: Game) -> Match:
    """The match, over or not, as its own entries make it. Raises Differs at the first that do not agree."""
    match = _reopened(events[0], game)
    at = 1
    while at < len(events):
        at_most = events[at:]
        decided = _decided(match, at_most, at + 1)
        _compare(decided.events, at_most, at + 1)
        match = decided.match
        at += len(decided.events)
    return match


def _reopened(event: Event, game: Game) -> Match:
    if not isinstance(event, Opened):
        raise Differs(1, f"it is the first one, and says that {told(event)}, not what the match is")
    setup = event.setup.completed(game)
    try:
        if setup.settings == game.settings(dict(setup.settings.values)):
            setup.check(game)
            return opened(event, game)
    except Refusal as refusal:
        raise Differs(1, str(refusal)) from None
    except Exception as fault:
        raise Differs(1, _broke(game, fault)) from None
    raise Differs(1, f"its options are not all the options of {game.name}, in their order")


def _broke(game: Game, fault: Exception) -> str:
    return f"the rules of {game.name} broke here: {fault!r}"


def _decided(match: Match, events: Sequence[Event], number: int) -> Decided:
    event = events[0]
    _check_times(match, event, number)
    command = command_behind(match, event, events[1] if len(events) > 1 else None)
    if command is None:
        raise Differs(number, f"the record says that {told(event)}, and nothing before it leads to that")
    try:
        decided = decide(match, command, event.at_us)
    except Refusal as refusal:
        raise Differs(number, f"the record says that {told(event)}, and that is refused: {refusal}") from None
    if decided.fault:
        raise Differs(number, _broke(match.game, decided.fault))
    if not decided.events:
        raise Differs(number, f"the record says that {told(event)}, and by the rules nothing happens")
    return decided


def _check_times(match: Match, event: Event, number: int) -> None:
    """What was measured is believed, where it can have been measured."""
    if event.at_us < match.at_us:
        raise Differs(number, f"match time runs backwards, from {match.at_us} µs to {event.at_us} µs")
    row = event.row if isinstance(event, MovePlayed | FlagFell) else None
    if row and (row.network_us < 0 or row.stall_us < 0 or not 0 <= row.arrived_us <= event.at_us):
        raise Differs(number, "what its clock row says was measured cannot have been")


def _compare(follow: Sequence[Event], recorded: Sequence[Event], number: int) -> None:
    for place, again in enumerate(follow):
        if place == len(recorded):
            raise Differs(number + place - 1, f"it is the last one, and by the rules {told(again)} after it")
        was = recorded[place]
        known = _as_far_as_known(was, again)
        if was != known:
            raise Differs(number + place, difference(was, known))


def _as_far_as_known(recorded: Event, again: Event) -> Event:
    """Ratings follow from more than one match; and what a game said to an attempt too long to be recorded whole."""
    if isinstance(recorded, PlayEnded) and isinstance(again, PlayEnded):
        return replace(again, ratings=recorded.ratings)
    if not (isinstance(recorded, MoveRefused) and isinstance(again, MoveRefused) and len(recorded.move) > SHOWN_CHARS):
        return again
    return replace(again, reason=recorded.reason, rule=recorded.rule, sentence=recorded.sentence)
