"""Options, output, signals and contest runs that several commands share."""
