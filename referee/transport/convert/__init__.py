"""What the contract says in its words, and the house in its own."""
