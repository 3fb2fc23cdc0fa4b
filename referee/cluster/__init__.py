"""One referee on several nodes, which share the log of every match.

- `cluster_member`: makes a server a node: its membership, its streams, and the calls that it forwards
- `node`: the role of one node, and what it tells others
- `gateway`: what a node does for the bots that are connected to it
- `coordinator`: what the coordinator does for the other nodes
- `shared_matches`, `lost_bots`, `rated_ends`: what live matches ask about the other nodes (`OtherNodes`)
- `remote_play`: items of Play streams that are connected to other nodes
- `messages`: what these two send to each other
- `cluster_metrics`: the counts of this node as metrics
- `membership/`: which nodes are members, and which of them is the coordinator
- `node_stream/`: the stream between the coordinator and another node
- `forwarding/`: calls of clients that another node answers
- `bus/`: short messages between all nodes, any of which may be lost
"""
