"""Which matches a ladder has rated, so that none is rated twice, and which of them staff corrected.

A ladder may rate a hundred thousand matches, so an addition must not copy all of them. The ids are spread over buckets;
an addition copies one bucket and the list of buckets.
"""

from collections.abc import Mapping
from zlib import crc32

from msgspec import Struct, field
from msgspec.structs import replace

from referee.contests.corrections import Correction, with_request
from referee.contests.ladder.events import MatchCorrected

BUCKETS = 1024


class RatedMatches(Struct, frozen=True, gc=False):
    buckets: tuple[Mapping[str, int], ...] = ({},) * BUCKETS
    """Season of each match, by id, in the bucket of its id. Struck matches are included."""
    corrections: Mapping[str, MatchCorrected] = field(default_factory=dict)
    """Corrections that count, by match, without what followed from them."""
    requests: Mapping[str, Correction] = field(default_factory=dict)
    """The newest corrections, by request id."""

    def season_of(self, match_id: str) -> int | None:
        """Return the season in which a match was rated. None: it was not."""
        return self.buckets[_bucket(match_id)].get(match_id)

    def with_match(self, match_id: str, season: int) -> "RatedMatches":
        place = _bucket(match_id)
        changed = {**self.buckets[place], match_id: season}
        return replace(self, buckets=(*self.buckets[:place], changed, *self.buckets[place + 1 :]))

    def with_correction(self, event: MatchCorrected) -> "RatedMatches":
        correction = event.correction
        corrections = {key: earlier for key, earlier in self.corrections.items() if key != correction.match_id}
        if correction.kind != "restored":
            corrections[correction.match_id] = replace(event, seasons=(), versions=())
        return replace(self, corrections=corrections, requests=with_request(self.requests, correction))


def _bucket(match_id: str) -> int:
    return crc32(match_id.encode()) % BUCKETS
