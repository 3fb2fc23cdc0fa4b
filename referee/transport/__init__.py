"""The gRPC server: one servicer for each service of the contract, behind interceptors that all calls pass.

- `server`, `tls`: the server itself with health and reflection, and its TLS files
- `guards/`: interceptors and checks: authentication, permissions, rate limits, sizes, error mapping
- `services/`: the servicers
- `play/`: the Play stream of a bot
- `door_link`, `door_port`: Play streams that front doors have accepted, and where those on other machines connect
- `forwarding/`: which node of a cluster answers which method
- `wire/`: domain objects as messages, and errors as gRPC status
- `contract_options`: rules of calls and limits of fields, which the contract declares
"""
