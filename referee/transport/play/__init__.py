"""The Play stream of a bot.

- `reader`: reads the items of one stream, dispatches them, and sends what is queued for it
- `bot_items`: carries out the items that concern a match
- `writer`: converts queued verdicts, turns and other items to messages
"""
