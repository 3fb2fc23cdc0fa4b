"""Runs ladders and tournaments: creates their matches, records results and keeps ratings.

- `contest_terms`, `contest_log`: terms and events of contests, and the port of their log
- `contest_store`, `contest_registry`: state of a contest, its watchers, and all contests of a kind
- `contest_state`, `ladder_state`, `tournament_state`: what hosting needs of a state; folds over the log
- `contest_host`, `ladder_host`, `tournament_host`: facades that adapters call
- `contest_worker`, `ladder_worker`, `tournament_worker`: tasks that create matches and record results
- `contest_workers`: registry of the workers of a kind, and the secrecy of duplicate play
- `contest_requests`, `entrant_resolver`, `terms_validation`: requests of clients, and their checks
- `match_factory`, `match_queue`, `availability`: which matches can be created, and which wait
- `ladder_ratings`: rates matches; history of ratings
- `tournament_decision`, `tournament_tables`: decisions and tables, in worker processes where they take long
- `hosting_errors`: errors of all of these
"""
