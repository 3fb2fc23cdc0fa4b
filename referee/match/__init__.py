"""One match as a pure value: its state, its clocks, and the events that follow from a command. No I/O.

- `setup`: the terms of a match: players, time controls, policies, visibility
- `commands`, `events`: what can be requested of a match, and what has happened in it
- `state`: the state of a match, and how an event changes it
- `decide`: which command is allowed in which phase; returns the events that follow from it
- `decision`: collects the events of one decision, and adds those that follow by themselves
- `moves`, `endings`, `presence`: command handlers for moves, for ends of a match, for seats and sessions
- `clock`, `clock_charge`: time controls, and the time that a move is charged
- `result`: how a match ended, and its effect on ratings
- `visibility`: what a seat or spectator may see of an event
- `seed_commitment`: the seed of a match and everything that is drawn from it
- `match_errors`: the errors of commands and setups
"""
