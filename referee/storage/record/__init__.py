"""Records: a finished match as one file that proves itself. `docs/records.md` says it to strangers."""
