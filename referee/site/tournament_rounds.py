"""The pairings of a tournament, by round: all on one page, or one page for each round of a large tournament."""

from collections.abc import Mapping, Sequence

from referee_api.v1 import contest_pb2, tournament_pb2, tournament_service_pb2

from referee.show.formatting import points_text
from referee.show.markup import Markup, joined, tag
from referee.show.table import Table, number
from referee.show.words import pairing_result
from referee.site.correction_marks import correction_notes, list_pairings
from referee.site.layout import moment, nothing, section
from referee.site.upstream import Upstream

NEAR_ROUNDS = 100
"""Rounds before and after the current one that are linked."""


async def rounds_section(
    upstream: Upstream,
    tournament: tournament_pb2.Tournament,
    answer: tournament_service_pb2.ListPairingsResponse,
    links: Mapping[str, Markup],
) -> Markup:
    """Return all rounds, or the current one of a tournament with more pairings than a page shows.

    `answer`: the first pairings.
    """
    if answer.next_page_token:
        return await one_round(upstream, tournament, tournament.current_round, links)
    if tournament.terms.WhichOneof("format") == "elimination" and answer.pairings:
        return section("Bracket", _note(answer.pairings), _bracket(tournament, answer.pairings, links))
    return _all_rounds(tournament, answer.pairings, links)


async def one_round(
    upstream: Upstream, tournament: tournament_pb2.Tournament, number: int, links: Mapping[str, Markup]
) -> Markup:
    """Return a round, with links to the others."""
    pairings = (await list_pairings(upstream, tournament.name, number)).pairings
    shown = _pairing_table(tournament, pairings, links) if pairings else nothing("This round is not paired yet.")
    return section(f"Round {number}", _round_links(tournament, number), _note(pairings), shown)


def count_rounds(tournament: tournament_pb2.Tournament) -> int:
    """Return the number of rounds, as far as it is known."""
    return max(tournament.total_rounds, tournament.current_round)


def _round_links(tournament: tournament_pb2.Tournament, shown: int) -> Markup:
    last = count_rounds(tournament)
    near = range(max(1, shown - NEAR_ROUNDS), min(last, shown + NEAR_ROUNDS) + 1)
    links = [
        tag(
            "a",
            number,
            href=f"/tournaments/{tournament.name}/rounds/{number}",
            aria_current="page" if number == shown else None,
        )
        for number in sorted({1, *near, last})
    ]
    return tag("nav", *_between(links, " "), class_="rounds", aria_label="Rounds")


def _all_rounds(
    tournament: tournament_pb2.Tournament, pairings: Sequence[contest_pb2.Pairing], links: Mapping[str, Markup]
) -> Markup:
    rounds: dict[int, list[contest_pb2.Pairing]] = {}
    for pairing in pairings:
        rounds.setdefault(pairing.round, []).append(pairing)
    if not rounds:
        return Markup("")
    blocks = [
        tag(
            "details",
            tag("summary", f"Round {number}"),
            _pairing_table(tournament, rounds[number], links),
            open="" if number == tournament.current_round else None,
        )
        for number in sorted(rounds, reverse=True)
    ]
    return section("Rounds", _note(pairings), *blocks)


def _pairing_table(
    tournament: tournament_pb2.Tournament, pairings: Sequence[contest_pb2.Pairing], links: Mapping[str, Markup]
) -> Markup:
    rows = [_pairing_row(tournament, pairing, links) for pairing in pairings]
    return Table((number("Board"), "Pairing", "Result", "Matches"), rows).to_html()


def _pairing_row(
    tournament: tournament_pb2.Tournament, pairing: contest_pb2.Pairing, links: Mapping[str, Markup]
) -> Sequence[object]:
    names = joined(*_between([links.get(name, name) for name in pairing.entrants], " – "))
    matches = [tag("a", number, href=f"/matches/{match}") for number, match in enumerate(pairing.match_ids, 1)]
    result = joined(pairing_result(pairing), _waits(tournament, pairing), correction_notes(pairing.corrections))
    return pairing.board, names, result, joined(*_between(matches, " "))


def _between(parts: Sequence[object], sign: str) -> list[object]:
    return [piece for number, part in enumerate(parts) for piece in ((sign, part) if number else (part,))]


def _waits(tournament: tournament_pb2.Tournament, pairing: contest_pb2.Pairing) -> Markup:
    """Return until when a planned pairing has a break, or waits for absent entrants; empty if neither."""
    if pairing.phase != contest_pb2.PAIRING_PHASE_PLANNED:
        return Markup("")
    if pairing.HasField("no_show_time"):
        return joined(", an absent entrant loses at ", moment(pairing.no_show_time))
    if not pairing.HasField("not_before"):
        return Markup("")
    no_show_s = tournament.terms.no_show_ms // 1_000
    wait = f", then {no_show_s} s for absent entrants" if no_show_s else ""
    return joined(", break until ", moment(pairing.not_before), wait)


def _note(pairings: Sequence[contest_pb2.Pairing]) -> Markup:
    """Return what planned pairings wait for; empty if there are none."""
    if all(pairing.phase != contest_pb2.PAIRING_PHASE_PLANNED for pairing in pairings):
        return Markup("")
    return tag(
        "p", "A planned pairing starts when its break is over and its bots are connected and free.", class_="soft"
    )


def _bracket(
    tournament: tournament_pb2.Tournament, pairings: Sequence[contest_pb2.Pairing], links: Mapping[str, Markup]
) -> Markup:
    """Return one column of pairings for each round."""
    rounds = sorted({pairing.round for pairing in pairings})
    columns = [
        tag(
            "li",
            tag("h3", f"Round {number}"),
            tag("ol", *(_bracket_pairing(tournament, pair, links) for pair in pairings if pair.round == number)),
        )
        for number in rounds
    ]
    return tag("ol", *columns, class_="bracket", tabindex="0", aria_label="Bracket")


def _bracket_pairing(
    tournament: tournament_pb2.Tournament, pairing: contest_pb2.Pairing, links: Mapping[str, Markup]
) -> Markup:
    points = list(pairing.points)
    best = max(points, default=0.0)
    rows = [
        tag(
            "span",
            links.get(name, name),
            tag("b", points_text(points[at])) if points else "",
            class_="winner" if points and points[at] == best and points.count(best) == 1 else None,
        )
        for at, name in enumerate(pairing.entrants)
    ]
    if len(rows) == 1:
        rows.append(tag("span", "bye", class_="soft"))
    matches = [
        tag("a", f"match {number}", href=f"/matches/{match}") for number, match in enumerate(pairing.match_ids, 1)
    ]
    waits = _waits(tournament, pairing)
    return tag(
        "li",
        *rows,
        tag("small", *_between(matches, " · ")) if matches else "",
        tag("small", "planned", waits) if waits else "",
        correction_notes(pairing.corrections),
    )
