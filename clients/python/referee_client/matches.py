"""Ends of matches as bots see them."""

from dataclasses import dataclass, field

from referee_client.values.matches import RecordInfo, SeedCommitment
from referee_client.values.ratings import RatingChange
from referee_client.values.results import Result


@dataclass(frozen=True)
class End:
    """The end of a match, as it is reported to one of its seats."""

    match_id: str
    seat: int
    result: Result
    ratings: tuple[RatingChange, ...] = ()
    """Rating changes in seat order. Empty if the match is unrated or void."""
    record: RecordInfo | None = None
    """The record, if it is published already."""
    seed_commitment: SeedCommitment = field(default_factory=SeedCommitment)
    """The seed and its commitment, if the seed is revealed already."""

    @property
    def score(self) -> float | None:
        """Score of this seat. None if the match is void."""
        return self.result.scores[self.seat] if self.result.scores else None

    @property
    def rank(self) -> int | None:
        """Rank of this seat; 1 is best. None if the match is void."""
        return self.result.ranks[self.seat] if self.result.ranks else None
