"""Match summaries: the results of each log, their use in a list of matches, and the cost of a search in SQLite."""

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from random import Random

import pytest
from msgspec import structs
from msgspec.structs import replace

from referee.live.live_match import LiveMatchIndex
from referee.live.match_history import MatchStatus
from referee.live.match_request import EVERY_MATCH, MatchFilter
from referee.live.ports import EventLog, StoreUnavailable, Summaries
from referee.live.stored_matches import SUMMARY_BATCH, StoredMatches, read_summary, replay_log
from referee.match.commands import StartPlay, TakeSeat, VoidMatch
from referee.match.events import Event, MatchCreated
from referee.match.result import EndCause
from referee.match.setup import Player
from referee.match.state import MatchPhase
from referee.storage import match_summaries
from referee.storage.sqlite.connection import run_to_end
from referee.storage.sqlite.event_log import SqliteEventLog
from referee.transport.wire.matches import MatchContext, match_of
from tests.match.setups import change_setup
from tests.records.matches import all_games, decided_events, find_game, nim_setup, random_match, short_match
from tests.storage.examples import EXAMPLES, RATED_END
from tests.storage.memory import MemoryEventLog
from tests.storage.stores import noon_ms, notes, opened, other_connection

ADA, BOB, OPEN = Player("ada", "1"), Player("bob", "2"), Player()
SCORED = (("title", "t"), ("ladder", "main"), ("tournament", "cup"))


def ids(summaries: Summaries) -> list[str]:
    return [summary[0].match_id for summary in summaries.found]


def waiting_match(match_id: str, *players: Player) -> list[Event]:
    return decided_events(nim_setup(match_id=match_id, players=players))


async def append_examples(log: EventLog) -> None:
    """Append a match that never filled and is void, one in play, one that waits, and one that is over."""
    never_filled = decided_events(
        nim_setup(match_id="unfilled", players=(ADA, OPEN)), (5, VoidMatch(EndCause.NOT_STARTED))
    )
    playing = decided_events(
        nim_setup(match_id="playing", players=(ADA, OPEN)), (5, TakeSeat(1, BOB)), (9, StartPlay())
    )
    for events in (
        never_filled,
        playing,
        waiting_match("waiting", BOB, OPEN),
        short_match(match_id="over", labels=SCORED),
    ):
        created = events[0]
        assert isinstance(created, MatchCreated)
        for number, event in enumerate(events):  # One at a time, as a running match appends them.
            await log.append(created.setup.match_id, number, [event])


async def test_matches_are_found_newest_first_in_pages(log: EventLog) -> None:
    assert await log.summaries() == Summaries([])
    await append_examples(log)
    assert ids(await log.summaries()) == ["over", "waiting", "playing", "unfilled"]
    assert (await log.summaries()).stopped_at == ""
    first = await log.summaries(limit=2)
    assert (ids(first), first.stopped_at) == (["over", "waiting"], "waiting")
    rest = await log.summaries(before="waiting")
    assert (ids(rest), rest.stopped_at) == (["playing", "unfilled"], "")
    assert await log.summaries(before="unfilled") == Summaries([])
    assert await log.summaries(before="nobody") == Summaries([])


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (MatchFilter(phase=MatchPhase.WAITING), ["waiting"]),
        (MatchFilter(phase=MatchPhase.PLAYING), ["playing"]),
        (MatchFilter(phase=MatchPhase.OVER), ["over", "unfilled"]),
        (MatchFilter(bot="ada"), ["over", "playing", "unfilled"]),
        (MatchFilter(bot="bob"), ["over", "waiting", "playing"]),
        (MatchFilter(bot="nobody"), []),
        (MatchFilter(game="nim"), ["over", "waiting", "playing", "unfilled"]),
        (MatchFilter(game="toc"), []),
        (MatchFilter(ladder="main"), ["over"]),
        (MatchFilter(tournament="cup"), ["over"]),
        (MatchFilter(tournament="main"), []),
        (MatchFilter(open_only=True), ["waiting", "unfilled"]),
        (MatchFilter(open_only=True, bot="bob", phase=MatchPhase.WAITING, game="nim"), ["waiting"]),
        (MatchFilter(open_only=True, ladder="main"), []),
        (MatchFilter(phase=MatchPhase.OVER, bot="bob", ladder="main", tournament="cup", game="nim"), ["over"]),
    ],
)
async def test_all_conditions_of_a_filter_must_hold(log: EventLog, wanted: MatchFilter, found: list[str]) -> None:
    await append_examples(log)
    assert ids(await log.summaries(wanted)) == found


async def test_a_match_is_listed_once_for_a_bot_with_several_seats(log: EventLog) -> None:
    for match_id in "ab":
        await log.append(match_id, 0, waiting_match(match_id, ADA, ADA))
    assert ids(await log.summaries(MatchFilter(bot="ada"))) == ["b", "a"]
    assert ids(await log.summaries(MatchFilter(bot="ada"), before="b")) == ["a"]


async def test_a_summary_contains_all_entries_until_the_start_and_the_end(log: EventLog) -> None:
    await log.append("m", 0, EXAMPLES[: EXAMPLES.index(RATED_END) + 1])
    entries = await log.read("m")
    assert (await log.summaries()).found == [[*entries[:4], entries[-1]]]


async def test_a_log_without_a_creation_has_no_summary(log: EventLog) -> None:
    await log.append("m", 0, notes(1, 2))
    await log.append("n", 0, [*notes(1, 1), *EXAMPLES])
    assert await log.summaries() == Summaries([])
    assert await log.summaries(MatchFilter(bot="ada")) == Summaries([])


# A list of matches agrees with their logs


def any_match(match_id: str, rng: Random) -> list[Event]:
    """Return the start of a match of any game, or a whole one."""
    events = random_match(rng.choice(list(all_games().values())), rng.randrange(1 << 30), max_answers=8)
    created = events[0]
    assert isinstance(created, MatchCreated)
    labels = tuple((name, rng.choice("ab")) for name in ("ladder", "tournament") if rng.random() < 0.5)
    setup = replace(created.setup, match_id=match_id, labels=labels)
    rest = events[1:] if rng.random() < 0.5 else events[1 : rng.randrange(1, len(events) + 1)]
    return [structs.replace(created, setup=setup), *rest]


def any_filter(rng: Random) -> MatchFilter:
    values = {
        "bot": rng.choice(("bot0", "bot1", "late0")),
        "game": rng.choice(list(all_games())),
        "phase": rng.choice(list(MatchPhase)),
        "ladder": rng.choice("ab"),
        "tournament": rng.choice("ab"),
        "open_only": True,
        "since_ms": rng.randrange(100),
    }
    # The values have several types.
    return MatchFilter(**{name: values[name] for name in rng.sample(list(values), rng.randrange(4))})  # type: ignore[arg-type]


async def pages_of(log: EventLog, wanted: MatchFilter, size: int) -> list[Summaries]:
    pages = [await log.summaries(wanted, "", size)]
    while pages[-1].stopped_at:
        pages.append(await log.summaries(wanted, pages[-1].stopped_at, size))
    return pages


def is_wanted(status: MatchStatus, wanted: MatchFilter) -> bool:
    match = status.match
    bots, labels = [player.bot for player in match.players], dict(match.setup.labels)
    return (
        (not wanted.bot or wanted.bot in bots)
        and (not wanted.open_only or "" in bots)
        and wanted.game in ("", match.terms.game)
        and wanted.phase in (None, match.phase)
        and wanted.ladder in ("", labels.get("ladder"))
        and wanted.tournament in ("", labels.get("tournament"))
        and status.opened_ms >= wanted.since_ms
    )


async def test_listed_matches_agree_with_their_whole_logs(rng: Random) -> None:
    context = MatchContext(lambda _: False)
    async with opened(log := MemoryEventLog(count().__next__)):
        statuses: list[MatchStatus] = []
        for number in range(60):
            await log.append(f"m{number}", 0, any_match(f"m{number}", rng))
            statuses.insert(0, (await replay_log(await log.read(f"m{number}"), find_game)).status)
        for _ in range(150):
            wanted, size = any_filter(rng), rng.randrange(1, 70)
            expected = [match_of(status, context, -1) for status in statuses if is_wanted(status, wanted)]
            pages = await pages_of(log, wanted, size)
            listed = [
                match_of(read_summary(summary, find_game), context, -1) for page in pages for summary in page.found
            ]
            assert listed == expected, wanted


def stored_matches(log: EventLog) -> StoredMatches:
    return StoredMatches(log, find_game, LiveMatchIndex(), lambda _match_id, _why: None)


async def test_a_long_list_is_read_in_batches(log: EventLog) -> None:
    names = [f"m{number}" for number in range(2 * SUMMARY_BATCH + 1)]
    for name in names:
        await log.append(name, 0, waiting_match(name, ADA, OPEN))
    names.reverse()
    for size in (1, SUMMARY_BATCH, SUMMARY_BATCH + 1, len(names) - 1):
        listed = await stored_matches(log).list_matches(EVERY_MATCH, "", size)
        assert [status.match.setup.match_id for status in listed.matches] == names[:size]
        assert listed.next_after == names[size - 1]
    assert (await stored_matches(log).list_matches(EVERY_MATCH, "", len(names) + 1)).next_after == ""
    assert (await stored_matches(log).list_matches(EVERY_MATCH, names[-1], 10)).matches == []


async def test_matches_of_unknown_games_are_omitted_from_lists(log: EventLog) -> None:
    for match_id, game in (("a", "nim"), ("b", "gone"), ("c", "nim")):
        await log.append(match_id, 0, short_match(match_id=match_id))
        if game == "gone":
            created = (await log.read("b"))[0].event
            assert isinstance(created, MatchCreated)
            setup = change_setup(created.setup, match_id="gone", game="gone")
            await log.append("gone", 0, [structs.replace(created, setup=setup)])
    listed = await stored_matches(log).list_matches(EVERY_MATCH, "", 10)
    assert [status.match.setup.match_id for status in listed.matches] == ["c", "b", "a"]
    assert listed.next_after == ""


# SQLite


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


def sqlite_log(path: Path) -> SqliteEventLog:
    return SqliteEventLog(path, noon_ms, busy_ms=0)


async def write_matches(path: Path, *matches: Sequence[Event]) -> None:
    async with opened(log := sqlite_log(path)):
        for events in matches:
            created = events[0]
            assert isinstance(created, MatchCreated)
            await log.append(created.setup.match_id, 0, events)


EACH_FILTER = [
    EVERY_MATCH,
    MatchFilter(bot="ada"),
    MatchFilter(game="nim"),
    MatchFilter(ladder="main"),
    MatchFilter(tournament="cup"),
    MatchFilter(since_ms=1),
    MatchFilter(open_only=True),
    *(MatchFilter(phase=phase) for phase in MatchPhase),
    MatchFilter("ada", "nim", MatchPhase.OVER, "main", "cup", open_only=True, since_ms=1),
]


@pytest.mark.parametrize("wanted", EACH_FILTER)
async def test_every_search_uses_an_index_and_does_not_sort(path: Path, wanted: MatchFilter) -> None:
    await write_matches(path, short_match(match_id="m"))
    statements: list[str] = []
    with other_connection(path) as connection:
        connection.set_trace_callback(statements.append)
        run_to_end(lambda database: match_summaries.find(database, wanted, "", 1), connection)
        connection.set_trace_callback(None)
        searches = [statement for statement in statements if "SELECT" in statement]
        plans = [row[3] for statement in searches for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}")]
    assert searches
    assert plans
    for plan in plans:
        assert not plan.startswith("SCAN found") or "INTEGER PRIMARY KEY" in plan, plans
        assert "TEMP B-TREE" not in plan, plans


def steps_of(path: Path, wanted: MatchFilter, limit: int) -> int:
    """Return the cost for SQLite, in tens of instructions, of finding some matches and reading their summaries."""
    steps = [0]

    def count_steps() -> None:
        steps[0] += 1

    with other_connection(path) as connection:
        connection.set_progress_handler(count_steps, 10)
        found, _ = run_to_end(lambda database: match_summaries.find(database, wanted, "", limit), connection)
        run_to_end(lambda database: match_summaries.read(database, found), connection)
    assert len(found) == limit
    return steps[0]


FOUND_AT_ONCE = [EVERY_MATCH, MatchFilter(bot="ada"), MatchFilter(game="nim"), MatchFilter(phase=MatchPhase.OVER)]
FOUND_AT_ONCE += [MatchFilter(ladder="main"), MatchFilter(tournament="cup", bot="bob", since_ms=1)]


@pytest.mark.parametrize("wanted", FOUND_AT_ONCE)
async def test_the_cost_of_a_page_does_not_depend_on_the_number_of_matches(path: Path, wanted: MatchFilter) -> None:
    await write_matches(path, *(short_match(match_id=f"few{number}", labels=SCORED) for number in range(10)))
    cost_among_few = steps_of(path, wanted, 10)
    await write_matches(path, *(short_match(match_id=f"many{number}", labels=SCORED) for number in range(300)))
    assert steps_of(path, wanted, 10) <= cost_among_few * 1.2


async def test_a_search_for_rare_matches_is_split_into_pages(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_summaries, "MAX_SCANNED", 4)
    rare_match = [short_match(match_id="rare", players=(ADA, BOB), labels=(("ladder", "main"),))]
    await write_matches(path, *rare_match, *(short_match(match_id=f"m{number}") for number in range(9)))
    async with opened(log := sqlite_log(path)):
        pages = await pages_of(log, MatchFilter(bot="ada", ladder="main"), 10)
    assert [(ids(page), page.stopped_at) for page in pages] == [([], "m5"), ([], "m1"), (["rare"], "")]


async def test_a_summary_that_cannot_be_read_is_omitted(path: Path) -> None:
    await write_matches(path, *(short_match(match_id=match_id) for match_id in "abcd"))
    with other_connection(path) as other:
        other.execute("UPDATE entries SET line = 'scribble' WHERE match = 4 AND number = 1")
        other.execute("UPDATE entries SET line = CAST(x'ff' AS TEXT) WHERE match = 2 AND number = 2")
        other.execute("UPDATE entries SET line = 'scribble' WHERE match = 1 AND number = 4")  # No summary shows a move.
    async with opened(log := sqlite_log(path)):
        listed = await log.summaries(limit=2)
        assert (ids(listed), listed.stopped_at) == (["c"], "c")
        assert ids(await log.summaries()) == ["c", "a"]
        assert await log.stored_matches() == ["d", "c", "b", "a"]


async def test_a_summary_is_written_with_its_entries_or_not_at_all(path: Path) -> None:
    first, *rest = short_match(match_id="m")
    await write_matches(path, [first])
    rows = "SELECT phase, began, ended FROM match_summaries"
    with other_connection(path) as other:
        other.execute(
            "CREATE TRIGGER no_end BEFORE INSERT ON entries WHEN NEW.line LIKE '%play_ended%'"
            " BEGIN SELECT raise(ROLLBACK, 'the disk is full'); END"
        )
    async with opened(log := sqlite_log(path)):
        with pytest.raises(StoreUnavailable, match="disk is full"):
            await log.append("m", 1, rest)
        with other_connection(path) as other:
            assert other.execute(rows).fetchall() == [("waiting", None, None)]
            other.execute("DROP TRIGGER no_end")
        await log.append("m", 1, rest)
    with other_connection(path) as other:
        assert other.execute(rows).fetchall() == [("over", 2, len(rest) + 1)]
