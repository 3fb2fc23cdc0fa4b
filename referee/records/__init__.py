"""Match records: a finished match as a signed file that anyone can verify offline (see `docs/records.md`).

- `record_format`: the lines of a record: encode, parse, hash
- `record_writer`: writes and signs a record
- `record_reader`: reads a record strictly, and says what is wrong with an invalid one
- `record_history`: reads as much of an unverified record as makes sense
- `verify`: verifies a record by replaying the match and comparing every entry
- `commands_from_events`: reconstructs the command that caused an event
- `describe_event`: describes events, and differences between events, in words
- `signing_key`: the Ed25519 key that signs records
"""
