"""One ladder, which runs without end: entrants join and leave, are paired by strength, and are rated after each match.

- `state`: the ladder as a value, its terms, and how each event changes it
- `events`: the events in a ladder's log
- `commands`: requests of entrants, of the organiser and of the ladder worker
- `decide`: the events that follow from a command
- `rating_rules`: absence, new versions, repeated opponents and owners
- `rating_replay`: ratings computed again after a correction
- `season`: ratings, win-loss records and standings of one season
- `result_counts`: all results, from which standings estimate
- `matchmaking`: the choice of opponents and seats, new pairings, and due matches that can start now
"""
