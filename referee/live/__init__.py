"""Runs matches: stores every decision, applies it, then notifies bots and watchers.

- `ports`, `runner_dependencies`: interfaces to logs, time, observers and ratings, and their errors
- `other_nodes`: the port to the other nodes of a cluster, and what stands for it on a single server
- `log_history`: replays any log
- `referee`: facade: everything that adapters can call to work with matches
- `registry`, `recovery`: all live matches and their events; restores them after a start
- `live_match`: one match that is not over, the index of all of them, and the start of those that wait
- `runner`, `queued_command`, `rated_end`: decides and stores the commands of one match, with rating changes at its end
- `engine_calls`: waiting for rules that another process computes
- `match_timing`, `network_path`: match time, deadlines, timers, delays of turns; the round trip of a bot
- `loop_lag`, `door_lag`, `late_times`: lag of the event loop and of the front door, as of now and of earlier moments
- `worker_pool`: runs computations in worker processes
- `child_process`: child processes, started beside the event loop
- `create`, `match_request`: creating and describing matches
- `submit`: answers to turns and other requests, idempotently, and the verdicts on them
- `sessions`, `outbox`: online bots and their absences; what is sent to them
- `reserved_places`: places of a bot that are kept for its contests
- `turns`: a turn as its seat may see it; notification of bots
- `match_history`, `stored_matches`, `watch`: history of a match; matches of the log; watching matches and contests
- `bot_notices`: what the author of a bot learns: its private log, notices, the automatic pause
"""
