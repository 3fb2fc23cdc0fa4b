"""A bot as its owner sees it: state, contests, tokens, and the way to its log and its losses on time."""

import asyncio
from collections.abc import Sequence

from referee_api.v1 import (
    bot_pb2,
    bot_service_pb2,
    contest_pb2,
    ladder_pb2,
    ladder_service_pb2,
    match_pb2,
    match_service_pb2,
    token_pb2,
    tournament_pb2,
    tournament_service_pb2,
)

from referee.show.markup import Markup, joined, tag
from referee.show.table import Table
from referee.site.account.account_action import action_form, page_address
from referee.site.account.account_actions import (
    CREATE_TOKEN,
    ENTER,
    JOIN,
    LEAVE,
    REINSTATE,
    REQUEST_BYE,
    REVOKE_TOKEN,
    WITHDRAW,
    WITHDRAW_FROM_MATCH,
)
from referee.site.account.account_page import bot_state
from referee.site.account.account_session import Account
from referee.site.account.clock_charges import lost_matches, lost_table
from referee.site.layout import heading, match_title, moment, nothing, section
from referee.site.live_pages import Page
from referee.site.tournament_page import PHASES

PAGE_SIZE = 200
"""Contests of each kind that are listed, the newest first."""
SHOWN_MATCHES = 50
"""Matches in play that are listed."""
ENDED = (tournament_pb2.TOURNAMENT_PHASE_FINISHED, tournament_pb2.TOURNAMENT_PHASE_CANCELLED)


async def own_bot_page(account: Account, name: str) -> Page:
    # The log comes first, since only the owner may read it, and only the owner is to see the rest.
    log = bot_service_pb2.ListBotLogEntriesRequest(bot=name, page_size=1)
    await account.call(log)
    bot, playing, contests, tokens, lost = await asyncio.gather(
        account.upstream.call(bot_service_pb2.GetBotRequest(name=name), bot_service_pb2.GetBotResponse),
        _playing(account, name),
        _contests(account, name),
        _tokens(account, name),
        lost_matches(account, name),
    )
    links = tag(
        "p",
        tag("a", "Private log", href=page_address("bots", name, "log")),
        " · ",
        tag("a", "Public page", href=f"/bots/{name}"),
    )
    return Page(
        name,
        joined(
            heading("Your bot", name, _facts(bot.bot)),
            links,
            _reinstatement(bot.bot),
            section("In play", playing),
            section("Lost on time", lost_table(name, lost)),
            contests,
            tokens,
        ),
    )


def _facts(bot: bot_pb2.Bot) -> Sequence[tuple[str, object]]:
    return (
        ("State", bot_state(bot)),
        ("Version", bot.latest_version),
        ("In play", bot.presence.matches_in_play),
        ("Sessions", len(bot.presence.sessions)),
        ("Changed", moment(bot.presence.change_time)),
        ("Owner", bot.owner),
    )


def _reinstatement(bot: bot_pb2.Bot) -> Markup:
    if not bot.HasField("pause"):
        return Markup("")
    since = tag("p", "Paused since ", moment(bot.pause.pause_time), f": {bot.pause.message}")
    if bot.pause.cause == bot_pb2.PAUSE_CAUSE_ADMIN:
        return section("Paused", since, nothing("An administrator paused it, and only an administrator can end that."))
    return section("Paused", since, action_form(REINSTATE, {"name": bot.name}))


async def _playing(account: Account, bot: str) -> Markup:
    request = match_service_pb2.ListMatchesRequest(
        bot=bot, phase=match_pb2.MATCH_PHASE_PLAYING, page_size=SHOWN_MATCHES
    )
    matches = (await account.upstream.call(request, match_service_pb2.ListMatchesResponse)).matches
    rows = [
        (
            tag("a", match_title(match), href=page_address("matches", match.id)),
            match.terms.rules.game,
            moment(match.start_time),
            _match_withdrawal(account, bot, match),
        )
        for match in matches
    ]
    return Table(("Match", "Game", "Began", "Action"), rows).to_html(empty="It plays no match at the moment.")


def _match_withdrawal(account: Account, bot: str, match: match_pb2.Match) -> Markup:
    """Return the form for a match that the referee lets a bot leave: unrated, of no contest, and asked by its owner."""
    if match.ladder or match.tournament or not account.session.owns_bots:
        return Markup("")
    return action_form(WITHDRAW_FROM_MATCH, {"bot": bot, "match_id": match.id}, title="Withdraw")


async def _contests(account: Account, bot: str) -> Markup:
    """Return the contests of the bot with the forms to leave them, and the forms to enter others."""
    tournaments, entry, playing, mine, ladders = await asyncio.gather(
        _tournaments(account, bot=bot),
        _tournaments(account, phase=tournament_pb2.TOURNAMENT_PHASE_ENTRY),
        _tournaments(account, phase=tournament_pb2.TOURNAMENT_PHASE_PLAYING),
        _ladders(account, bot),
        _ladders(account),
    )
    entered = {tournament.name for tournament in tournaments}
    open_tournaments = [
        tournament
        for tournament in (*entry, *playing)
        if tournament.name not in entered and _takes_single_bots(tournament.terms) and _is_open(tournament)
    ]
    open_ladders = [
        ladder
        for ladder in ladders
        if ladder.name not in {own.name for own in mine} and ladder.terms.partner_rule != contest_pb2.PARTNER_RULE_FIXED
    ]
    return joined(
        section(
            "Tournaments",
            _tournament_table(bot, tournaments),
            *(_bye_form(bot, tournament) for tournament in tournaments),
            action_form(
                ENTER, {"entrant": bot}, {"tournament": [(new.name, new.title or new.name) for new in open_tournaments]}
            )
            if open_tournaments
            else nothing("No other tournament is open for entries."),
        ),
        section(
            "Ladders",
            _ladder_table(bot, mine),
            action_form(JOIN, {"entrant": bot}, {"ladder": [(new.name, new.title or new.name) for new in open_ladders]})
            if open_ladders
            else nothing("There is no other open ladder."),
        ),
    )


def _takes_single_bots(terms: tournament_pb2.TournamentTerms) -> bool:
    is_single = not terms.boards and terms.partner_rule != contest_pb2.PARTNER_RULE_FIXED
    return is_single and not terms.HasField("qualification")


def _is_open(held: tournament_pb2.Tournament) -> bool:
    return held.phase == tournament_pb2.TOURNAMENT_PHASE_ENTRY or held.current_round <= held.terms.last_entry_round


async def _tournaments(
    account: Account,
    bot: str = "",
    phase: tournament_pb2.TournamentPhase.ValueType = tournament_pb2.TOURNAMENT_PHASE_UNSPECIFIED,
) -> Sequence[tournament_pb2.Tournament]:
    request = tournament_service_pb2.ListTournamentsRequest(bot=bot, phase=phase, page_size=PAGE_SIZE)
    return (await account.upstream.call(request, tournament_service_pb2.ListTournamentsResponse)).tournaments


async def _ladders(account: Account, bot: str = "") -> Sequence[ladder_pb2.Ladder]:
    request = ladder_service_pb2.ListLaddersRequest(bot=bot, page_size=PAGE_SIZE)
    return (await account.upstream.call(request, ladder_service_pb2.ListLaddersResponse)).ladders


def _tournament_table(bot: str, tournaments: Sequence[tournament_pb2.Tournament]) -> Markup:
    rows = [
        (
            tag("a", tournament.title or tournament.name, href=f"/tournaments/{tournament.name}"),
            PHASES.get(tournament.phase, ""),
            _withdrawal(bot, tournament),
        )
        for tournament in tournaments
    ]
    return Table(("Tournament", "State", "Action"), rows).to_html()


def _bye_form(bot: str, held: tournament_pb2.Tournament) -> Markup:
    """Return the form to request a bye in a round that is not paired; empty if there is none."""
    name = _entrant_name(bot, held)
    rounds = range(held.current_round + 1, held.terms.swiss.rounds + 1) if held.terms.max_requested_byes else ()
    if held.phase in ENDED or not name or name in held.withdrawn_entrants or not rounds:
        return Markup("")
    choices = {"round": [(str(number), str(number)) for number in rounds]}
    values = {"bot": bot, "tournament": held.name, "entrant": name}
    return action_form(REQUEST_BYE, values, choices, title=f"Request a bye in {held.title or held.name}")


def _entrant_name(bot: str, tournament: tournament_pb2.Tournament) -> str:
    """Return the entrant to which a bot belongs; empty: none."""
    return next((entrant.name for entrant in tournament.entrants if bot in {ref.bot for ref in entrant.bots}), "")


def _withdrawal(bot: str, tournament: tournament_pb2.Tournament) -> Markup:
    name = _entrant_name(bot, tournament)
    if tournament.phase in ENDED or not name:
        return Markup("")
    if name in tournament.withdrawn_entrants:
        return tag("span", "withdrawn", class_="soft")
    values = {"bot": bot, "tournament": tournament.name, "entrant": name, "message": ""}
    return action_form(WITHDRAW, values, title="Withdraw")


def _ladder_table(bot: str, ladders: Sequence[ladder_pb2.Ladder]) -> Markup:
    rows = [
        (
            tag("a", ladder.title or ladder.name, href=f"/ladders/{ladder.name}"),
            "paused" if ladder.paused else "open",
            action_form(LEAVE, {"entrant": bot, "ladder": ladder.name}, title="Leave"),
        )
        for ladder in ladders
    ]
    return Table(("Ladder", "State", "Action"), rows).to_html()


async def _tokens(account: Account, bot: str) -> Markup:
    if not account.session.owns_bots:
        return Markup("")
    request = bot_service_pb2.ListBotTokensRequest(bot=bot)
    answer = await account.upstream.call(request, bot_service_pb2.ListBotTokensResponse)
    rows = [
        (
            joined(tag("code", token.id), tag("small", token.label, class_="block") if token.label else ""),
            moment(token.create_time),
            moment(token.last_use_time) or tag("span", "never", class_="soft"),
            moment(token.expire_time) or tag("span", "never", class_="soft"),
            _revocation(bot, token),
        )
        for token in answer.tokens
    ]
    listed = Table(("Token", "Created", "Last used", "Expires", "Action"), rows).to_html("tokens")
    return section("Tokens", listed, action_form(CREATE_TOKEN, {"bot": bot}))


def _revocation(bot: str, token: token_pb2.Token) -> Markup:
    if token.revoked:
        return tag("span", "revoked", class_="soft")
    return action_form(REVOKE_TOKEN, {"bot": bot, "token_id": token.id}, title="Revoke")
