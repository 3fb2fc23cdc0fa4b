"""One match as a pure value: its state, its clocks, and the events that follow from a command. No I/O.

- `match_terms`: the terms of a match: game, settings, time controls, policies, visibility
- `adjudication`: ends that the terms order: after a number of plies, or when the scores of all bots agree
- `setup`: the terms of one match with its players and seed, and everything drawn from the seed
- `commands`, `events`: what can be requested of a match, what has happened in it, and who may see what of it
- `state`: the state of a match, and how an event changes it
- `decide`: which command is allowed in which phase, and what follows from it
- `decision`: collects the events of one decision, and adds those that follow by themselves
- `plain_run`: moves without further consequences, for callers that need no state between them
- `clock`, `clock_charge`: time controls, and the time that a move is charged
- `result`: how a match ended, and its effect on ratings
- `moves_digest`: digest of all moves, by which repeated games are found
- `match_errors`: the errors of commands and setups
"""
