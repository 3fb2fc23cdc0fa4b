"""The stream between the coordinator of a cluster and each other node, which carries messages in both directions.

- `stream_server`: the side of the coordinator, which accepts streams of other nodes; and the method that they call
- `stream_client`: the side of another node, which keeps one stream to the coordinator
- `node_link`: one stream, on either side: pings, silence, the order of messages, and those that wait to be written

A stream is all or nothing: when it ends, some messages that were sent last may not have arrived, and the next one
begins anew. See docs/decisions/node-streams.md.
"""
