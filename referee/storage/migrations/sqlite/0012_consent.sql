ALTER TABLE bots ADD COLUMN consent TEXT; -- As JSON. Null: all defaults.
