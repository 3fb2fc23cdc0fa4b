"""Runs ladders and tournaments: creates their matches, records results and keeps ratings.

- `contest_terms`, `contest_log`: terms and events of contests, and the port of their log
- `given_terms`: reads the terms that somebody gives
- `contest_store`: state of a contest, its watchers, and the registry of all contests of a kind
- `ladder_state`, `tournament_state`: state of a contest, folded from its log; long pairings in a worker process
- `hosted_contest`: what both states have in common
- `contest_host`, `ladder_host`, `tournament_host`: facades that adapters call
- `contest_worker`, `ladder_worker`, `tournament_worker`: tasks that create matches and record results
- `contest_workers`: registry of the workers of a kind, and the secrecy of duplicate play
- `match_factory`: creates matches; lists the matches that wait, with the reason
- `joined_matches`: matches that a bot plays by the will of its owner; who owns it
- `ladder_ratings`: rates matches; history of ratings
- `ladder_corrections`, `tournament_corrections`: corrections of finished matches
- `ladder_estimates`: estimates in standings, from all results at once
- `tournament_tables`: standings and exports of tournaments, in worker processes where they take long
- `hosting_errors`: errors of all of these
"""
