"""Bots, tokens and quotas, and the log that the author of a bot can read: values and the ports that store them.

- `bots`: bots, their versions and pauses, and the port that stores them
- `tokens`: access tokens, their roles and secrets, quotas of their holders, and the ports that store them
- `invitations`: codes by which organisers invite authors, and the port that stores them
- `consent`: from whom a bot takes matches, and on which conditions
- `bot_log`: private log of a bot: lines and port
- `names`: checks of names and texts
- `account_errors`: errors of this package
"""
