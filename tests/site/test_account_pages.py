"""The pages behind a token, on a real server and a real site: who sees them, and that each button does what it says."""

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from typing import Any
from urllib.parse import quote

import pytest
from referee_api.v1 import match_pb2, play_pb2, result_pb2, token_pb2, tournament_pb2

from tests.e2e.contests import (
    call_for_tournament,
    create_ladder,
    create_tournament,
    entrants_of,
    join_ladder,
    start_tournament,
)
from tests.e2e.organiser import ONE_MS, Organiser, call_method, new_organiser
from tests.e2e.server import ServerProcess
from tests.e2e.test_corrections import LADDER, TOURNAMENT, decide_next, points, standings
from tests.site.account_site import PageAnswer, Visitor, signed_in

pytestmark = pytest.mark.slow

NUMBERS = count(1)
HOSTILE = "<script>alert(1)</script>&\"'"
ESCAPED = "&lt;script&gt;"
STARTED = "Done: Start the tournament."


@pytest.fixture
def organiser(server: ServerProcess) -> Iterator[Organiser]:
    with server.channel() as channel, new_organiser(server, channel, f"ada-{next(NUMBERS)}") as organiser:
        yield organiser


@pytest.fixture
def four(server: ServerProcess) -> Iterator[Organiser]:
    """Return an organiser of four bots."""
    with server.channel() as channel, new_organiser(server, channel, f"ada-{next(NUMBERS)}", 4) as organiser:
        yield organiser


@pytest.fixture
def visitor(site: str, organiser: Organiser) -> Visitor:
    """Return a visitor who has signed in as the organiser."""
    return signed_in(site, organiser.token)


def bot_page(organiser: Organiser, seat: int = 0) -> str:
    return f"/account/bots/{organiser.bots[seat]}"


def tournament_page(organiser: Organiser) -> str:
    return f"/account/tournaments/{organiser.name}"


def find_tournament(organiser: Organiser) -> Any:
    return organiser.call("TournamentService/GetTournament", name=organiser.name).tournament


def find_ladder(organiser: Organiser) -> Any:
    return organiser.call("LadderService/GetLadder", name=organiser.name).ladder


def find_match(organiser: Organiser, match_id: str) -> Any:
    return organiser.call("MatchService/GetMatch", match_id=match_id).match


def find_pairing(organiser: Organiser) -> Any:
    return call_for_tournament(organiser, "ListPairings").pairings[0]


def tokens_of(organiser: Organiser, bot: str) -> dict[str, Any]:
    return {token.id: token for token in organiser.call("BotService/ListBotTokens", bot=bot).tokens}


def lose_on_time(organiser: Organiser) -> str:
    """Let the first bot lose a match on time, and return its id."""
    match_id = organiser.start_match(rule=ONE_MS)
    organiser.connection(0).receive("match_ended")
    return match_id


# Signing in


def test_a_token_is_kept_in_a_cookie_that_only_these_pages_receive(site: str, organiser: Organiser) -> None:
    visitor = Visitor(site, organiser.token)
    answer = visitor.sign_in()
    assert (answer.status, answer.headers["location"]) == (303, "/account")
    (cookie,) = visitor.set_cookies
    parts = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert parts == {"httponly", "path=/account", "samesite=strict"}
    page = visitor.get("/account")
    assert organiser.name in page.body
    assert all(bot in page.body for bot in organiser.bots)
    assert page.headers["cache-control"] == "no-store"


def test_a_wrong_token_opens_nothing(site: str) -> None:
    visitor = Visitor(site, "rf_wrong")
    answer = visitor.sign_in()
    assert answer.status == 401
    assert "Invalid, expired or revoked token." in answer.body
    assert not visitor.cookies


@pytest.mark.parametrize("token", ["", " ", "a b", "ü", "x" * 3000])
def test_what_cannot_be_a_token_is_refused(site: str, token: str) -> None:
    visitor = Visitor(site, "not this one")
    answer = visitor.post("/account/session", {"token": token})
    assert (answer.status, visitor.cookies) == (401, {})


def test_a_spectator_has_no_account(site: str, organiser: Organiser) -> None:
    visitor = Visitor(site, organiser.create_token("spectator", "sam"))
    answer = visitor.sign_in()
    assert (answer.status, visitor.cookies) == (403, {})
    assert "spectator" in answer.body


def test_each_role_sees_what_it_can_do(site: str, organiser: Organiser) -> None:
    author = organiser.create_token("author", f"{organiser.name}-author")
    seen = {}
    for role, token in [
        ("organiser", organiser.token),
        ("author", author),
        ("bot", organiser.secrets[0]),
        ("administrator", organiser.server.admin_token),
    ]:
        visitor = signed_in(site, token)
        page = visitor.get("/account")
        assert role in page.body
        seen[role] = (page.has_form("create-invitation"), page.has_form("abort-match"))
    organises, creates, plays = (True, True), (False, True), (False, False)
    assert seen == {"organiser": organises, "author": creates, "bot": plays, "administrator": organises}


def test_signing_out_deletes_the_cookie(visitor: Visitor, organiser: Organiser) -> None:
    answer = visitor.follow(visitor.post("/account/end", {}))
    assert not visitor.cookies
    assert organiser.bots[0] not in answer.body
    assert visitor.get(bot_page(organiser)).status == 401


def test_a_visitor_whose_token_is_revoked_is_signed_out(visitor: Visitor, organiser: Organiser) -> None:
    (token,) = organiser.call_as_admin("AdminService/ListTokens", holder=organiser.name, page_size=1000).tokens[-1:]
    assert token.role == token_pb2.ROLE_ORGANISER
    organiser.call_as_admin("AdminService/RevokeToken", token_id=token.id)
    answer = visitor.get("/account")
    assert (answer.status, visitor.cookies) == (401, {})
    assert "Invalid, expired or revoked token." in answer.body


# Requests of other sites


def test_forms_of_other_sites_are_refused(visitor: Visitor, organiser: Organiser) -> None:
    create_tournament(organiser, entrants=entrants_of(organiser))
    form = visitor.form_of(tournament_page(organiser), "start-tournament")
    for path, fields in [
        (form.action, form.fields),
        ("/account/end", {}),
        ("/account/session", {"token": organiser.token}),
    ]:
        assert visitor.post(path, fields, origin="http://evil.example").status == 403
    assert visitor.cookies
    assert find_tournament(organiser).phase == tournament_pb2.TOURNAMENT_PHASE_ENTRY


def test_only_small_forms_are_read(visitor: Visitor) -> None:
    assert visitor.post("/account/end", {}, content_type="application/json").status == 415
    assert visitor.post("/account/end", {"a": "x" * 9000}).status == 413
    assert visitor.post("/account/end", {}, content_length="8193").status == 413
    assert visitor.post("/matches", {}).status == 405


# What is private


def test_others_see_nothing_private(site: str, visitor: Visitor, organiser: Organiser) -> None:
    match_id = lose_on_time(organiser)
    pages = [bot_page(organiser), f"{bot_page(organiser)}/log", f"{bot_page(organiser)}/matches/{match_id}"]
    create_tournament(organiser)
    create_ladder(organiser)
    contests = [tournament_page(organiser), f"/account/ladders/{organiser.name}"]
    assert [visitor.get(page).status for page in pages + contests] == [200] * 5
    with ExitStack() as stack:
        other = stack.enter_context(new_organiser(organiser.server, organiser.channel, f"eve-{next(NUMBERS)}"))
        spectator = organiser.create_token("spectator", "sam")
        for role, token in [("organiser", other.token), ("author", spectator), ("bot", organiser.secrets[1])]:
            stranger = Visitor(site, token)
            # The cookie says that the visitor is the owner.
            stranger.cookies["referee_account"] = f"{role}:{organiser.name}:{token}"
            for page in pages:
                answer = stranger.get(page)
                assert answer.status == 403
                assert "ran out" not in answer.body
        stranger = signed_in(site, other.token)
        assert [stranger.get(page).status for page in contests] == [403, 403]


def test_the_log_shows_rejected_moves_with_the_reason(visitor: Visitor, organiser: Organiser) -> None:
    match_id = organiser.start_match()
    organiser.connection(0).send_move(organiser.next_turn(), HOSTILE)
    organiser.connection(0).receive("verdict")
    organiser.disconnect_bots()
    log = f"{bot_page(organiser)}/log"
    page = visitor.get(log).body
    assert ESCAPED in page
    assert "<script>alert" not in page
    assert "MALFORMED_MOVE" in page
    assert f"/account/bots/{organiser.bots[0]}/matches/{match_id}" in page
    for query, is_listed in (({"match": match_id}, True), ({"match": "m" * 26}, False), ({"before": "1"}, False)):
        assert (ESCAPED in visitor.get(log, **query).body) == is_listed
    assert visitor.get(log, before="x").status == 400


@pytest.mark.parametrize("as_bot", [False, True])
def test_a_loss_on_time_is_explained(site: str, organiser: Organiser, as_bot: bool) -> None:
    match_id = lose_on_time(organiser)
    visitor = signed_in(site, organiser.secrets[0] if as_bot else organiser.token)
    page = visitor.get(bot_page(organiser))
    assert f"{bot_page(organiser)}/matches/{match_id}" in page.body
    explained = visitor.get(f"{bot_page(organiser)}/matches/{match_id}")
    assert "At move 1 the bot had 1 ms left. No answer had arrived when the flag fell" in explained.body
    assert 'class="charge late"' in explained.body
    assert f"{bot_page(organiser, 1)}/matches/{match_id}" not in visitor.get(bot_page(organiser, 1)).body


def test_a_match_in_play_is_explained_later(visitor: Visitor, organiser: Organiser) -> None:
    match_id = organiser.start_match()
    assert "not over yet" in visitor.get(f"{bot_page(organiser)}/matches/{match_id}").body
    with new_organiser(organiser.server, organiser.channel, f"eve-{next(NUMBERS)}") as other:
        seat = other.create_match()
        assert visitor.get(f"{bot_page(organiser)}/matches/{seat}").status == 404


# Bots


def test_a_paused_bot_is_reinstated(visitor: Visitor, organiser: Organiser) -> None:
    while True:
        organiser.create_match(rule=ONE_MS)
        organiser.connection(1)
        if organiser.connection(0).receive("notice").kind == play_pb2.NOTICE_KIND_PAUSED:
            break
    assert "Reinstate the bot" in visitor.get(bot_page(organiser)).body
    page = visitor.do(bot_page(organiser), "reinstate-bot")
    assert "Done: Reinstate the bot." in page.body
    assert not organiser.call("BotService/GetBot", name=organiser.bots[0]).bot.HasField("pause")


def test_a_bot_enters_a_tournament_and_withdraws(visitor: Visitor, organiser: Organiser) -> None:
    create_tournament(organiser, title=HOSTILE)
    page = visitor.do(bot_page(organiser), "enter-tournament", tournament=organiser.name)
    assert "Done: Enter the tournament." in page.body
    assert ESCAPED in page.body
    assert "<script>alert" not in page.body
    assert [entrant.name for entrant in find_tournament(organiser).entrants] == [organiser.bots[0]]
    page = visitor.do(bot_page(organiser), "withdraw-bot", {"tournament": organiser.name})
    assert "Done: Withdraw from the tournament." in page.body
    assert not find_tournament(organiser).entrants


def test_a_secret_is_shown_once_and_created_once(visitor: Visitor, organiser: Organiser) -> None:
    bot = organiser.bots[0]
    before = tokens_of(organiser, bot)
    form = visitor.form_of(bot_page(organiser), "create-token", label=HOSTILE, expire_time="3")
    assert tokens_of(organiser, bot).keys() == before.keys()
    secret = secret_of(visitor.submit(form))
    (made,) = [token for token_id, token in tokens_of(organiser, bot).items() if token_id not in before]
    assert (made.expire_time.seconds - made.create_time.seconds) // 60 in range(3 * 24 * 60 - 5, 3 * 24 * 60 + 1)
    assert call_method(organiser.channel, "MatchService/ListTurns", secret) is not None
    assert_shown_before(visitor.submit(form), secret)
    assert len(tokens_of(organiser, bot)) == len(before) + 1
    listed = visitor.get(bot_page(organiser)).body
    assert secret not in listed
    assert ESCAPED in listed
    visitor.do(bot_page(organiser), "revoke-token", {"token_id": made.id})
    assert tokens_of(organiser, bot)[made.id].revoked


def assert_shown_before(page: PageAnswer, secret: str) -> None:
    assert "was shown then" in page.body
    assert secret not in page.body


def test_a_bot_is_registered_once_and_its_secret_is_shown_once(visitor: Visitor, organiser: Organiser) -> None:
    bot = f"{organiser.name}-new"
    form = visitor.form_of("/account", "register-bot", name=bot, description=HOSTILE)
    assert bot not in visitor.get("/account").body
    secret = secret_of(visitor.submit(form))
    assert_shown_before(visitor.submit(form), secret)
    assert len(tokens_of(organiser, bot)) == 1
    assert call_method(organiser.channel, "TokenService/GetOwnToken", secret).token.bot == bot
    assert organiser.call("BotService/GetBot", name=bot).bot.description == HOSTILE
    for name, status in ((bot, 409), ("Not A Name", 400)):
        assert visitor.submit(visitor.form_of("/account", "register-bot", name=name)).status == status


def test_a_bot_is_withdrawn_from_a_match_by_its_owner(visitor: Visitor, site: str, organiser: Organiser) -> None:
    match_id = organiser.start_match()
    own = signed_in(site, organiser.secrets[0])
    assert not own.get(bot_page(organiser)).has_form("withdraw-from-match")
    visitor.do(bot_page(organiser), "withdraw-from-match", {"match_id": match_id})
    match = find_match(organiser, match_id)
    assert [(forfeit.seat, forfeit.cause) for forfeit in match.result.forfeited.forfeits] == [
        (0, result_pb2.FORFEIT_CAUSE_WITHDRAWN)
    ]


def test_a_bye_is_requested_and_taken_back(site: str, four: Organiser) -> None:
    organiser, visitor = four, signed_in(site, four.token)
    create_tournament(organiser, entrants=entrants_of(organiser), swiss={"rounds": 3}, max_requested_byes=1)
    fields = {"round": "2", "kind": "BYE_KIND_HALF_POINT"}
    confirmation = visitor.submit(visitor.get(bot_page(organiser)).form("request-bye"), **fields)
    assert "requests this bye in round 2 of the tournament" in confirmation.body
    assert ": half point." in confirmation.body
    assert not find_tournament(organiser).requested_byes
    visitor.follow(visitor.submit(confirmation.form("request-bye")))
    (bye,) = find_tournament(organiser).requested_byes
    assert (bye.entrant, bye.round, bye.kind) == (organiser.bots[0], 2, tournament_pb2.BYE_KIND_HALF_POINT)
    visitor.do(bot_page(organiser), "request-bye", round="2", kind="BYE_KIND_NONE")
    assert not find_tournament(organiser).requested_byes


def secret_of(page: PageAnswer) -> str:
    before, found, after = page.body.partition('class="secret"><code>')
    assert found, before
    return after.partition("<")[0]


# Tournaments


def test_a_tournament_starts_after_a_confirmation_only(visitor: Visitor, organiser: Organiser) -> None:
    create_tournament(organiser, entrants=entrants_of(organiser))
    page = visitor.get(tournament_page(organiser))
    confirmation = visitor.submit(page.form("start-tournament"))
    assert f"The tournament {organiser.name} starts" in confirmation.body
    assert "2 entrants" in confirmation.body
    assert find_tournament(organiser).phase == tournament_pb2.TOURNAMENT_PHASE_ENTRY
    form = confirmation.form("start-tournament")
    without_id = {name: text for name, text in form.fields.items() if name != "request_id"}
    assert visitor.post(form.action, without_id).status == 400
    assert find_tournament(organiser).phase == tournament_pb2.TOURNAMENT_PHASE_ENTRY
    done = visitor.follow(visitor.submit(form))
    assert STARTED in done.body
    assert find_tournament(organiser).phase == tournament_pb2.TOURNAMENT_PHASE_PLAYING
    assert STARTED not in visitor.get(tournament_page(organiser)).body
    assert visitor.submit(form).status == 303


def test_what_was_done_before_is_said(visitor: Visitor, organiser: Organiser) -> None:
    create_tournament(organiser, entrants=entrants_of(organiser))
    form = visitor.form_of(tournament_page(organiser), "withdraw-entrant", entrant=organiser.bots[1])
    assert "Done: Withdraw an entrant." in visitor.follow(visitor.submit(form)).body
    assert "It was done already." in visitor.follow(visitor.submit(form)).body
    assert [entrant.name for entrant in find_tournament(organiser).entrants] == [organiser.bots[0]]


def test_a_pairing_is_postponed_and_then_lost_by_absence(visitor: Visitor, organiser: Organiser) -> None:
    start_tournament(organiser, round_robin={}, no_show_ms=0)
    page = f"{tournament_page(organiser)}/pairings/{quote(find_pairing(organiser).id)}"
    answer = visitor.do(page, "postpone-pairing", until="2040-02-03T04:05", message=HOSTILE)
    assert "Done: Postpone the pairing." in answer.body
    assert find_pairing(organiser).not_before.ToJsonString() == "2040-02-03T04:05:00Z"
    answer = visitor.do(page, "declare-absent", entrants=organiser.bots[1], message="ill")
    assert "Done: Declare absent." in answer.body
    assert list(find_pairing(organiser).absent_entrants) == [organiser.bots[1]]


def test_a_round_is_paired_by_hand(site: str, four: Organiser) -> None:
    visitor = signed_in(site, four.token)
    start_tournament(four, swiss={"rounds": 3})
    anna, bert, cleo, dora = four.bots
    for wanted in ([[anna, bert], [cleo, dora]], [[dora, anna], [bert, cleo]]):
        pairings = ", ".join(map(" ".join, wanted))
        page = visitor.do(tournament_page(four), "pair-round", pairings=pairings, message="a wish")
        assert f"{wanted[0][0]} – {wanted[0][1]}" in page.body
        made = call_for_tournament(four, "ListPairings").pairings
        assert [list(pairing.entrants) for pairing in made] == wanted


def test_results_of_a_tournament_are_struck_corrected_and_restored(visitor: Visitor, organiser: Organiser) -> None:
    start_tournament(organiser, round_robin={"cycles": 2}, max_concurrent_matches=1)
    done: list[str] = []
    first = decide_next(organiser, TOURNAMENT, done)
    (pairing,) = [pair for pair in call_for_tournament(organiser, "ListPairings").pairings if first in pair.match_ids]
    page = f"{tournament_page(organiser)}/pairings/{quote(pairing.id)}"
    played = points(organiser)
    confirmation = visitor.submit(visitor.get(page).form("strike-tournament-match"), message=HOSTILE)
    assert all(bot in confirmation.body for bot in organiser.bots)
    assert ESCAPED in confirmation.body
    assert points(organiser) == played
    form = confirmation.form("strike-tournament-match")
    visitor.follow(visitor.submit(form))
    assert set(points(organiser).values()) == {0.0}
    visitor.follow(visitor.submit(form))
    assert len(find_corrections(organiser)) == 1
    visitor.do(page, "correct-tournament-match", ranks="1,1", message="a draw")
    assert set(points(organiser).values()) == {0.5}
    visitor.do(page, "restore-tournament-match", message="as it was")
    assert points(organiser) == played
    assert visitor.submit(form).status == 303
    assert points(organiser) == played  # An old form that is sent again does nothing.
    visitor.do(page, "reopen-pairing", message="again")
    again = call_for_tournament(organiser, "ListPairings").pairings
    assert [list(listed.points) for listed in again if listed.id == pairing.id] == [[]]


def find_corrections(organiser: Organiser) -> list[Any]:
    return [fix for pairing in call_for_tournament(organiser, "ListPairings").pairings for fix in pairing.corrections]


# Ladders, matches and invitations


def test_a_ladder_is_paused_resumed_and_corrected(visitor: Visitor, organiser: Organiser) -> None:
    create_ladder(organiser)
    join_ladder(organiser, 0, 1)
    page = f"/account/ladders/{organiser.name}"
    decide_next(organiser, LADDER, [])
    visitor.do(page, "pause-ladder", message="a break")
    assert find_ladder(organiser).paused
    visitor.do(page, "resume-ladder")
    assert not find_ladder(organiser).paused
    played = standings(organiser)
    visitor.do(page, "strike-ladder-match", message=HOSTILE)
    assert {row[2] for row in standings(organiser)} == {0}
    visitor.do(page, "restore-ladder-match", message="as it was")
    assert standings(organiser) == played
    visitor.do(page, "correct-ladder-match", ranks="2,1", message="the other one")
    assert standings(organiser) != played


def test_a_ladder_starts_a_season_once_and_is_closed(visitor: Visitor, organiser: Organiser) -> None:
    create_ladder(organiser)
    page = f"/account/ladders/{organiser.name}"
    form = visitor.form_of(page, "start-season")
    for _ in range(2):
        visitor.follow(visitor.submit(form))
    assert find_ladder(organiser).season == 2
    visitor.do(page, "close-ladder", message="the end")
    assert find_ladder(organiser).closed
    assert not visitor.get(page).has_form("close-ladder")


def test_an_administrator_voids_a_match(visitor: Visitor, site: str, organiser: Organiser) -> None:
    match_id = organiser.start_match()
    assert not visitor.get("/account").has_form("void-match")
    forged = visitor.get("/account/actions/void-match", match_id=match_id, message="mine").form("void-match")
    assert visitor.submit(forged).status == 403
    admin = signed_in(site, organiser.server.admin_token)
    admin.do("/account", "void-match", match_id=match_id, message=HOSTILE)
    match = find_match(organiser, match_id)
    assert (match.phase, match.result.voided.message) == (match_pb2.MATCH_PHASE_OVER, HOSTILE)


def test_an_invitation_is_created_once_and_revoked(visitor: Visitor, organiser: Organiser) -> None:
    form = visitor.form_of("/account", "create-invitation", max_uses="2", label=HOSTILE)
    assert not organiser.call("InvitationService/ListInvitations").invitations
    code = secret_of(visitor.submit(form))
    assert "was shown then" in visitor.submit(form).body
    (made,) = organiser.call("InvitationService/ListInvitations").invitations
    assert (made.max_uses, made.label) == (2, HOSTILE)
    holder = f"{organiser.name}-guest"
    fields = {"code": code, "holder": holder, "request_id": "r"}
    redeemed = call_method(organiser.channel, "InvitationService/RedeemInvitation", None, **fields)
    signed_in(visitor.site, redeemed.secret)
    page = visitor.do("/account", "revoke-invitation", {"invitation_id": made.id})
    assert ESCAPED not in page.body
    assert not organiser.call("InvitationService/ListInvitations").invitations


@pytest.mark.parametrize(
    ("action", "fields"),
    [
        ("no-such-action", {}),
        ("abort-match", {}),
        ("abort-match", {"match_id": "m" * 65}),
        ("abort-match", {"match_id": "m", "other": "x"}),
        ("postpone-pairing", {"tournament": "t", "pairing_id": "1.1", "until": "tomorrow", "message": "m"}),
        ("request-bye", {"bot": "b", "tournament": "t", "entrant": "b", "round": "1", "kind": "BYE_KIND_X"}),
        ("pair-round", {"tournament": "t", "round": "x", "pairings": "a b", "message": "m"}),
        ("create-invitation", {"max_uses": "0", "expire_time": "1"}),
        ("create-invitation", {"max_uses": "1", "expire_time": "367"}),
        ("correct-ladder-match", {"ladder": "l", "match_id": "m", "ranks": "1,x", "message": "m"}),
    ],
)
def test_malformed_forms_are_refused_with_a_sentence(visitor: Visitor, action: str, fields: dict[str, str]) -> None:
    asked = visitor.get(f"/account/actions/{action}", **fields)
    done = visitor.post(f"/account/actions/{action}", {**fields, "request_id": "1-abc"})
    assert {asked.status, done.status} <= {400, 404}
    assert "<h1>" in asked.body
    assert asked.headers["cache-control"] == done.headers["cache-control"] == "no-store"
