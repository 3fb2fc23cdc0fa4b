"""Interceptors that every call passes, and checks that servicers use.

- `admission`: decides whether a call is accepted, before its message is read, and passed on if another node answers it
- `unauthenticated_calls`: limits of calls without a valid token
- `public_reading`: limits of readers without a token
- `caller_address`: the address of a caller, also if another node forwards the call
- `authentication`: verifies the token, and checks the role
- `revocation_check`: tokens that other nodes revoked
- `identity_tokens`, `oidc`, `provider_keys`: tokens of an identity provider, their verification, and its keys
- `permissions`: whether the caller owns a bot or contest, and may create a match that counts for a ladder
- `consent_guard`, `contest_changes`: consent of bots; changes of contests in a day
- `rate_limit`: calls per minute, concurrent calls, streams, stored bytes of a holder; ends streams of expired tokens
- `pace`, `quota_cache`: evenly spread calls; quotas with their defaults
- `open_calls`: resets a call whose answer is not read in time
- `field_limits`: limits of texts, lists and maps; recognises messages that are too large only because of a move
- `error_interceptor`: records when a message arrived, checks its size, and maps errors to gRPC status
"""
