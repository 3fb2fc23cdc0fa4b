"""Forwarding of calls from the node that received them to the node of the cluster that answers them.

- `forwarder`: passes one call on as bytes, and its answers or its status back
- `node_channels`: connections to other nodes
- `forwarding_header`: tells the answering node the caller's address, so that only nodes of the cluster can claim one

A call is admitted on both nodes: each authenticates the token, and limits the calls and streams that are open and the
size of the message. Rates and received bytes are counted once, on the node that answers. See
docs/decisions/forwarding.md.
"""
