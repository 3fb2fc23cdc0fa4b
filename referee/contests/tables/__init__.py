"""Tables of results.

- `round_result`: what one entrant did in one round, and the cross table
- `standings`: tie-breaks as defined by FIDE (handbook C.07), and standings
"""
