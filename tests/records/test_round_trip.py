"""Whole matches of every game, written line by line, read and verified."""

from itertools import count, product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec import structs

from engines.api import Game
from engines.options import Settings, Value
from referee.live.ports import LogDamaged
from referee.match.commands import StartPlay
from referee.match.events import Event, PlayEnded
from referee.match.result import EndCause
from referee.records.record_format import NotOver, format_record
from referee.records.record_reader import RecordStatus, read_record_history
from referee.records.signing_key import fingerprint, public_hex
from referee.records.verify import replay_finished_match
from tests.match.setups import change_setup
from tests.records.forgery import KEY, record_of, verdict_on, whole
from tests.records.matches import all_games, decided_events, entries_of, find_game, nim_setup, random_match, short_match
from tests.storage.examples import RATED_END

FEW = range(12)


def _late(game: Game) -> dict[str, Value]:
    """Return the options that were added after games had been recorded, with their defaults."""
    return {option.name: option.default for option in game.options.declared if option.late}


def _has_defaults_of(late: dict[str, Value], created: Any) -> bool:
    return all(created.setup.terms.settings[name] == default for name, default in late.items())


def _check_verified(events: list[Event], folder: Path) -> None:
    record = record_of(events)
    assert [entry.event for entry in whole(record).entries] == events
    verdict = verdict_on(record, folder, public_hex(KEY))
    assert verdict.status is RecordStatus.FINE, verdict


@pytest.mark.parametrize("game", list(all_games()))
def test_whole_matches_are_written_read_and_verified(game: str, tmp_path: Path) -> None:
    for seed in FEW:
        _check_verified(random_match(find_game(game), seed), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("short", "long"), [(5, 1), pytest.param(200, 5, marks=pytest.mark.soak)])
@pytest.mark.parametrize("game", list(all_games()))
def test_many_more_matches_are_verified(game: str, tmp_path: Path, rng: Random, short: int, long: int) -> None:
    for _ in range(short):
        _check_verified(random_match(find_game(game), rng.getrandbits(32)), tmp_path)
    for _ in range(long):
        _check_verified(random_match(find_game(game), rng.getrandbits(32), max_answers=2_000), tmp_path)


def test_random_matches_contain_every_event_and_every_cause_of_an_end() -> None:
    kinds: set[str] = set()
    causes: set[EndCause] = set()
    for seed, game in product(range(200), all_games().values()):
        events = random_match(game, seed)
        kinds |= {type(event).__name__ for event in events}
        causes |= {event.result.cause for event in events if isinstance(event, PlayEnded)}
        if len(kinds) == 15 and causes == set(EndCause):
            return
    pytest.fail(f"200 matches of each game had only {kinds} and {causes}")


def test_the_verdict_on_a_valid_record_is_one_line(tmp_path: Path) -> None:
    verdict = verdict_on(record_of(short_match()), tmp_path)
    own = fingerprint(public_hex(KEY))
    assert str(verdict) == (
        "fine: match nim-1, nim, 6 entries, played, rules (last_taken), ranks 1 2; "
        f"signed by {own}, not compared with any key you trust"
    )
    verdict = verdict_on(record_of(short_match()), tmp_path, public_hex(KEY))
    assert verdict.sentence.endswith(f"signed by {own}, the key expected")


def test_a_parsed_record_has_the_fields_that_were_written() -> None:
    record = whole(record_of(short_match()))
    assert (record.header.referee, record.header.match_id) == ("0.1.0", "nim-1")
    assert (record.header.game, record.header.game_version) == ("nim", 1)
    assert record.key == public_hex(KEY)
    assert [(entry.match_id, entry.number) for entry in record.entries] == [("nim-1", n) for n in range(1, 7)]
    assert record.entries[0].at_ms == 1_790_000_000_001


def test_rating_changes_of_a_log_can_be_replayed_and_are_not_in_its_record() -> None:
    *before, end = short_match()
    assert isinstance(end, PlayEnded)
    rated = [*before, structs.replace(end, ratings=RATED_END.ratings)]
    assert replay_finished_match(rated, find_game("nim")).result == end.result
    assert record_of(rated) == record_of([*before, end])
    assert b"ratings" not in record_of(rated)


@pytest.mark.parametrize("game", [name for name, game in all_games().items() if _late(game)])
def test_a_record_that_is_older_than_an_option_is_verified(game: str, tmp_path: Path) -> None:
    """Records name all options that their game had; new options have defaults that change nothing."""
    late = _late(find_game(game))
    played = (random_match(find_game(game), seed) for seed in count())
    created: Any
    created, *others = next(events for events in played if _has_defaults_of(late, events[0]))
    values = tuple(value for value in created.setup.terms.settings.values if value[0] not in late)
    before = structs.replace(created, setup=change_setup(created.setup, settings=Settings(values)))
    assert before != created
    _check_verified([before, *others], tmp_path)
    file = tmp_path / "before.jsonl"
    file.write_bytes(record_of([before, *others]))
    assert read_record_history(file, find_game).broke_off == ""


def test_an_unfinished_match_has_no_record() -> None:
    goes_on = entries_of(decided_events(nim_setup(), (10, StartPlay())))
    with pytest.raises(NotOver, match="match nim-1 is not over"):
        format_record(goes_on, KEY, "0.1.0")


@pytest.mark.parametrize("number", [1, 3])
def test_a_log_without_one_of_its_entries_has_no_record(number: int) -> None:
    entries = [entry for entry in entries_of(short_match()) if entry.number != number]
    with pytest.raises(LogDamaged, match=f"its entry {number} is missing"):
        format_record(entries, KEY, "0.1.0")


def test_a_record_consists_of_complete_lines_of_ascii() -> None:
    lines = list(format_record(entries_of(short_match(labels=(("title", "Größe\n"),))), KEY, "0.1.0"))
    assert len(lines) == 1 + 6 + 1
    assert all(line.endswith(b"}\n") and line.count(b"\n") == 1 and line.isascii() for line in lines)


def test_equal_matches_have_identical_records() -> None:
    assert record_of(short_match()) == record_of(short_match())
