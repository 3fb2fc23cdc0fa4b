"""Runs ladders and tournaments: creates their matches, records results and keeps ratings.

- `contest_terms`, `contest_log`: terms and events of contests, and the port of their log
- `contest_store`: state of a contest, its watchers, and the registry of all contests of a kind
- `ladder_state`, `tournament_state`: state of a contest, folded from its log; long pairings in a worker process
- `contest_host`, `ladder_host`, `tournament_host`: facades that adapters call
- `contest_worker`, `ladder_worker`, `tournament_worker`: tasks that create matches and record results
- `contest_workers`: registry of the workers of a kind, and the secrecy of duplicate play
- `match_factory`: creates matches; lists the matches that wait, with the reason
- `ladder_ratings`: rates matches; history of ratings
- `tournament_tables`: standings and exports of tournaments, in worker processes where they take long
- `hosting_errors`: errors of all of these
"""
