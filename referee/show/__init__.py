"""What is shown of matches and contests: on a terminal, as pages that need no server, and as files for other programs.

- `table`: a table as text, as HTML and as CSV; `markup`: HTML, SVG and axes; `formatting`: numbers and results as text
- `report`: a report of a ladder or tournament as values, and what is computed from them
- `collector`: its data from a server, or from a results folder
- `report_builder`, `value_conversion`, `record_statistics`: from messages and records to a report
- `page`: its HTML page; `result_tables`, `rating_chart`, `bars`: its sections
- `lab_page`: a run of the lab as an HTML page; `elo_chart`: the course of its test
- `match_page`: one match as an HTML page; `boards`, `time_chart`, `worth_chart`: what it shows
- `turn_report`: the turns of a seat with its clock charges
- `frames`, `words`: each entry of a match as a page shows it; the contract in words
- `publication`, `tarball`: everything about a finished contest as one archive
- `arranged_results`: results of a ladder that look arranged
- `parquet_export`, `pgn`, `sgf`: matches for other programs
"""
