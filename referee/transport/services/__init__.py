"""One servicer for each service of the contract, and what they share.

- `admin`, `bots`, `games`, `ladders`, `matches`, `play`, `tournaments`: the servicers
- `match_labels`, `records`, `seats`, `token_issuer`: helpers of one or two of them
- `paging`: page sizes and page tokens
"""
