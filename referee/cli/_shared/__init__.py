"""Options, tables, progress, signals and contest runs that several commands share."""
