"""Terms of matches and contests in words."""

from collections.abc import Callable

from referee_api.v1 import clock_pb2, tournament_pb2


def time_control_text(control: clock_pb2.TimeControl) -> str:
    """Describe a time control: `3 min + 2 s per move`."""
    kind = control.rule.WhichOneof("kind")
    if kind is None or kind == "untimed":
        return "untimed"
    rule = getattr(control.rule, kind)
    words: dict[str, Callable[[], str]] = {
        "sudden_death": lambda: f"{_time(rule.main_ms)} for all moves",
        "fischer": lambda: f"{_time(rule.main_ms)} + {_time(rule.increment_ms)} per move",
        "bronstein": lambda: f"{_time(rule.main_ms)}, delay {_time(rule.delay_ms)} (Bronstein)",
        "us_delay": lambda: f"{_time(rule.main_ms)}, delay {_time(rule.delay_ms)}",
        "japanese_byo_yomi": lambda: f"{_time(rule.main_ms)} + {rule.periods} × {_time(rule.period_ms)} byo-yomi",
        "canadian_byo_yomi": lambda: f"{_time(rule.main_ms)}, then {rule.moves} moves in {_time(rule.period_ms)}",
        "moves_per_period": lambda: ", ".join(map(_period_text, rule.periods)),
        "per_move": lambda: f"{_time(rule.move_ms)} per move",
        "bank": lambda: f"{_time(rule.move_ms)} per move, bank of {_time(rule.bank_ms)}",
        "hourglass": lambda: f"hourglass of {_time(rule.main_ms)}",
        "correspondence": lambda: f"{_time(rule.move_ms)} per move, up to {_time(rule.max_ms)}",
    }
    text = words[kind]() if kind in words else kind.replace("_", " ")
    return f"{text}, with odds" if control.odds else text


def format_text(terms: tournament_pb2.TournamentTerms) -> str:
    """Describe the format of a tournament: `Swiss system, 7 rounds`."""
    kind = terms.WhichOneof("format") or ""
    words: dict[str, Callable[[], str]] = {
        "round_robin": lambda: (
            "round robin" + (f", {terms.round_robin.cycles} cycles" if terms.round_robin.cycles > 1 else "")
        ),
        "swiss": lambda: "Swiss system" + (f", {terms.swiss.rounds} rounds" if terms.swiss.rounds else ""),
        "elimination": lambda: f"{'double' if terms.elimination.double_elimination else 'single'} elimination",
        "gauntlet": lambda: f"gauntlet of {', '.join(terms.gauntlet.challengers)}",
        "pools": lambda: "pools",
        "sprt": lambda: "sequential test (SPRT)",
    }
    text = words[kind]() if kind in words else kind
    return f"{text}, teams of {terms.boards}" if terms.boards > 1 else text


def round_text(tournament: tournament_pb2.Tournament) -> str:
    """Name the current round: `round 2 of 7`, or `round 2` if the number of rounds is not known."""
    of = f" of {tournament.total_rounds}" if tournament.total_rounds else ""
    return f"round {tournament.current_round}{of}"


def _period_text(period: clock_pb2.Period) -> str:
    moves = f"{period.moves} moves" if period.moves else "the rest"
    increment = f" (+ {_time(period.increment_ms)} per move)" if period.increment_ms else ""
    return f"{_time(period.added_ms)} for {moves}{increment}"


def _time(ms: int) -> str:
    if ms % 1_000:
        return f"{ms} ms" if ms < 1_000 else f"{ms / 1_000:g} s"
    minutes, seconds = divmod(ms // 1_000, 60)
    if seconds or not minutes:
        return f"{60 * minutes + seconds} s"
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min")]
    return " ".join(f"{value} {unit}" for value, unit in parts if value)
