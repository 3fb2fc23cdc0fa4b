-- 0: the default of the server.
ALTER TABLE quotas ADD COLUMN max_bot_streams INTEGER NOT NULL DEFAULT 0;

ALTER TABLE quotas ADD COLUMN max_contests INTEGER NOT NULL DEFAULT 0;

ALTER TABLE quotas ADD COLUMN max_received_bytes INTEGER NOT NULL DEFAULT 0;
