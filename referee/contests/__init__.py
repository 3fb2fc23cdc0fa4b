"""Ratings, pairings, standings, ladders and tournaments as values: no I/O, clock or randomness.

- `contest_errors`: errors of ladders and tournaments
- `pairing`: a pairing, its matches and sets, the events of its matches, and the history of pairings
- `pairing_progress`: the scores, voids and departures of one pairing, and what is still to be played
- `contest_entrant`, `corrections`: entrants; results that staff struck, corrected or restored
- `ladder/`: one ladder: state, events, commands, decisions, opponents, standings
- `tournament/`: one tournament: state, events, commands, decisions, terms, export
- `systems/`: pairing systems: Swiss, knock-out, round robin, gauntlet, pools
- `tables/`: results by round, cross table, tie-breaks, standings
- `strength/`: ratings, Elo estimates, and the sequential probability ratio test

`decide(state, command)` returns events or raises a ContestError, which changes nothing. `evolve(state, event)` returns
the next state and never fails. Logs contain these events; `referee.hosting` stores and applies them.
"""
