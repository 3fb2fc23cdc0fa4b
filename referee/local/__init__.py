"""Local contests: an embedded server, bots as child processes, and a folder with a record of every match.

- `plan`, `plan_file`, `contest_file`, `match_terms`, `clock_notation`, `toml_validation`: plans and their TOML files
- `entrant`: bots as they are given on the command line
- `local_contest`, `local_schedule`, `match_scheduler`, `local_standings`, `results_folder`: matches and arenas
- `local_tournament`, `dry_run`: tournaments
- `embedded_server`, `arena_client`: the server, and the client that creates matches on it
- `bot_pool`: starts, supervises and stops the bots of an arena or a tournament
- `bot_process`, `supervisor`, `sandbox`, `sandbox_entry`: one process of a bot
- `local_errors`: errors
"""
