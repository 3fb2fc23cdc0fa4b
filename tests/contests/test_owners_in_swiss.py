"""Swiss tournaments in which several entrants have the same owner."""

from referee_values import Swiss

from referee.contests.contest_entrant import ContestEntrant
from referee.contests.tournament.commands import EnterTournament, StartTournament
from tests.contests.tournament_harness import TournamentHarness, better_name_wins, entered, level, replay


def swiss(rounds: int, owners: dict[str, tuple[str, ...]]) -> TournamentHarness:
    play = entered(Swiss(rounds=rounds), ())
    for name, own in owners.items():
        play.do(EnterTournament(ContestEntrant(name, owners=own)))
    play.do(StartTournament())
    return play


def rounds_of(play: TournamentHarness, name: str, other: str) -> list[int]:
    """Return the rounds in which two entrants met."""
    pairings = [progress.pairing for progress in play.tournament.pairings.values()]
    return [pairing.round for pairing in pairings if set(pairing.entrants) == {name, other}]


def test_entrants_of_one_owner_do_not_meet_in_the_first_half_of_the_rounds() -> None:
    nobody: dict[str, tuple[str, ...]] = dict.fromkeys("abcdefgh", ())
    free = swiss(5, nobody).play_out()
    assert [rounds_of(free, name, other) for name, other in ("ab", "ad", "ae")] == [[3], [2], [1]]
    owned = swiss(5, nobody | dict.fromkeys("ade", ("ann",))).play_out()
    assert [rounds_of(owned, name, other) for name, other in ("ad", "ae", "de")] == [[5], [4], []]
    assert replay(owned.tournament.terms, owned.log) == owned.tournament


def test_partners_or_teams_do_not_meet_entrants_of_any_of_their_owners() -> None:
    owners = {"a": ("ann", "bob"), "b": ("cyd",), "c": ("bob", "dan"), "d": ("eve",)}
    assert rounds_of(swiss(2, owners).play_out(level), "a", "c") in ([], [2])


def test_a_round_that_cannot_be_paired_otherwise_lets_them_meet() -> None:
    play = swiss(3, dict.fromkeys("abcd", ("ann",))).play_out(better_name_wins)
    assert play.tournament.round == 3
