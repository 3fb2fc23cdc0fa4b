"""One servicer for each service of the contract, and what they share.

- `admin`, `bots`, `games`, `invitations`, `ladders`, `matches`, `own_tokens`, `play`, `tournaments`: the servicers
- `bot_requests`: what the Play stream and the unary calls of bots have in common
- `contest_servicer`: what the servicers of ladders and tournaments have in common
- `records`: records of finished matches, used by `matches`
- `paging`: page sizes and page tokens
- `holder_usage`: how much of its quota a holder uses
"""
