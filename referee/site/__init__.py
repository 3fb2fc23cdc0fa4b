"""The web site: a process of its own that reads the referee as a spectator does, and shows what it reads.

- `site`: routes, and the application that serves them
- `site_server`: serves the application over HTTP, until it is told to stop
- `visitors`: limits of requests and streams for each address, and the headers that protect visitors
- `request_values`: values in paths and queries, with their limits
- `upstream`: calls of the referee
- `match_feed`, `match_feeds`: a match as the referee streams it, shared by all its visitors
- `frames`, `entry_text`: what a page shows of each entry of a match
- `live_pages`: pages that change while they are read, rendered once for all their visitors
- `layout`, `time_text`, `charts`: parts that pages share
- `home_page`, `live_match_page`, `bot_page`, `ladder_page`, `tournament_page`, `join_page`: the pages
- `json_api`: the same as JSON
- `account`: pages of authors and organisers, behind a token
"""
