"""The conformance kit: checks clause by clause whether a bot or client library follows the protocol.

- `clauses/`: all clauses, grouped by topic
- `clause`: what a clause is, and how its check ends
- `kit_server`: the gRPC server that runs the clauses and that the bot connects to, with its certificate for `--tls`
- `bot_session`: one Play stream of the bot
- `protocol_observer`: checks every item of every session, whatever the clause
- `bot_match`: the matches that the kit plays
- `rerun`: the recorded turns of a seat, sent to a bot again
- `organiser_kit`: clauses for programs that organise matches
- `relay`: connections that fall silent
- `program`: the bot's program, started by the kit or by someone else
"""
