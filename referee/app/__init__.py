"""What the referee does: one runner a live match, and the ports through which it meets the world."""
