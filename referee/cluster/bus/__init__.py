"""Messages between the nodes of a cluster: the port and its adapter, NATS."""
