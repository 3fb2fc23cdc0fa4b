"""Records: a finished match or contest as a signed file that anyone can verify offline (see `docs/records.md`).

- `record_format`: the lines of a record: encode, parse, hash; writes and signs a record
- `record_reader`: reads a record strictly and says what is wrong with it, or reads as much of it as makes sense
- `packed_format`: groups of packed records: many records in one file, compressed by zstd
- `packed_reader`: reads packed records, one or all, with one group in memory
- `packed_records`: writes them, so that a killed process loses one group at most
- `short_record`: the form in which they have a record, without what can be computed again
- `group_signature`: one signature for all records of a group
- `verify`: verifies a record by deciding the match again and comparing every entry
- `contest_record`: writes and signs the record of a contest
- `verify_contest`: verifies it by deciding the contest again and comparing every entry
- `contest_commands`: the commands that caused the events of a contest
- `match_results`: compares the results of a contest with the records of its matches
- `seat_turns`: the turns of one seat, with its answers
- `describe_event`: describes events, and differences between events, in words
- `signing_key`: the Ed25519 key that signs records
"""
