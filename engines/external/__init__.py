"""Games whose rules are programs in any language: texts in, texts out (`docs/engine-protocol.md`).

- `declared_games`: the file in which a host declares them, named by the environment variable `REFEREE_GAMES`
- `external_game`: a `Game` whose positions hold what the program has answered
- `answer_lines`: the answers of a program, and their checks
- `engine_client`: requests to one program, one at a time, with a restart after a failure
- `engine_connection`: the pipes of a child process or a socket, with limits of time, size and memory
"""
