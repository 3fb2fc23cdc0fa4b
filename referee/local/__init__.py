"""Local contests: an embedded server, bots as child processes, and a folder with a record of every match.

- `plan`, `plan_file`, `contest_file`, `match_terms`, `clock_notation`, `toml_validation`: plans and their TOML files
- `entrant`: bots as they are given on the command line
- `local_contest`, `local_schedule`, `match_scheduler`, `local_standings`, `results_folder`: matches and arenas
- `local_tournament`, `dry_run`: tournaments
- `embedded_server`, `arena_client`: the server, and the client that creates matches on it
- `match_bot_pool`, `bot_pool`, `launcher`: the bots of an arena and of a tournament, and how they are started
- `bot_process`, `supervisor`, `sandbox`, `sandbox_entry`, `bot_log_file`: one process of a bot
- `local_errors`: errors
"""
