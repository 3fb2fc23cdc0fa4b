"""Several processes that write to one PostgreSQL database at once: logs and accounts."""

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from random import Random
from typing import TypeAlias

import pytest
from msgspec.structs import replace

from referee.accounts.account_errors import BadField, BadInvitation, NameTaken, TooManyNames
from referee.accounts.bot_log import Note, SessionLostNote
from referee.accounts.bots import Bot, MaxNames, Registration, Version
from referee.accounts.invitations import CreatedInvitation, Invitation, Redeemed
from referee.accounts.tokens import Role, Token, TokenFilter, revoked, sha256_of, used
from referee.live.ports import Conflict, Entry, EventLog, StoreUnavailable
from referee.match.events import Event, MovePlayed
from referee.match.match_errors import RequestIdReused
from tests.storage.account_stores import HIGH_LIMITS, NOON_MS, AccountStores, bot_token, in_postgres, organiser_token
from tests.storage.examples import EXAMPLES
from tests.storage.stores import OwningPostgresLog, note, opened, run_with_store
from tests.storage.test_crash import check_log, kill_after
from tests.storage.test_postgres_database import end_sessions

MATCHES = ("a", "b", "c", "d")
WRITERS = 3
APPENDS = 25
MOVE = next(event for event in EXAMPLES if type(event) is MovePlayed)


class Writer:
    """Appends to every match, as a node does that learns of others only by conflicts, and remembers every answer."""

    def __init__(self, log: EventLog, number: int, rng: random.Random) -> None:
        self._log = log
        self._next_note = number * 1_000_000
        self._rng = rng
        self.accepted: list[Entry] = []
        self.refused: list[Event] = []
        self.failures = 0

    async def write(self, appends: int) -> None:
        """Append until this many appends to each match have been accepted."""
        await asyncio.gather(*(self._write_to(match_id, appends) for match_id in MATCHES))

    async def _write_to(self, match_id: str, appends: int) -> None:
        last = accepted = 0
        while accepted < appends:
            events = self._events()
            try:
                entries = await self._log.append(match_id, last, events)
            except Conflict as conflict:
                self.refused += events
                last = conflict.last
            except StoreUnavailable:
                self.failures += 1
                self.refused += events
                await asyncio.sleep(0)
            else:
                self.accepted += entries
                last, accepted = entries[-1].number, accepted + 1
                if self._rng.random() < 0.5:  # Otherwise the others never are as quick.
                    with suppress(StoreUnavailable):
                        await self._log.read(match_id)

    def _events(self) -> list[Event]:
        """Return events of which one can be told from all others. Moves alone are written by one statement."""
        self._next_note += 1
        moves: list[Event] = [MOVE] * self._rng.randrange(3)
        return [*moves, note(self._next_note)] if self._rng.random() < 0.5 or not moves else moves


def with_writers(url: str, rng: random.Random, run: Callable[[Sequence[Writer]], Awaitable[None]]) -> list[Writer]:
    """Run writers, each with its own log, and check that the logs hold exactly what was accepted."""

    async def run_all() -> list[Writer]:
        logs = [OwningPostgresLog(url) for _ in range(WRITERS)]
        writers = [Writer(log, number, rng) for number, log in enumerate(logs, 1)]
        async with opened(logs):
            await run(writers)
        return writers

    writers = asyncio.run(run_all())
    accepted: dict[str, list[Entry]] = defaultdict(list)
    for writer in writers:
        for entry in writer.accepted:
            accepted[entry.match_id].append(entry)

    async def check(log: EventLog) -> None:
        for match_id in MATCHES:
            entries = await log.read(match_id)
            assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))
            assert entries == sorted(accepted[match_id], key=lambda entry: entry.number)

    run_with_store(OwningPostgresLog(url), check)
    return writers


@pytest.mark.slow
def test_of_racing_appends_exactly_the_accepted_ones_are_stored(postgres_node_url: str, rng: random.Random) -> None:
    async def race(writers: Sequence[Writer]) -> None:
        await asyncio.gather(*(writer.write(APPENDS) for writer in writers))

    writers = with_writers(postgres_node_url, rng, race)
    assert all(writer.refused for writer in writers), "there was no race"


@pytest.mark.slow
def test_an_append_whose_session_is_ended_is_stored_once_or_never(
    postgres_node_url: str, postgres_url: str, rng: random.Random
) -> None:
    async def write_and_end_sessions(writers: Sequence[Writer]) -> None:
        writing = asyncio.gather(*(writer.write(APPENDS) for writer in writers))
        while not writing.done():
            await end_sessions(postgres_url)
            before = sum(len(writer.accepted) for writer in writers)
            while not writing.done() and sum(len(writer.accepted) for writer in writers) < before + 5:
                await asyncio.sleep(0)
        await writing

    with_writers(postgres_node_url, rng, write_and_end_sessions)


@pytest.mark.slow
def test_acknowledged_entries_survive_a_kill_of_the_process(postgres_node_url: str, rng: random.Random) -> None:
    for acknowledgements in (1, 30, rng.randrange(2, 200)):
        last = kill_after(postgres_node_url, acknowledgements)
        assert max(last.values()) > 0
        check_log(OwningPostgresLog(postgres_node_url), last, at_once=3)


HOUR_MS = 3_600_000
AT_ONCE = 40

CALLS = 20

Nodes: TypeAlias = Sequence[AccountStores]


@pytest.fixture
def nodes(postgres_url: str) -> Nodes:
    """The stores of two nodes on an empty database."""
    return [in_postgres(postgres_url) for _ in range(2)]


async def at_once(calls: Iterable[Awaitable[object]]) -> tuple[list[object], Counter[type]]:
    """Return what the calls returned, and how many raised each class of errors."""
    answers = await asyncio.gather(*calls, return_exceptions=True)
    errors = Counter(type(answer) for answer in answers if isinstance(answer, BaseException))
    return [answer for answer in answers if not isinstance(answer, BaseException)], errors


def invitation(code: str, max_uses: int = 1) -> Invitation:
    return Invitation(sha256_of(code), "ann", NOON_MS, NOON_MS + HOUR_MS, max_uses)


def redeem(node: AccountStores, code: str, holder: str, request_id: str = "r") -> Awaitable[Redeemed]:
    token = Token(sha256_of(f"{code} {holder} {request_id} {id(node)}"), Role.AUTHOR, holder, NOON_MS)
    return node.invitations.redeem(sha256_of(code), request_id, token)


def register(
    node: AccountStores, name: str, request_id: str, owner: str = "ann", limits: MaxNames = HIGH_LIMITS
) -> Awaitable[Registration]:
    token = bot_token(name, owner, f"{request_id} {owner} {id(node)}")
    return node.accounts.register(request_id, Bot(name, owner, NOON_MS), token, limits)


async def test_one_of_many_authors_who_redeem_the_same_invitation_at_once_succeeds(nodes: Nodes) -> None:
    issued = invitation("code")
    await nodes[0].invitations.create("r", issued, 9)
    done, errors = await at_once(redeem(nodes[number % 2], "code", f"eve-{number}") for number in range(CALLS))
    assert (len(done), errors) == (1, {BadInvitation: CALLS - 1})
    assert (await nodes[1].invitations.invitation(issued.id)).uses == 1
    assert len(await nodes[1].tokens.tokens()) == len(await nodes[1].invitations.redemptions(issued.id)) == 1


async def test_the_same_redemption_on_two_nodes_at_once_is_done_once(nodes: Nodes) -> None:
    await nodes[0].invitations.create("r", invitation("code", 9), 9)
    done, errors = await at_once(redeem(nodes[number % 2], "code", "eve") for number in range(CALLS))
    assert (Counter(result.repeated for result in done if isinstance(result, Redeemed)), errors) == (
        {True: 19, False: 1},
        {},
    )
    assert len({result.token for result in done if isinstance(result, Redeemed)}) == 1


async def test_one_of_two_invitations_makes_an_author_of_a_name_in_upper_or_lower_case(nodes: Nodes) -> None:
    for code in "ab":
        await nodes[0].invitations.create(code, invitation(code, 9), 99)
    calls = (redeem(nodes[number % 2], "ab"[number % 2], ("eve", "Eve")[number % 2]) for number in range(CALLS))
    done, errors = await at_once(calls)
    assert (len(done), errors) == (CALLS // 2, {NameTaken: CALLS // 2})
    assert len(await nodes[0].tokens.tokens()) == 1


FIVE = MaxNames(bots=5, tokens=100)
LIMITED: dict[str, Callable[[AccountStores, str], Awaitable[object]]] = {
    "authors that an organiser invites": lambda node, name: node.invitations.create(name, invitation(name), 5),
    "bots of an owner": lambda node, name: register(node, f"bot-{name}", name, limits=FIVE),
    "valid tokens of a holder": lambda node, name: node.tokens.add_token(organiser_token(name), 5),
}


@pytest.mark.parametrize("create", LIMITED.values(), ids=LIMITED)
async def test_no_more_are_created_at_once_than_the_limit(
    nodes: Nodes, create: Callable[[AccountStores, str], Awaitable[object]]
) -> None:
    done, errors = await at_once(create(nodes[number % 2], f"{number}") for number in range(CALLS))
    assert (len(done), errors) == (5, {TooManyNames: CALLS - 5})
    stored = [*await nodes[0].invitations.invitations(), *await nodes[0].tokens.tokens()]
    assert len(stored) == 5


async def test_the_same_request_for_an_invitation_creates_one(nodes: Nodes) -> None:
    calls = (nodes[number % 2].invitations.create("r", invitation(f"{number}"), 99) for number in range(CALLS))
    done, errors = await at_once(calls)
    created = [result for result in done if isinstance(result, CreatedInvitation)]
    assert (Counter(result.repeated for result in created), errors) == ({True: CALLS - 1, False: 1}, {})
    assert [result.invitation for result in created[:1]] == await nodes[0].invitations.invitations()


async def test_the_same_request_on_two_nodes_at_once_registers_one_bot(nodes: Nodes) -> None:
    done, errors = await at_once(register(nodes[number % 2], "ada", "r") for number in range(CALLS))
    registered = [result for result in done if isinstance(result, Registration)]
    assert (Counter(result.repeated for result in registered), errors) == ({True: CALLS - 1, False: 1}, {})
    assert {result.token for result in registered} == set(await nodes[0].tokens.tokens())
    assert len(await nodes[0].accounts.bots()) == 1


async def test_a_request_id_registers_one_of_two_names(nodes: Nodes) -> None:
    done, errors = await at_once(register(nodes[number % 2], f"bot-{number % 2}", "r") for number in range(CALLS))
    assert (len(done), errors) == (CALLS // 2, {RequestIdReused: CALLS // 2})
    assert len(await nodes[0].accounts.bots()) == 1


async def test_a_bot_gets_no_more_versions_than_the_limit_and_each_of_them_once(nodes: Nodes) -> None:
    await nodes[0].register("ada")
    names = [f"{number // 4}" for number in range(CALLS)]
    calls = (
        nodes[number % 2].accounts.add_version(Version("ada", name, NOON_MS + number), 3)
        for number, name in enumerate(names)
    )
    done, errors = await at_once(calls)
    versions = await nodes[0].accounts.versions("ada")
    assert (len(versions), set(done), errors) == (3, set(versions), {TooManyNames: 8})


async def test_the_lines_of_a_bot_log_are_numbered_without_gaps(nodes: Nodes) -> None:
    notes = [Note(NOON_MS + number, "1", SessionLostNote("s", "LOST")) for number in range(CALLS)]
    await asyncio.gather(*(nodes[number % 2].bot_log.append("ada", [note]) for number, note in enumerate(notes)))
    assert [line.number for line in await nodes[0].bot_log.read("ada")] == [16, 17, 18, 19, 20]


async def test_changes_of_a_bot_on_two_nodes_are_all_applied(nodes: Nodes) -> None:
    await nodes[0].register("ada")
    calls = (
        nodes[number % 2].accounts.change_bot("ada", lambda bot: replace(bot, faults=bot.faults + 1))
        for number in range(CALLS)
    )
    await asyncio.gather(*calls)
    assert (await nodes[1].accounts.bot("ada")).faults == CALLS


async def test_the_last_use_of_a_token_does_not_undo_its_revocation_on_another_node(nodes: Nodes) -> None:
    tokens = [organiser_token(f"{number}") for number in range(CALLS)]
    for token in tokens:
        await nodes[0].tokens.add_token(token, 100)
    uses = (nodes[0].tokens.change_token(token.id, lambda old: used(old, NOON_MS + HOUR_MS)) for token in tokens)
    revocations = (nodes[1].tokens.change_token(token.id, revoked) for token in tokens)
    await asyncio.gather(*uses, *revocations)
    assert all(token.revoked and token.used_ms for token in await nodes[0].tokens.tokens())


async def test_a_text_that_postgresql_cannot_store_is_an_error_of_the_caller(nodes: Nodes) -> None:
    with pytest.raises(BadField, match="NUL"):
        await nodes[0].accounts.bot("a\0")
    with pytest.raises(BadField, match="NUL"):
        await nodes[0].accounts.register("\0", Bot("ada", "ann", NOON_MS), bot_token("ada"), HIGH_LIMITS)
    assert await nodes[0].accounts.bots() == []
    assert await nodes[0].tokens.tokens() == []


async def test_calls_of_every_kind_about_the_same_holders_never_wait_for_each_other_for_good(nodes: Nodes) -> None:
    """A deadlock would end one of them with StoreUnavailable."""
    rng, holders = Random(1), [f"holder-{number}" for number in range(4)]
    await nodes[0].invitations.create("r", invitation("code", 500), 500)
    calls: list[Awaitable[object]] = []
    for number in range(200):
        node, holder, name = rng.choice(nodes), rng.choice(holders), f"bot-{rng.randrange(9)}"
        token = replace(bot_token(name, holder, f"{number}"), holder=rng.choice(holders))
        bot = Bot(name, holder, NOON_MS)
        calls += [
            node.accounts.register(f"{number}", bot, token, HIGH_LIMITS),
            node.tokens.add_token(bot_token(name, holder, f"more {number}"), 100),
            redeem(node, "code", f"{holder}-{number % 3}", f"{number}"),
            node.invitations.create(f"{number}", replace(invitation(f"{number}"), organiser=holder), 100),
        ]
    for first in range(0, len(calls), AT_ONCE):  # All at once would only wait for connections, longer than calls may.
        _, errors = await at_once(calls[first : first + AT_ONCE])
        assert set(errors) <= {NameTaken, TooManyNames}
    owners = Counter(bot.owner for bot in await nodes[0].accounts.bots())
    tokens = await nodes[0].tokens.tokens(TokenFilter())
    assert sum(owners.values()) <= 9
    assert len({token.id for token in tokens}) == len(tokens)
