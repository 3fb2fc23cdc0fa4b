"""Composition root: reads the settings, creates every adapter and connects them.

- `referee_server`: the whole server from `open` to `close`: start, readiness, graceful shutdown
- `application`: live matches, ladders and tournaments, and the observers of their events
- `grpc_frontend`: servicers, interceptors and the gRPC server
- `cluster_wiring`: makes the server a node of a cluster
- `stores`: storage adapters, in a data directory, in PostgreSQL or in memory
- `postgres_stores`: those in PostgreSQL
- `garbage_collection`: collection whose cost does not grow with the number of live matches
- `node_processes`: several nodes on this machine
- `site_process`: the web site as a child process, and its token
- `edge_process`: the front door as a child process
- `watched_process`: child processes that are started again when they end
- `open_files`: the limit of open files
- `settings`: declaration of every setting
- `settings_reader`: reads settings from flags, environment variables and a file
- `setting_types`: types of settings, and errors of invalid ones
- `maintenance/`: backup, migration, archives, integrity checks and the doctor
"""
