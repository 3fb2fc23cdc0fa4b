"""What the referee tells those who run it."""
