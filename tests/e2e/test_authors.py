"""An author owns bots and plays with them, within limits of its own, and can do nothing that an organiser can."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Any

import grpc
import pytest

from tests.e2e.call_errors import parse_error
from tests.e2e.organiser import Organiser, call_method
from tests.e2e.server import ServerProcess, run_server

pytestmark = pytest.mark.slow

NUMBERS = count(1)
MATCH_TERMS = {"rules": {"game": "alquerque"}, "time_control": {"rule": {"sudden_death": {"main_ms": 3_600_000}}}}
LADDER_TERMS = {"match_terms": [MATCH_TERMS]}
TOURNAMENT_TERMS = {"match_terms": MATCH_TERMS, "round_robin": {}}


class Author:
    """The token of an author, and one bot that it has registered."""

    def __init__(self, organiser: Organiser) -> None:
        self._channel = organiser.channel
        self.name = f"author-{next(NUMBERS)}"
        request = {"role": "ROLE_AUTHOR", "holder": self.name}
        self.token = organiser.call_as_admin("AdminService/CreateToken", **request).secret
        self.bot = f"{self.name}-bot"
        self.bot_token = self.register(self.bot).secret

    def call(self, method: str, **fields: Any) -> Any:
        return call_method(self._channel, method, self.token, **fields)

    def call_as_bot(self, method: str, **fields: Any) -> Any:
        return call_method(self._channel, method, self.bot_token, **fields)

    def register(self, name: str) -> Any:
        return self.call("BotService/RegisterBot", request_id=name, name=name)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with run_server(tmp_path_factory.mktemp("server"), "--ephemeral", "--max-bots-per-author", "2") as running:
        yield running


@pytest.fixture
def author(organiser: Organiser) -> Author:
    return Author(organiser)


def test_an_author_manages_its_bots(author: Author) -> None:
    bot = {"bot": author.bot}
    assert author.call("BotService/GetBot", name=author.bot).bot.owner == author.name
    assert author.call("BotService/UpdateBot", name=author.bot, description="new").bot.description == "new"
    author.call("BotService/RegisterVersion", version="2", **bot)
    made = author.call("BotService/CreateBotToken", **bot)
    assert author.call("BotService/RevokeBotToken", token_id=made.token.id, **bot).token.revoked
    assert len(author.call("BotService/ListBotTokens", **bot).tokens) == 2
    assert not author.call("BotService/ListBotLogEntries", **bot).entries
    assert reason_of(lambda: author.call("BotService/ReinstateBot", name=author.bot)) == "BOT_NOT_PAUSED"


def test_an_author_over_its_number_of_bots_is_refused(author: Author) -> None:
    author.register(f"{author.bot}-2")
    assert reason_of(lambda: author.register(f"{author.bot}-3")) == "TOO_MANY_NAMES"


def test_an_author_enters_its_bot_in_contests_and_withdraws_it(organiser: Organiser, author: Author) -> None:
    ladder, tournament = f"ladder-of-{organiser.name}", f"cup-of-{organiser.name}"
    organiser.call("LadderService/CreateLadder", request_id="l", name=ladder, terms=LADDER_TERMS)
    organiser.call("TournamentService/CreateTournament", request_id="t", name=tournament, terms=TOURNAMENT_TERMS)
    entrant = {"bots": [{"bot": author.bot}]}
    author.call("LadderService/JoinLadder", ladder=ladder, entrant=entrant)
    organiser.call("LadderService/JoinLadder", ladder=ladder, entrant={"bots": [{"bot": organiser.bots[0]}]})
    challenge = {"request_id": "c", "ladder": ladder, "entrants": [author.bot, organiser.bots[0]]}
    assert author.call("LadderService/Challenge", **challenge).pairing.id
    author.call("LadderService/LeaveLadder", ladder=ladder, entrant=author.bot)
    author.call("TournamentService/EnterTournament", tournament=tournament, entrant=entrant)
    author.call("TournamentService/WithdrawEntrant", tournament=tournament, entrant=author.bot)


def test_an_author_creates_unrated_matches_and_aborts_them(organiser: Organiser, author: Author) -> None:
    request = organiser.match_request() | {"seats": [{"bot": author.bot}, {}]}
    match_id = author.call("MatchService/CreateMatch", **request).match.id
    abort = {"match_id": match_id, "request_id": "a"}
    assert reason_of(lambda: organiser.call("MatchService/AbortMatch", **abort)) == "NOT_YOURS"
    assert author.call("MatchService/AbortMatch", **abort).HasField("result")


def test_an_author_joins_matches_with_its_own_bots_only(organiser: Organiser, author: Author) -> None:
    request = organiser.match_request() | {"seats": [{}, {}]}
    match_id = organiser.call("MatchService/CreateMatch", **request).match.id
    other = {"match_id": match_id, "seat": 0, "bot": {"bot": organiser.bots[0]}}
    assert reason_of(lambda: author.call("MatchService/JoinMatch", **other)) == "NOT_YOURS"
    assert author.call("MatchService/JoinMatch", match_id=match_id, seat=0, bot={"bot": author.bot}).seat == 0


def test_an_author_is_not_an_organiser(organiser: Organiser, author: Author) -> None:
    ladder = f"own-ladder-of-{organiser.name}"
    organiser.call("LadderService/CreateLadder", request_id="l", name=ladder, terms=LADDER_TERMS)
    foreign = {"bot": organiser.bots[0]}
    for method, fields in (
        ("LadderService/CreateLadder", {"request_id": "l", "name": "mine", "terms": LADDER_TERMS}),
        ("TournamentService/CreateTournament", {"request_id": "t", "name": "mine", "terms": TOURNAMENT_TERMS}),
        ("LadderService/CloseLadder", {"ladder": ladder}),
        ("MatchService/CreateMatch", organiser.match_request() | {"ladder": ladder}),
        ("BotService/ListBotLogEntries", foreign),
        ("BotService/CreateBotToken", foreign),
        ("BotService/ListBotTokens", foreign),
        ("BotService/UpdateBot", {"name": organiser.bots[0], "description": "mine"}),
        ("AdminService/ListTokens", {}),
        ("AdminService/CreateToken", {"role": "ROLE_AUTHOR", "holder": "eve"}),
    ):
        assert reason_of(partial(author.call, method, **fields)) == "NOT_YOURS", method


def test_an_author_with_the_name_of_an_organiser_does_not_manage_its_contests(organiser: Organiser) -> None:
    ladder = f"ladder-of-{organiser.name}"
    organiser.call("LadderService/CreateLadder", request_id="l", name=ladder, terms=LADDER_TERMS)
    request = {"role": "ROLE_AUTHOR", "holder": organiser.name}
    token = organiser.call_as_admin("AdminService/CreateToken", **request).secret
    close = {"ladder": ladder}
    assert reason_of(lambda: call_method(organiser.channel, "LadderService/CloseLadder", token, **close)) == "NOT_YOURS"


def reason_of(call: Callable[[], Any]) -> str:
    """Return the reason of the error of a call."""
    with pytest.raises(grpc.RpcError) as raised:
        call()
    return parse_error(raised.value).reason
