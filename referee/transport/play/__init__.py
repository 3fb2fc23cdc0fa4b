"""The Play stream of a bot.

- `reader`: dispatches the items of one stream, and composes messages of what is queued for it
- `pulled_stream`: reads and writes a stream of gRPC
- `pushed_stream`: reads and writes a stream of a front door
- `bot_items`: carries out the items that concern a match
- `writer`: converts queued verdicts, turns and other items to messages
"""
