"""The doctor looks at everything that a referee stands on, changes nothing, and says what would hurt."""
