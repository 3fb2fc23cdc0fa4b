"""Tools for bot authors: what a bot was asked in a finished match, what it answered, and what that cost.

- `seat_turns`: the turns of one seat in a record, with their answers; sends the same turns to a bot again
- `turn_report`: these turns as a text table and as an HTML page, with a chart of where the time went
"""
