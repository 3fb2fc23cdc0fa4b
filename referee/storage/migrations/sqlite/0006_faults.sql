ALTER TABLE bots ADD COLUMN faults INTEGER NOT NULL DEFAULT 0; -- In a row, until now.
