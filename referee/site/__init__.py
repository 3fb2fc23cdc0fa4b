"""The web site: a process of its own that reads the referee as a spectator does, and shows what it reads.

- `site`: routes, and the application that serves them
- `site_server`: serves the application over HTTP, until it is told to stop
- `visitors`: limits of requests and streams for each address, and the headers that protect visitors
- `request_values`: values in paths and queries, and forms, with their limits
- `upstream`: calls of the referee
- `match_feed`: a match as the referee streams it, shared by all its visitors
- `finished_match`: a finished match from its record
- `live_pages`: pages that change while they are read, rendered once for all their visitors
- `event_stream`: server-sent events
- `layout`: parts that pages share
- `home_page`, `live_match_page`, `bot_page`, `ladder_page`, `tournament_page`, `join_page`: the pages
- `tournament_rounds`, `correction_marks`: pairings by round; corrected results
- `json_api`: the same as JSON, in answers that many callers share
- `json_calls`, `openapi`: its calls and its description
- `account/`: pages of authors and organisers, behind a token
"""
