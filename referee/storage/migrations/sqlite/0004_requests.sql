ALTER TABLE entries ADD COLUMN request TEXT; -- JSON: the request that has its answer here. Null: none, or it stands in the event.
