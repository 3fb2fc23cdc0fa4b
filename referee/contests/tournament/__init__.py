"""One tournament, from entry to the last result.

- `state`: the tournament as a value, and how each event changes it
- `events`: the events in a tournament's log
- `commands`: requests of entrants, of the organiser and of the tournament worker
- `decide`: the events that follow from a command
- `tournament_terms`: the terms with their defaults, how each format is played, and their validation
- `play_off`: further matches of those who lead level on points, and the standings after them
- `staff_acts`: pairings by hand, postponed and reopened pairings, corrected results
- `tournament_pairing`: the next pairings, and how many there will be
- `pairing_table`: progress of all pairings, as a persistent mapping
- `sprt_trial`: counting of sets, and the state of the test, in an SPRT trial
- `tournament_export`: strength estimates, and export as CSV and JSON
- `trf`, `trf_reader`: FIDE's tournament reports, written and read
"""
