"""The gRPC server: one servicer for each service of the contract, behind interceptors that all calls pass.

- `server`, `tls`: the server itself with health and reflection, and its TLS files
- `guards/`: interceptors and checks: authentication, permissions, rate limits, sizes, error mapping
- `services/`: the servicers
- `play/`: the Play stream of a bot
"""
