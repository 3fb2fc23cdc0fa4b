"""The Play stream of a bot.

- `reader`: reads the items of one stream, dispatches them, and sends what is queued for it
- `bot_items`: carries out the items that concern a match
- `remote_play`: does so at the coordinator of a cluster for streams that are connected to other nodes
- `writer`: converts queued verdicts, turns and other items to messages
"""
