"""Pages behind a token: what authors do with their bots, and organisers with their contests.

The site stores nothing: the token is in a cookie, and all calls of these pages are made with it, so the referee decides
what is permitted, and any node of a cluster can serve the next request.

- `account_routes`: the routes, and the checks before each of them
- `account_session`: who is signed in, as the cookie says; and the check of a new token
- `account_action`: what changes something: a form made from a request of the contract, its confirmation, and the call
- `account_actions`: all of these
- `account_page`: signing in, and the lists of bots, contests and invitations
- `own_bot_page`, `private_log_page`, `clock_charges`: a bot, as its owner sees it
- `seat_match_page`: a match as a seat of the bot sees it
- `own_contest_pages`: tournaments, pairings and ladders, as their organiser sees them
"""
