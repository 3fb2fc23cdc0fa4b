"""Write a bot in Python: knows the contract, and nothing of the house that referees."""
