"""Permissions on the real server: no caller acts for another one, and an author may not do what organisers may."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count
from typing import Any

import pytest
from referee_api.v1 import bot_pb2

from tests.e2e.call_errors import assert_refused, reason_of
from tests.e2e.contests import ROUND_ROBIN, create_ladder, create_tournament, entrants_of, match_terms
from tests.e2e.organiser import METHODS, Organiser, call_method, new_organiser
from tests.e2e.server import ServerProcess

pytestmark = pytest.mark.slow

NUMBERS = count(1)
MAX_BOTS = 2
SERVER_FLAGS = ("--ephemeral", "--max-bots-per-author", str(MAX_BOTS))
LATER = {"seconds": 2**32}
CORRECTION = {"request_id": "g", "match_id": "m", "kind": "CORRECTION_KIND_STRUCK", "message": "mine"}
Calls = list[tuple[str, dict[str, Any]]]


def calls_for_others(bots: Sequence[str], contest: str, match_id: str, token_id: str) -> Calls:
    """Return calls that only the owner of these bots, or the organiser of a ladder and tournament may make."""
    bot, other, *_ = bots
    ladder, tournament, match = {"ladder": contest}, {"tournament": contest}, {"match_id": match_id}
    return [
        ("BotService/UpdateBot", {"name": bot, "description": "mine"}),
        ("BotService/UpdateBot", {"name": bot, "consent": bot_pb2.Consent(scope=bot_pb2.CONSENT_SCOPE_ANYONE)}),
        ("BotService/ReinstateBot", {"name": bot}),
        ("BotService/RegisterVersion", {"bot": bot, "version": "9"}),
        ("BotService/ListBotLogEntries", {"bot": bot}),
        ("BotService/ListBotTokens", {"bot": bot}),
        ("BotService/CreateBotToken", {"bot": bot}),
        ("BotService/RevokeBotToken", {"bot": bot, "token_id": token_id}),
        ("MatchService/CreateMatch", {"terms": match_terms(), "request_id": "r", "ladder": contest}),
        ("MatchService/AbortMatch", match | {"request_id": "a"}),
        ("MatchService/Resign", match | {"request_id": "b", "seat": 0}),
        ("MatchService/SubmitMove", match | {"request_id": "c", "turn_token": "0.0.1"}),
        ("MatchService/WithdrawBot", match | {"request_id": "f", "bot": bot}),
        ("LadderService/LeaveLadder", ladder | {"entrant": bot}),
        ("LadderService/Challenge", ladder | {"request_id": "d", "entrants": [bot, other]}),
        ("LadderService/StartSeason", ladder | {"request_id": "e"}),
        ("LadderService/PauseLadder", ladder),
        ("LadderService/ResumeLadder", ladder),
        ("LadderService/CloseLadder", ladder),
        ("LadderService/CorrectLadderMatch", ladder | CORRECTION),
        ("TournamentService/WithdrawEntrant", tournament | {"entrant": bot}),
        ("TournamentService/RequestBye", tournament | {"entrant": bot, "round": 1, "kind": 1}),
        ("TournamentService/StartTournament", {"name": contest}),
        ("TournamentService/CancelTournament", {"name": contest}),
        ("TournamentService/PairRound", tournament | {"message": "mine"}),
        ("TournamentService/PostponePairing", tournament | {"pairing_id": "1", "until": LATER, "message": "mine"}),
        ("TournamentService/ReopenPairing", tournament | {"pairing_id": "1", "message": "mine"}),
        ("TournamentService/CorrectTournamentMatch", tournament | CORRECTION),
        ("TournamentService/DeclareAbsent", tournament | {"pairing_id": "1", "entrants": [bot], "message": "mine"}),
    ]


@pytest.fixture
def organiser(server: ServerProcess) -> Iterator[Organiser]:
    """An organiser of a ladder and a tournament, in which the first two of its three bots are."""
    with server.channel() as channel, new_organiser(server, channel, f"organiser-{next(NUMBERS)}", 3) as organiser:
        create_ladder(organiser)
        create_tournament(organiser, entrants=entrants_of(organiser)[:2])
        for seat in (0, 1):
            organiser.call_as_bot(seat, "LadderService/JoinLadder", ladder=organiser.name)
        yield organiser


@pytest.fixture
def author(organiser: Organiser) -> Organiser:
    """An author with one bot."""
    name = f"author-{next(NUMBERS)}"
    return Organiser(organiser.server, organiser.channel, name, 1, organiser.create_token("author", name))


@pytest.mark.parametrize("caller", ["author", "organiser", "bot"])
def test_nobody_acts_for_others(organiser: Organiser, author: Organiser, caller: str) -> None:
    match_id = organiser.create_match(seating=(0, 1))
    for connection in [organiser.connection(seat) for seat in (0, 1)]:
        connection.receive("match_started")
    (token,) = organiser.call("BotService/ListBotTokens", bot=organiser.bots[0]).tokens
    calls = calls_for_others(organiser.bots, organiser.name, match_id, token.id)
    calls += [(method, {}) for method in METHODS if method.startswith("AdminService/")]
    if caller == "bot":
        entrant = {"bots": [{"bot": organiser.bots[0]}]}
        calls += [
            ("LadderService/JoinLadder", {"ladder": organiser.name, "entrant": entrant}),
            ("TournamentService/EnterTournament", {"tournament": organiser.name, "entrant": entrant}),
        ]
    with new_organiser(organiser.server, organiser.channel, f"{organiser.name}-other", 1) as other:
        secret = {"author": author.token, "organiser": other.token, "bot": organiser.secrets[2]}[caller]
        for method, fields in calls:
            error = assert_refused("NOT_YOURS", call_method, organiser.channel, method, secret, **fields)
            assert error.metadata["method"] == method.rpartition("/")[2]
            assert "; use " in error.sentence


def test_an_author_manages_its_bots_up_to_their_number(author: Organiser) -> None:
    (name,) = author.bots
    bot = {"bot": name}
    assert author.call("BotService/GetBot", name=name).bot.owner == author.name
    assert author.call("BotService/UpdateBot", name=name, description="new").bot.description == "new"
    author.call("BotService/RegisterVersion", version="2", **bot)
    made = author.call("BotService/CreateBotToken", **bot)
    assert author.call("BotService/RevokeBotToken", token_id=made.token.id, **bot).token.revoked
    assert len(author.call("BotService/ListBotTokens", **bot).tokens) == 2
    assert not author.call("BotService/ListBotLogEntries", **bot).entries
    assert reason_of(author.call, "BotService/ReinstateBot", name=name) == "BOT_NOT_PAUSED"
    more = [
        reason_of(author.call, "BotService/RegisterBot", request_id=f"{number}", name=f"{name}-{number}")
        for number in range(MAX_BOTS)
    ]
    assert more == ["", "TOO_MANY_NAMES"]


def test_an_author_and_a_bot_enter_contests_and_withdraw(organiser: Organiser, author: Organiser) -> None:
    (bot,), ladder, tournament = author.bots, {"ladder": organiser.name}, {"tournament": organiser.name}
    entrant = {"bots": [{"bot": bot}]}
    author.call("LadderService/JoinLadder", **ladder, entrant=entrant)
    challenge = {"request_id": "c", "entrants": [bot, organiser.bots[0]]}
    assert author.call("LadderService/Challenge", **ladder, **challenge).pairing.id
    author.call("LadderService/LeaveLadder", **ladder, entrant=bot)
    author.call("TournamentService/EnterTournament", **tournament, entrant=entrant)
    organiser.call_as_bot(2, "TournamentService/EnterTournament", **tournament)
    organiser.call_as_bot(2, "TournamentService/WithdrawEntrant", **tournament)
    left = author.call("TournamentService/WithdrawEntrant", **tournament, entrant=bot).tournament
    assert [entrant.name for entrant in left.entrants] == organiser.bots[:2]


def test_an_author_creates_unrated_matches_and_joins_others_with_its_own_bots_only(
    organiser: Organiser, author: Organiser
) -> None:
    own, abort, join = {"bot": author.bots[0]}, "MatchService/AbortMatch", "MatchService/JoinMatch"
    match_id = author.call("MatchService/CreateMatch", **author.match_request() | {"seats": [own, {}]}).match.id
    assert reason_of(organiser.call, abort, match_id=match_id, request_id="a") == "NOT_YOURS"
    assert author.call(abort, match_id=match_id, request_id="a").HasField("result")
    open_match = organiser.call("MatchService/CreateMatch", **organiser.match_request() | {"seats": [{}, {}]}).match.id
    assert reason_of(author.call, join, match_id=open_match, bot={"bot": organiser.bots[0]}) == "NOT_YOURS"
    assert author.call(join, match_id=open_match, bot=own).seat == 0


def test_an_author_creates_no_contests_and_manages_none_by_the_name_of_an_organiser(
    organiser: Organiser, author: Organiser
) -> None:
    assert reason_of(create_ladder, author) == reason_of(create_tournament, author, **ROUND_ROBIN) == "NOT_YOURS"
    token = organiser.create_token("author", organiser.name)
    close = partial(call_method, organiser.channel, "LadderService/CloseLadder", token)
    assert reason_of(close, ladder=organiser.name) == "NOT_YOURS"
