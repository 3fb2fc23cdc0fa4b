"""The nodes of a cluster: which of them are members, and which member is the coordinator.

- `membership`: this process as a member: it joins, renews its lease, and stands for coordinator
- `cluster_view`: what a node knows of the cluster, and the observer that is notified of changes
- `node_store`: port of the table of nodes; `postgres_nodes` is its adapter
- `compatibility`: which releases can work together
"""
