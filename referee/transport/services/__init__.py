"""One servicer for each service of the contract, and what they share.

- `admin`, `bots`, `games`, `ladders`, `matches`, `play`, `tournaments`: the servicers
- `bot_requests`: what the Play stream and the unary calls of bots have in common
- `records`: records of finished matches, used by `matches`
- `paging`: page sizes and page tokens
"""
