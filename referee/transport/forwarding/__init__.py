"""Calls of clients that another node of a cluster answers, as far as the interceptors know of it.

- `routes`: for each method, how the node that answers it is found
- `cluster_gate`: the port by which interceptors and servicers reach the other nodes; referee/cluster implements it
"""
