"""False statements that the referee has signed are found by replaying the match."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET, structs
from msgspec.structs import replace
from referee_values import Adjudication, IllegalMovePolicy, Policies

from engines.api import Table
from engines.options import Settings
from referee.match.clock import Untimed
from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import (
    AddNonce,
    AdjudicateMatch,
    ClaimDraw,
    Command,
    DisconnectSeat,
    EndGracePeriod,
    FallFlag,
    Resign,
    StartPlay,
    SubmitMove,
    TakeSeat,
    VoidMatch,
    WithdrawBot,
)
from referee.match.events import (
    DrawDeclined,
    DrawOffered,
    Event,
    MovePlayed,
    MoveRejected,
    MoveSource,
    NonceAdded,
    PlayStarted,
    RefereeRecovered,
    SeatForfeited,
    SeatReconnected,
    SeatResigned,
    SeatVacated,
)
from referee.match.result import EndCause, EndKind, Result
from referee.match.setup import Player, Setup
from referee.records.describe_event import describe
from referee.records.record_reader import RecordStatus
from referee.records.verify import ReplayMismatch, replay_finished_match
from referee.storage.codec import MATCH_CODEC
from tests.match.setups import change_setup, forfeits_after
from tests.records.forgery import first_mismatch, lines_of, record_of, resigned, verdict_on
from tests.records.matches import SECOND, decided_events, find_game, nim_setup, random_match, short_match
from tests.third_party_games.third_party_games.nim import Nim

MATCH = short_match()
"""Opened, began, three moves (entries 3 to 5), ended."""
START = (10, StartPlay())


def _with(events: Sequence[Event], number: int, **changed: object) -> list[Event]:
    """Return the same events with some fields of one changed."""
    event: Any = events[number - 1]
    return [*events[: number - 1], structs.replace(event, **changed), *events[number:]]


def _row(number: int, **changed: object) -> list[Event]:
    played: Any = MATCH[number - 1]
    return _with(MATCH, number, row=structs.replace(played.row, **changed))


def _clock(name: str, **changed: object) -> list[Event]:
    played: Any = MATCH[3]
    return _row(4, **{name: structs.replace(getattr(played.row, name), **changed)})


def _result(**changed: Any) -> list[Event]:
    return _with(MATCH, 6, result=replace(ENDED.result, **changed))


SCORES = Adjudication(resign_score=300, resign_moves=1)
LOST_BY_SCORES = decided_events(
    nim_setup(adjudication=SCORES),
    START,
    (1_010, SubmitMove(0, "0.0.1", "1", TurnMeasurement(1_010), score=300)),
    (3_010, SubmitMove(1, "1.1.1", "2", TurnMeasurement(3_000), score=-300)),
)
BY_SCORES: Any = LOST_BY_SCORES[-1]
ENDED: Any = MATCH[-1]
REFUSED = MoveRejected(3_010, 1, "1.1.1", "2", "ILLEGAL_MOVE", "NIM-1", "no", 2)
CLAIMED = Result(EndKind.PLAYED, EndCause.DRAW_CLAIMED, "tired", (0.5, 0.5), (1, 1), (0.5, 0.5), (1, 1))
ILLEGAL = "entry 5: the record says that seat 0 played '{0}'; by the rules seat 0's attempt '{0}' was refused ("
UNEXPLAINED = "entry {}: the record says that {}, and nothing before it leads to that"
IMPOSSIBLE_CLOCK = "entry 4: what its clock row says was measured cannot have been"
NO_CLAIM = "but that is not possible: no draw is possible: the rules allow this seat no claim in this position"
SEAT_1 = "entry 4: seat 1: "
FELL: Any = decided_events(nim_setup(), START, (20 * SECOND, FallFlag(0, TurnMeasurement(20 * SECOND))))
GONE: Any = decided_events(
    nim_setup(policies=Policies(disconnect=forfeits_after(1_000))),
    START,
    (20, DisconnectSeat(0)),
    (20 + SECOND, EndGracePeriod(0)),
)
SEATED: Any = decided_events(
    nim_setup(random_seats=True, nonce_timeout_us=1_000_000),
    (1, AddNonce(0, b"a")),
    (2, AddNonce(1, b"")),
    START,
    (30, Resign(0)),
)
DRAWN: Any = decided_events(
    nim_setup(policies=Policies(illegal_move=IllegalMovePolicy(action="random_move"))),
    START,
    (20, SubmitMove(0, "0.0.1", "9", TurnMeasurement(15))),
    (30, Resign(0)),
)
TAKEN = decided_events(
    nim_setup(players=(Player(), Player("carl", "1"))),
    (1, TakeSeat(0, Player("anna", "1"))),
    (2, StartPlay()),
    (3, Resign(0)),
)


def _setup(**terms: Any) -> list[Event]:
    created: Any = MATCH[0]
    return _with(MATCH, 1, setup=change_setup(created.setup, **terms))


FALSE: list[tuple[list[Event], str]] = [
    (_row(4, asked_us=1_000), SEAT_1 + "its turn was asked at 1000 µs, by the entries before it was at 1010 µs"),
    (
        _row(4, network_credit_us=500),
        SEAT_1 + "it was given 500 µs of network credit, by its own row and the caps it is 0 µs",
    ),
    (_row(4, charged_us=1_200), SEAT_1 + "it was charged 1200 µs, by its own row it is 1990 µs"),
    (_row(4, late=True), SEAT_1 + "its answer was late, by its own row it was in time"),
    (_clock("after", left_us=99 * SECOND), SEAT_1 + "it was left 99000000 µs, by its own row it is 10998010 µs"),
    (
        _clock("before", periods=1, moves=2),
        SEAT_1 + "it had 10000000 µs, period 1, 2 moves to go before its move, by the entries before it is 10000000 µs",
    ),
    (_row(4, network_us=-1), IMPOSSIBLE_CLOCK),
    (_row(4, stall_us=-1), IMPOSSIBLE_CLOCK),
    (_row(4, arrived_us=3_011), IMPOSSIBLE_CLOCK),
    (_row(4, arrived_us=-1), IMPOSSIBLE_CLOCK),
    (_with(MATCH, 4, at_us=900), "entry 4: match time runs backwards, from 1010 µs to 900 µs"),
    (_with(MATCH, 5, move="3"), ILLEGAL.format("3") + "3 is not legal: 1 to 2 may be"),
    (_with(MATCH, 5, move="x"), ILLEGAL.format("x") + "cannot read the move 'x'"),
    (
        _with(MATCH, 5, move="1"),
        UNEXPLAINED.format(6, "the match ended: played, rules (last_taken), ranks 1 2").removesuffix(" leads to that"),
    ),
    (
        [*MATCH[:3], REFUSED, *MATCH[3:]],
        "entry 4: the record says that seat 1's attempt '2' was refused (no); by the rules seat 1 played '2'",
    ),
    (_result(ranks=(2, 1)), "ranks of the result: (2, 1) by the record, (1, 2) by the rules"),
    (_result(scores=(0.0, 1.0)), "scores of the result: (0.0, 1.0) by the record, (1.0, 0.0) by the rules"),
    (_result(kind=EndKind.FORFEITED), "kind of the result: forfeited by the record, played by the rules"),
    (
        _result(reason="bribery"),
        "entry 6: where the match ended: played, rules (bribery), ranks 1 2, reason of the result: 'bribery' by the "
        "record, 'last_taken' by the rules",
    ),
    (_with(MATCH, 6, seed=b"\1" * 32), f"seed: {'01' * 32} by the record, {bytes(range(32)).hex()} by the rules"),
    ([*MATCH[:3], ENDED], UNEXPLAINED.format(4, f"the match ended: {ENDED.result}")),
    ([*MATCH[:3], structs.replace(ENDED, result=CLAIMED)], NO_CLAIM),
    ([MATCH[0], structs.replace(ENDED, result=CLAIMED)], UNEXPLAINED.format(2, f"the match ended: {CLAIMED}")),
    (
        [*MATCH, SeatResigned(9_010, 0), ENDED],
        "entry 7: the record says that seat 0 resigned, but that is not possible: the match is over",
    ),
    (
        [*MATCH, RefereeRecovered(9_010, 5), ENDED],
        "entry 7: the record says that the referee was back, after 5 ms, and by the rules nothing happens",
    ),
    (
        [*MATCH[:5], SeatResigned(9_010, 1), ENDED],
        "entry 6: the record says that seat 1 resigned; by the rules the match ended: played, rules (last_taken)",
    ),
    (
        _with(MATCH, 4, seat=0),
        "entry 4: the record says that seat 0 played '2', but that is not possible: '1.1.1' is not the",
    ),
    (_with(MATCH, 4, seat=7), "there is no seat 7"),
    (_with(MATCH, 4, row=None), "nothing before it leads to that"),
    (_with(MATCH, 4, source=MoveSource.RANDOM), UNEXPLAINED.format(4, "the lot played for seat 1 '2'")),
    (_with(MATCH, 4, source=MoveSource.DEFAULT), UNEXPLAINED.format(4, "the game's default played for seat 1 '2'")),
    (
        [*MATCH[:2], DrawDeclined(20, 0), ENDED],
        "that is not possible: no draw is possible: no other seat has offered one",
    ),
    ([*MATCH[:2], SeatForfeited(20, 0, "illegal_move"), ENDED], "nothing before it leads to that"),
    ([*MATCH[:2], SeatReconnected(20, 0), ENDED], "by the rules nothing happens"),
    (
        [*MATCH[:2], NonceAdded(20, 0, b""), ENDED],
        "is not possible: AddNonce is not possible while the match is playing",
    ),
    ([*MATCH[:2], PlayStarted(20, ()), ENDED], "is not possible: StartPlay is not possible while the match is playing"),
    ([*MATCH[:2], DrawOffered(20, 5), ENDED], "that is not possible: there is no seat 5"),
    (_with(LOST_BY_SCORES, 4, score=-299), "nothing before it leads to that"),
    (
        _with(FELL, 3, at_us=5_000, row=structs.replace(FELL[2].row, arrived_us=5_000)),
        "the record says that the flag of seat 0 fell, and by the rules nothing happens",
    ),
    ([*FELL[:2], *FELL[3:]], "forfeited (time), and nothing before it leads to that"),
    (
        _with(_with(GONE, 4, at_us=SECOND), 5, at_us=SECOND),
        "entry 4: the record says that seat 0 forfeited (disconnected), and by the rules nothing happens",
    ),
    (
        _with(SEATED, 4, seated=SEATED[3].seated[::-1]),
        "entry 4: where play began between bob 2, ada 1, seated: bob 2, ada 1 by the record, ada 1, bob 2 by the rules",
    ),
    (
        _with(DRAWN, 4, move="1"),
        "entry 4: where the lot played for seat 0 '1', move: '1' by the record, '2' by the rules",
    ),
    (
        _setup(settings=Settings((("heap", 5000),))),
        "entry 1: invalid value '5000' for option heap; it must be a whole number from 1 to 1000",
    ),
    (
        _setup(settings=Settings((("heaps", 5),))),
        "entry 1: unknown option 'heaps'; known: heap; did you mean heap?",
    ),
    (
        _setup(settings=Settings(())),
        "entry 1: invalid match terms: settings must be all the options of nim, in their order",
    ),
    (
        _setup(players=(Player("ada"),)),
        "entry 1: invalid match terms: players must be 2, one for each seat; the name of an open seat is empty",
    ),
    (_setup(opening="nonsense"), "entry 1: cannot read the position 'nonsense'"),
    *(([TAKEN[0], SeatVacated(1, seat), *TAKEN[1:]], "it holds no seat in this match") for seat in (0, 7)),
    ([*TAKEN[:-2], SeatForfeited(3, 9, "withdrawn"), TAKEN[-1]], "it holds no seat"),
    (_with(LOST_BY_SCORES, 5, result=replace(BY_SCORES.result, reason="max_plies")), "reason of the result"),
]


@pytest.mark.parametrize(("events", "expected"), FALSE, ids=[expected for _, expected in FALSE])
def test_a_false_statement_is_found_in_its_entry(events: list[Event], expected: str, tmp_path: Path) -> None:
    assert expected in first_mismatch(events, tmp_path)


def test_missing_last_entries_are_found() -> None:
    """A signer can omit the end, or what follows from the rules; both are detected."""
    nim = find_game("nim")
    with pytest.raises(
        ReplayMismatch, match=r"entry 5: it is the last one, and by the rules the match ended: .* after it"
    ):
        replay_finished_match(MATCH[:5], nim)
    with pytest.raises(ReplayMismatch, match="entry 4: it is the last one, and the match is not over"):
        replay_finished_match(MATCH[:4], nim)
    with pytest.raises(ReplayMismatch, match="after it"):
        replay_finished_match(LOST_BY_SCORES[:-1], nim)


def test_a_match_that_both_scores_ended_is_replayed_to_the_same_end() -> None:
    result = replay_finished_match(LOST_BY_SCORES, find_game("nim")).result
    assert result
    assert (result.reason, result.ranks) == ("resign_score", (1, 2))


def test_a_decision_of_a_person_is_accepted_in_a_match_with_scores() -> None:
    decided = (20, AdjudicateMatch((2, 1), "the hall is on fire"))
    replay_finished_match(decided_events(nim_setup(adjudication=SCORES), START, decided), find_game("nim"))


def test_a_changed_seed_is_found_by_the_random_draws(tmp_path: Path) -> None:
    """A signer may change the seed; then what was drawn from it no longer matches."""
    created: Any
    created, *others = random_match(find_game("toc"), 1)
    changed = structs.replace(created, setup=replace(created.setup, seed=b"\7" * 32, opening=""))
    ended: Any = others.pop()
    assert first_mismatch([changed, *others, structs.replace(ended, seed=b"\7" * 32)], tmp_path)


def test_the_error_text_of_a_shortened_attempt_is_not_checked(tmp_path: Path) -> None:
    attempt = SubmitMove(0, "0.0.1", "1" * 200, TurnMeasurement(15))
    events = decided_events(nim_setup(), START, (20, attempt), (30, Resign(0)))
    reworded = _with(events, 3, sentence="the game said more of the whole of it", rule="NIM-2")
    assert verdict_on(record_of(reworded), tmp_path).status is RecordStatus.FINE
    assert "attempts left: 7 by the record, 2 by the rules" in first_mismatch(
        _with(events, 3, attempts_left=7), tmp_path
    )


def test_a_first_entry_of_another_match_is_found(tmp_path: Path) -> None:
    first, *others = lines_of(record_of(MATCH))
    verdict = verdict_on(resigned([first.replace(b'"nim-1"', b'"nim-2"'), *others]), tmp_path)
    assert verdict.status is RecordStatus.RULES_DIFFER
    assert verdict.sentence == "entry 1: it opens another match, or another game, than the first line names"


def test_a_missing_first_entry_is_found(tmp_path: Path) -> None:
    lines = lines_of(record_of(MATCH))
    event = lines[2][lines[2].index(b'"event":') : lines[2].index(b',"after"')]
    created = lines[1][lines[1].index(b'"event":') : lines[1].index(b',"after"')]
    verdict = verdict_on(resigned([line.replace(created, event) for line in lines]), tmp_path)
    assert verdict.sentence == (
        "entry 1: it is the first one, and says that play began between ada 1, bob 2, not what the match is"
    )


def test_control_characters_of_a_record_are_escaped(tmp_path: Path) -> None:
    events = decided_events(nim_setup(), (1, VoidMatch(EndCause.DECLARED, "\x1b[2Jfine\n")))
    message = first_mismatch(_with(_with(events, 2, seed=b""), 2), tmp_path)
    assert message.startswith("entry 2: where the match ended: void, declared (\\x1b[2Jfine\\n), seed: of no bytes by")


def _stones(**terms: object) -> Setup:
    """Return terms for three seats that play on when one drops out, and may claim a draw when they are level."""
    three = {"players": (Player("a"), Player("b"), Player("c")), "controls": (Untimed(),) * 3}
    policies = Policies(illegal_move=IllegalMovePolicy(action="forfeit"), forfeit_effect="random_moves")
    return nim_setup(game="stones", settings=find_game("stones").settings(), policies=policies, **three, **terms)


def _answers(*moves: tuple[int, int, str]) -> list[tuple[int, Command]]:
    return [
        (100 + ply, SubmitMove(seat, f"{seat}.{ply}.1", move, TurnMeasurement(100 + ply))) for seat, ply, move in moves
    ]


def test_a_claimed_draw_is_verified_for_any_claiming_seat(tmp_path: Path) -> None:
    level = _answers((0, 0, "2"), (1, 1, "2"), (2, 2, "2"))
    claimed = decided_events(_stones(), START, *level, (200, ClaimDraw(0)))
    drawn: Any = claimed[-1]
    assert drawn.result.cause is EndCause.DRAW_CLAIMED
    assert verdict_on(record_of(claimed), tmp_path).status is RecordStatus.FINE
    expected = "but that is not possible: no draw is possible: the rules allow this seat no claim in this position"
    assert expected in first_mismatch([*claimed[:4], drawn], tmp_path)


FAULTY = _answers((0, 0, "1"), (1, 1, "1"), (2, 2, "9"))
"""The third answer forfeits its seat, whose moves are then drawn."""


def _level_after_a_fault() -> Setup:
    """Return terms whose seed draws the move 1 for the seat that forfeited."""
    for number in range(100):
        setup = _stones(seed=bytes([number]) * 32)
        drawn: Any = decided_events(setup, START, *FAULTY)[-1]
        if drawn.move == "1":
            return setup
    raise AssertionError("no seed draws a 1")


def test_a_draw_claimed_after_a_fault_is_verified(tmp_path: Path) -> None:
    claimed = decided_events(_level_after_a_fault(), START, *FAULTY, (200, ClaimDraw(0)))
    ended: Any = claimed[-1]
    assert (ended.result.cause, ended.result.reason) == (EndCause.FAULT, "level")
    assert verdict_on(record_of(claimed), tmp_path).status is RecordStatus.FINE


def test_an_engine_fault_of_the_match_is_accepted(tmp_path: Path) -> None:
    """The game that failed then may be fixed now; the match is void all the same."""
    terms = nim_setup(game="brittle", settings=find_game("brittle").settings())
    broken = decided_events(terms, START, (20, SubmitMove(0, "0.0.1", "2", TurnMeasurement(15))))
    ended: Any = broken[-1]
    assert ended.result.cause is EndCause.ENGINE_FAULT
    assert verdict_on(record_of(broken), tmp_path).status is RecordStatus.FINE


class Tableless(Nim):
    def table(self, settings: Settings) -> Table:
        raise ZeroDivisionError("no seats")


def test_an_engine_exception_before_the_first_position_is_reported() -> None:
    with pytest.raises(ReplayMismatch, match=r"entry 1: the rules of nim broke here: ZeroDivisionError\('no seats'\)"):
        replay_finished_match(MATCH, Tableless())


def test_an_engine_exception_during_the_replay_is_reported(tmp_path: Path) -> None:
    fine = decided_events(nim_setup(), START, (20, SubmitMove(0, "0.0.1", "2", TurnMeasurement(15))), (30, Resign(1)))
    created: Any = fine[0]
    terms = change_setup(created.setup, game="brittle", settings=find_game("brittle").settings())
    message = first_mismatch([structs.replace(created, setup=terms), *fine[1:]], tmp_path)
    assert message == "entry 3: the rules of brittle broke here: BrokenGame('two were too many')"


@pytest.mark.parametrize(
    ("terms", "given", "nonces", "clause"),
    [
        ({"random_seats": True}, False, (b"a", b""), "; seat 0 of 2 added to its seed; "),
        ({"random_seats": True}, True, (b"a", b"b"), "; seats 0, 1 of 2 added to its seed; "),
        ({"random_seats": True}, False, (b"", b""), "; the referee alone chose its seed; "),
        ({"random_seats": True}, True, (), "; the creator of the match alone chose its seed; "),
        ({}, False, (b"a", b"b"), "resignation, ranks 2 1; signed by "),
    ],
)
def test_a_record_says_who_chose_the_seed_if_it_matters(
    tmp_path: Path, terms: dict[str, Any], given: bool, nonces: tuple[bytes, ...], clause: str
) -> None:
    asked: list[tuple[int, Command]] = [(seat, AddNonce(seat, nonce)) for seat, nonce in enumerate(nonces)]
    setup = replace(nim_setup(nonce_timeout_us=1_000_000, **terms), seed_given=given)
    events = decided_events(setup, *asked, START, (30, Resign(0)))
    assert clause in verdict_on(record_of(events), tmp_path).sentence


def test_a_record_with_a_withdrawal_before_play_and_one_in_play_is_verified(tmp_path: Path) -> None:
    setup = nim_setup(nonce_timeout_us=1_000)
    first, second = setup.players
    events = decided_events(
        setup,
        (1, AddNonce(0, b"salt")),
        (2, WithdrawBot(first.bot)),
        (3, TakeSeat(0, Player("carl", "1"))),
        (4, AddNonce(0, b"sugar")),
        (5, StartPlay()),
        (6, WithdrawBot(second.bot)),
    )
    assert {SeatVacated, SeatForfeited} <= {type(event) for event in events}
    assert verdict_on(record_of(events), tmp_path).status is RecordStatus.FINE
    assert describe(events[2]) == "the bot of seat 0 was withdrawn"
    assert describe(events[-2]) == "seat 1 forfeited (withdrawn)"


def test_terms_and_scores_are_stored_only_if_they_are_set() -> None:
    plain = "".join(map(MATCH_CODEC.encode, short_match()))
    assert 'score":' not in plain.replace("scores", "")
    assert 'adjudication":{' not in plain
    stored = [MATCH_CODEC.encode(event) for event in LOST_BY_SCORES]
    assert '"adjudication":{"resign_score":300,"resign_moves":1}' in stored[0]
    assert stored[2].endswith('"request_id":"","score":300}')
    assert [MATCH_CODEC.decode(line) for line in stored] == LOST_BY_SCORES


def test_a_score_that_is_not_given_cannot_be_written_as_null() -> None:
    played = next(event for event in short_match() if isinstance(event, MovePlayed))
    assert played.score is UNSET
    line = MATCH_CODEC.encode(played).replace('"request_id":""', '"request_id":"","score":null')
    with pytest.raises(ValueError, match="cannot read this entry"):
        MATCH_CODEC.decode(line)
