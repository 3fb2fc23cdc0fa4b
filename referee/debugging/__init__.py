"""Tools for bot authors: what a bot was asked in a finished match, what it answered, and what that cost.

- `seat_turns`: reads the turns of one seat and their answers from a record, and sends them to a bot again
- `turn_report`: these turns as a text table and as an HTML page, with a chart of where the time went
"""
