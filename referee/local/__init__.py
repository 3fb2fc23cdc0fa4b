"""Local contests: an embedded server, bots as child processes, and a folder with a record of every match.

- `plan`, `contest_file`, `match_file`: plans of arenas, of tournaments and ladders, and of single matches
- `toml_validation`, `short_forms`, `terms_reader`, `entrant`: TOML as values of the contract, with short forms; bots
- `local_contest`, `local_standings`: matches and arenas
- `local_tournament`: tournaments
- `results_folder`: records and logs of a contest, and the data needed to resume it
- `embedded_server`, `arena_client`: the server, and the client that registers bots and creates matches on it
- `bot_pool`: starts, supervises and stops the bots
- `bot_process`, `supervisor`, `sandbox`, `sandbox_entry`: one bot process, under a supervisor and perhaps in a sandbox
"""
