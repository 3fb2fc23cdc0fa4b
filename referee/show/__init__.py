"""Reports on ladders and tournaments: their data, collected from a server, as a self-contained HTML page.

- `report`: the report as values, and what is computed from them
- `collector`: data from a server, or from a results folder
- `report_builder`, `value_conversion`, `record_statistics`: from messages and records to a report
- `page`: the HTML page
- `result_tables`, `rating_chart`, `bars`: its sections
- `lab_page`: a run of the lab as an HTML page; `elo_chart`: the course of its test
- `match_page`: one match as an HTML page; `boards`, `time_chart`: what it shows
- `parquet_export`: tables of many matches as Parquet files
- `markup`: HTML, SVG and axes; `formatting`: numbers as text
"""
