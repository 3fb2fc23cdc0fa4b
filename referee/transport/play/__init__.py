"""The Play stream of a bot.

- `reader`: reads the items of one stream, dispatches them, and sends what is queued for it
- `writer`: converts queued verdicts, turns and other items to messages
"""
