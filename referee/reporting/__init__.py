"""Reports on ladders and tournaments: collects their data from a server, and draws a self-contained HTML page.

- `report`: the report as values, and what is computed from them
- `collector`: data from a server, or from a results folder
- `report_builder`, `message_conversion`, `record_statistics`: from messages and records to a report
- `page`: the HTML page
- `result_tables`, `rating_chart`, `bars`: its sections
- `markup`, `formatting`: HTML and axes, and numbers as text
"""
