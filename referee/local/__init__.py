"""Local contests: an embedded server, bots as child processes, and a folder with a record of every match.

- `plan`, `contest_file`, `arena_plan`: plans of tournaments, ladders, matches, arenas
- `opening_book`, `chess_book`, `trf_plan`: openings from files; a plan from a report of FIDE
- `toml_validation`, `short_forms`, `terms_reader`, `entrant`: TOML as values of the contract, with short forms; bots
- `local_tournament`, `local_standings`: tournaments and arenas, and the standings over several games
- `results_folder`: records and logs of a contest, and the data needed to resume it
- `embedded_server`, `bot_pool`: the server; registers, starts, supervises and stops the bots
- `bot_process`, `supervisor`, `sandbox`, `sandbox_entry`: one bot process, under a supervisor and perhaps in a sandbox
- `seccomp_filter`, `rotated_log`: system calls that a sandbox refuses; the log of the output of a bot
"""
