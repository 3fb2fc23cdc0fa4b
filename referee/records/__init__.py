"""Match records: a finished match as a signed file that anyone can verify offline (see `docs/records.md`).

- `record_format`: the lines of a record: encode, parse, hash; writes and signs a record
- `record_reader`: reads a record strictly and says what is wrong with it, or reads as much of it as makes sense
- `verify`: verifies a record by deciding the match again and comparing every entry
- `describe_event`: describes events, and differences between events, in words
- `signing_key`: the Ed25519 key that signs records
"""
