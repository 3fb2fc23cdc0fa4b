"""Tournaments and ladders as their organiser sees them: what can be changed, and the forms for it."""

from collections.abc import Sequence
from http import HTTPStatus

from referee_api.v1 import contest_pb2, match_pb2, match_service_pb2, tournament_pb2, tournament_service_pb2

from referee.show.markup import Markup, joined, tag
from referee.show.table import Table
from referee.show.words import format_text, pairing_result, result_text
from referee.site.account.account_action import Action, Choices, Values, action_form, find_pairing, page_address
from referee.site.account.account_actions import (
    ABSENT,
    CANCEL,
    CLOSE,
    LADDER_CORRECTIONS,
    PAIR_ROUND,
    PAUSE,
    POSTPONE,
    REMOVE,
    REOPEN,
    RESUME,
    START,
    START_SEASON,
    TOURNAMENT_CORRECTIONS,
)
from referee.site.account.account_session import Account
from referee.site.correction_marks import ladder_corrections
from referee.site.layout import heading, match_title, moment, nothing, pages_links, section
from referee.site.live_pages import Page
from referee.site.tournament_page import PHASES
from referee.site.upstream import UpstreamError

PAIRINGS = 100
"""Pairings on a page."""
MATCHES = 50
ENTRY, PLAYING = tournament_pb2.TOURNAMENT_PHASE_ENTRY, tournament_pb2.TOURNAMENT_PHASE_PLAYING

FormRow = tuple[Action, Values, Choices]


def _require_own(account: Account, organiser: str, name: str) -> None:
    """Raises UpstreamError if the contest belongs to another; the referee would refuse each change anyway."""
    if not account.session.may_manage(organiser):
        raise UpstreamError(HTTPStatus.FORBIDDEN, "NOT_YOURS", f"{name} is organised by {organiser}")


async def own_tournament_page(account: Account, name: str, page_token: str) -> Page:
    tournament = await account.upstream.find_tournament(name)
    _require_own(account, tournament.organiser, name)
    title = tournament.title or name
    facts = (
        ("State", PHASES.get(tournament.phase, "")),
        ("Format", format_text(tournament.terms)),
        ("Entrants", len(tournament.entrants)),
        ("Pairings done", tournament.completed_pairings),
        ("Began", moment(tournament.start_time)),
    )
    pairings = Markup("") if tournament.phase == ENTRY else await _pairings(account, name, page_token)
    link = tag("p", tag("a", "Public page", href=f"/tournaments/{name}"))
    return Page(title, joined(heading("Your tournament", title, facts), link, _tournament_forms(tournament), pairings))


def _tournament_forms(tournament: tournament_pb2.Tournament) -> Markup:
    name, values = {"name": tournament.name}, {"tournament": tournament.name}
    names = [entrant.name for entrant in tournament.entrants if entrant.name not in tournament.withdrawn_entrants]
    rows: list[FormRow] = [(START, name, {})] if tournament.phase == ENTRY else []
    if tournament.phase in (ENTRY, PLAYING):
        rows += [(REMOVE, values, {"entrant": _choices(names)})] if names else []
        rows.append((CANCEL, name, {}))
    if tournament.phase == PLAYING and tournament.terms.HasField("swiss"):
        rows.append((PAIR_ROUND, {**values, "round": str(tournament.current_round)}, {}))
    return _forms(rows)


def _forms(forms: Sequence[FormRow]) -> Markup:
    listed = [action_form(action, values, choices) for action, values, choices in forms]
    return section("Change", *listed) if listed else Markup("")


def _choices(names: Sequence[str]) -> list[tuple[str, str]]:
    return [(name, name) for name in names]


async def _pairings(account: Account, name: str, page_token: str) -> Markup:
    request = tournament_service_pb2.ListPairingsRequest(tournament=name, page_size=PAIRINGS, page_token=page_token)
    answer = await account.upstream.call(request, tournament_service_pb2.ListPairingsResponse)
    rows = [
        (
            f"{pairing.round}.{pairing.board}",
            tag("a", " – ".join(pairing.entrants), href=page_address("tournaments", name, "pairings", pairing.id)),
            _state(pairing),
        )
        for pairing in answer.pairings
    ]
    more = pages_links(page_address("tournaments", name), answer.next_page_token)
    return section("Pairings", Table(("Board", "Pairing", "State"), rows).to_html(), more) if rows else Markup("")


def _state(pairing: contest_pb2.Pairing) -> Markup:
    later = joined(", not before ", moment(pairing.not_before)) if pairing.HasField("not_before") else ""
    return joined(pairing_result(pairing), "" if pairing.points else later)


async def own_pairing_page(account: Account, name: str, pairing_id: str) -> Page:
    tournament = await account.upstream.find_tournament(name)
    _require_own(account, tournament.organiser, name)
    pairing = await find_pairing(account, name, pairing_id)
    title = " – ".join(pairing.entrants)
    facts = (("State", _state(pairing)), ("Round", pairing.round), ("Board", pairing.board), ("Id", pairing.id))
    corrections = [
        tag("p", f"{_kind(change.kind)} by {change.by}: {change.message} ({change.match_id})", class_="note")
        for change in pairing.corrections
    ]
    matches = [await _correctable(account, pairing, name, match_id) for match_id in pairing.match_ids]
    back = tag("p", tag("a", "Back to the tournament", href=page_address("tournaments", name)))
    return Page(
        title,
        joined(
            heading(f"Pairing of {name}", title, facts),
            back,
            _pairing_forms(tournament, pairing),
            section("Matches", *corrections, *matches) if matches else "",
        ),
    )


def _pairing_forms(tournament: tournament_pb2.Tournament, pairing: contest_pb2.Pairing) -> Markup:
    values = {"tournament": tournament.name, "pairing_id": pairing.id}
    if tournament.phase != PLAYING:
        return Markup("")
    if pairing.phase == contest_pb2.PAIRING_PHASE_DONE:
        return _forms([(REOPEN, values, {})]) if len(pairing.entrants) > 1 else Markup("")
    if pairing.phase != contest_pb2.PAIRING_PHASE_PLANNED:
        return section("Change", nothing("It is being played: what can be changed then is shown when it is over."))
    absent = [*_choices(pairing.entrants), (",".join(pairing.entrants), "all of them")]
    return _forms([(POSTPONE, values, {}), (ABSENT, values, {"entrants": absent})])


async def _correctable(account: Account, pairing: contest_pb2.Pairing, tournament: str, match_id: str) -> Markup:
    """Return a match of a pairing, with the forms to correct it if it counts."""
    match = await account.upstream.find_match(match_id)
    is_corrected = match_id in {correction.match_id for correction in pairing.corrections}
    values = {"tournament": tournament, "pairing_id": pairing.id, "match_id": match_id}
    return _match_forms(match, values, TOURNAMENT_CORRECTIONS, is_corrected=is_corrected)


def _match_forms(match: match_pb2.Match, values: Values, actions: Sequence[Action], *, is_corrected: bool) -> Markup:
    title, address = match_title(match), f"/matches/{match.id}"
    if not match.HasField("result"):
        return tag("p", tag("a", title, href=address), ": in play")
    result = result_text(match, match.result)
    if match.result.WhichOneof("kind") == "voided":
        return tag("p", tag("a", title, href=address), f": {result}")
    choices = {"ranks": _rank_choices(match)} if len(match.seat_layout.sides) == 2 else {}
    strike, correct, restore = actions
    forms = [action_form(action, values, choices) for action in (strike, correct, *([restore] if is_corrected else []))]
    summary = tag("summary", f"{title}: {result}{', corrected' if is_corrected else ''}")
    return tag("details", summary, tag("p", tag("a", "The match", href=address)), *forms)


def _rank_choices(match: match_pb2.Match) -> list[tuple[str, str]]:
    """Return the results of a match of two sides."""
    first, second = ([match.seats[seat].bot for seat in side.seats] for side in match.seat_layout.sides)
    return [("1,2", f"{' and '.join(first)} wins"), ("2,1", f"{' and '.join(second)} wins"), ("1,1", "draw")]


def _kind(kind: contest_pb2.CorrectionKind.ValueType) -> str:
    return contest_pb2.CorrectionKind.Name(kind).removeprefix("CORRECTION_KIND_").capitalize()


async def own_ladder_page(account: Account, name: str, page_token: str) -> Page:
    ladder = await account.upstream.find_ladder(name)
    _require_own(account, ladder.organiser, name)
    listed = match_service_pb2.ListMatchesRequest(
        ladder=name, phase=match_pb2.MATCH_PHASE_OVER, page_size=MATCHES, page_token=page_token
    )
    matches = await account.upstream.call(listed, match_service_pb2.ListMatchesResponse)
    corrected = {correction.match_id for correction in await ladder_corrections(account.upstream, name)}
    title = ladder.title or name
    facts = (
        ("State", "closed" if ladder.closed else "paused" if ladder.paused else "open"),
        ("Entrants", ladder.entrant_count),
        ("Season", ladder.season),
    )
    actions = [] if ladder.closed else [RESUME if ladder.paused else PAUSE, START_SEASON, CLOSE]
    forms = [
        _match_forms(
            match, {"ladder": name, "match_id": match.id}, LADDER_CORRECTIONS, is_corrected=match.id in corrected
        )
        for match in matches.matches
    ]
    return Page(
        title,
        joined(
            heading("Your ladder", title, facts),
            tag("p", tag("a", "Public page", href=f"/ladders/{name}")),
            _forms([(action, {"ladder": name}, {}) for action in actions]),
            section("Matches", *forms) if forms else "",
            pages_links(page_address("ladders", name), matches.next_page_token),
        ),
    )
