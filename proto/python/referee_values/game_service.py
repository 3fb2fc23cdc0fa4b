"""Information about games, and legal moves of positions, without a match."""

from referee_values.value import Count, Value


class SeatToMove(Value, frozen=True, kw_only=True):
    """A seat that has to move, and its legal moves."""

    seat: Count = 0
    """The seat, from 0."""
    legal_moves: tuple[str, ...] = ()
    """Legal moves in order, up to the limit. Empty unless requested, and for a seat whose moves the viewer must not
    see.
    """
    legal_moves_truncated: bool = False
    """Whether there are more legal moves than listed."""
    legal_move_count: Count | None = None
    """Number of legal moves. Not set if legal moves were not requested, or are too many to count quickly."""
