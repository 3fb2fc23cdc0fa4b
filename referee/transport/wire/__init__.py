"""Converts between domain objects and messages of the protobuf contract.

Functions `read_…` convert a message to a domain object and raise an error that names the field; `…_of` convert a
domain object to a message; `write_…` fill in a message that is about to be sent, which avoids a copy.

- `terms`, `rules`: the terms and rules of a match, and requests to create one
- `clocks`: time controls, clocks and clock charges
- `matches`, `entries`, `results`: a match and its turns as one viewer can see them
- `contests`, `ladders`, `tournaments`: contests
- `accounts`: bots, tokens, quotas, private logs
- `error_mapping`: reason, status code and metadata of each error; `wire_errors`: errors of the transport itself
- `basic_types`: timestamps, enums, and fields that have the same names in both
"""
