"""Runs matches: stores every decision, applies it, then notifies bots and watchers.

ports               what this package needs of logs, time and ratings, and what observers of matches implement
referee             facade: everything that adapters can call to work with matches
registry            all live matches and their events, which it restores after a start
live_match          one match that is not over, and the index of all of them
runner, rated_end   the only writer of one match; appending its decisions, with rating changes
match_timing        match time, deadlines and timers
referee_delay, loop_lag, worker_pool  delays caused by the server; computations outside the event loop
create, match_request, match_starter  creating, describing and starting matches
submit, verdict     answers to turns and other requests, idempotently; their results
sessions, absences, outbox, turn_notifier, turn_view, end_delivery  online bots and what is sent to them
log_history, watch    the replay of any log, its state in memory, watching it
match_history, stored_matches  the history of a match; matches of the log, with a cache of finished ones
auto_pause, bot_log_recorder, bot_notifier  consequences of faults
"""
