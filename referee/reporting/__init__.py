"""Reports on ladders and tournaments: collects their data from a server, and draws a self-contained HTML page.

- `report`: the report as values, and what is computed from them
- `collector`, `snapshot`, `saved_report`: data from a server, or from a results folder
- `message_conversion`, `tournament_report`, `ladder_report`, `record_statistics`: from messages and records to a report
- `page`: the HTML page
- `standings_table`, `rounds`, `rating_chart`, `heat_map`, `bars`, `sprt_gauge`, `legend`: its sections
- `markup`, `scale`, `formatting`: HTML, axes, and numbers as text
"""
