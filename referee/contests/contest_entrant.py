"""An entrant of a ladder or a tournament, and the events by which it joins and leaves."""

from msgspec import Struct

from referee.match.setup import Player


class ContestEntrant(Struct, frozen=True, gc=False):
    """A bot, fixed partners, or a team."""

    name: str
    bots: tuple[Player, ...] = ()
    """Several for fixed partners, in the order of seats. Without a version: the one that is online."""
    rating: float | None = None
    """Rating at entry to a tournament. Entrants without a rating are seeded last."""
    invited: bool = False
    """Whether the organiser has entered a bot of another holder, and not its owner or the bot itself."""
    owners: tuple[str, ...] = ()
    """Authors that own its bots. Entrants of one owner never meet on a ladder. Bots of staff have none."""

    def rated_player(self, bots: tuple[Player, ...] = ()) -> Player:
        """Return who is rated: the partners, or the version of the bot among `bots` (default: those it joined with)."""
        return (bots or self.bots)[0] if len(self.bots) == 1 else Player(self.name)


class EntrantJoined(Struct, frozen=True, gc=False, tag_field="kind", tag="entrant_joined"):
    entrant: ContestEntrant


class EntrantLeft(Struct, frozen=True, gc=False, tag_field="kind", tag="entrant_left"):
    name: str
    message: str = ""
