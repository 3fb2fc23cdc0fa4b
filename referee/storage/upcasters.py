"""Upcasters: they convert what older versions of the format wrote into what the next version would have written.

An upcaster contains written names only, since classes may change again. It gets the data of an event (without `v`),
which may be malformed; `EventCodec.decode` finds that.
"""

from collections.abc import Callable
from typing import TypeAlias

from referee.storage.value_codec import KIND, JsonValue

Upcaster: TypeAlias = Callable[[dict[str, JsonValue]], dict[str, JsonValue]]
"""Converts the data of one version into that of the next one."""

RENAMED_FIELDS = {
    "attempts": "max_attempts",
    "by_lot": "random_seats",
    "extra": "max_extra_matches",
    "grace_us": "grace_period_us",
    "late_entry_rounds": "last_entry_round",
    "matches_at_most": "max_matches",
    "matches_at_once": "max_concurrent_matches",
    "matches_per_hour": "max_matches_per_hour",
    "most_us": "max_us",
    "nonce_within_us": "nonce_timeout_us",
    "start_within_us": "start_timeout_us",
}
"""Fields of terms by their names before they were those of the contract."""


def _add_ratings(data: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Version 1 had no ratings in the end of a match."""
    return {**data, "ratings": []} if data.get(KIND) == "play_ended" else data


def _nest_terms(data: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Version 2 had the terms of a match among the other fields of its setup."""
    if type(data.get("setup")) is not dict:
        return data
    terms = _rename_fields(data["setup"])
    others = ("match_id", "game_version", "players", "seed", "seed_given", "opening", "labels")
    return {**data, "setup": {**{name: terms.pop(name) for name in others if name in terms}, "terms": terms}}


def _add_match_rate(data: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Version 1 had no limit of matches per hour in the terms of a ladder."""
    if data.get(KIND) == "ladder_made" and isinstance(data.get("terms"), dict):
        return {**data, "terms": {**data["terms"], "matches_per_hour": 0}}
    return data


def _rename_terms(data: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Version 2 had other names of fields in the terms of a contest."""
    return {**data, "terms": _rename_fields(data["terms"])} if "terms" in data else data


def _add_invited(data: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Version 3 did not say whether an entrant was entered by its owner."""
    if data.get(KIND) in ("joined", "entered") and isinstance(data.get("entrant"), dict):
        return {**data, "entrant": {**data["entrant"], "invited": False}}
    return data


def _add_times(data: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Version 4 had no times, stages, frozen versions, acceleration or breaks between rounds."""
    if data.get(KIND) == "tournament_paired":
        return {**data, "not_before_ms": 0}
    terms = data.get("terms")
    if data.get(KIND) != "tournament_made" or type(terms) is not dict or type(terms.get("tournament")) is not dict:
        return data
    timed = {**terms["tournament"], "times": dict(TIMES_OF_VERSION_4)}
    form = timed.get("format")
    if type(form) is dict and form.get(KIND) == "swiss":
        timed["format"] = {**form, "accelerated": False}
    return {**data, "terms": {**terms, "tournament": timed, "freeze_versions": False, "qualification": None}}


def _add_boards(data: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Version 5 had no teams, and so no boards."""
    if data.get(KIND) == "absent":
        return {**data, "board": 0}
    terms = data.get("terms")
    if data.get(KIND) != "tournament_made" or type(terms) is not dict or type(terms.get("tournament")) is not dict:
        return data
    return {**data, "terms": {**terms, "tournament": {**terms["tournament"], "boards": 0}}}


def _add_what_is_needed_to_decide_again(data: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Version 6 had no owners of entrants, no times and weights of rated matches, and no input of plannings."""
    if data.get(KIND) == "rated":
        return {**data, "at_ms": 0, "weight": 1.0}
    if data.get(KIND) == "ladder_paired":
        return {**data, "planning": None}
    if data.get(KIND) in ("joined", "entered") and isinstance(data.get("entrant"), dict):
        return {**data, "entrant": {**data["entrant"], "owners": []}}
    return data


def _add_edition(data: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Version 6 had the first edition of the rules of tournaments only, and no later terms."""
    terms = data.get("terms")
    if data.get(KIND) != "tournament_made" or type(terms) is not dict or type(terms.get("tournament")) is not dict:
        return data
    return {**data, "terms": {**terms, "tournament": {**terms["tournament"], **TERMS_OF_VERSION_6}}}


TERMS_OF_VERSION_6 = {"edition": 1, "forbidden_pairs": [], "max_requested_byes": 0, "play_off_entrants": 0}


def _add_moves(data: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Version 6 did not keep the digests of moves."""
    score = data.get("score")
    return {**data, "score": {**score, "moves": ""}} if data.get(KIND) == "scored" and type(score) is dict else data


TIMES_OF_VERSION_4 = {
    "no_show_ms": 0,
    "max_no_shows": 2,
    "starts_at_ms": 0,
    "entries_close_at_ms": 0,
    "round_break_ms": 0,
}


def _rename_fields(value: JsonValue) -> JsonValue:
    """Rename the fields of an object and of all objects within it. Raises RecursionError."""
    if isinstance(value, dict):
        return {RENAMED_FIELDS.get(name, name): _rename_fields(field) for name, field in value.items()}
    return list(map(_rename_fields, value)) if isinstance(value, list) else value


MATCH_UPCASTERS: dict[int, Upcaster] = {1: _add_ratings, 2: _nest_terms}

CONTEST_UPCASTERS: dict[int, Upcaster] = {
    1: _add_match_rate,
    2: _rename_terms,
    3: _add_invited,
    4: _add_times,
    5: _add_boards,
    6: lambda data: _add_moves(_add_edition(_add_what_is_needed_to_decide_again(data))),
}

RECORD_UPCASTERS: dict[int, Upcaster] = {1: _nest_terms}
"""For the events in records of matches."""
