"""Interceptors and checks that every call passes.

- `admission`: decides whether a call is accepted, before its message is read; limits calls without a valid token
- `authentication`: verifies the token, and `RULES`, the roles that may call each method
- `permissions`: whether the caller owns a bot or contest, and may create a match for it
- `rate_limit`: calls per minute, concurrent calls and streams of a holder; end of a stream whose token expires
- `open_calls`: deadline of each answer
- `field_limits`: limits of texts, lists and maps, and messages that are too large because of a move
- `error_interceptor`: maps errors to gRPC status
"""
