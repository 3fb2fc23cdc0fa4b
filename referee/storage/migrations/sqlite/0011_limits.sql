-- Limits are called max_..., as in the contract.
ALTER TABLE quotas RENAME COLUMN matches_at_most TO max_matches;

ALTER TABLE quotas RENAME COLUMN streams_at_most TO max_streams;

ALTER TABLE quotas RENAME COLUMN bots_at_most TO max_bots;

ALTER TABLE quotas RENAME COLUMN tokens_at_most TO max_tokens;

ALTER TABLE quotas RENAME COLUMN stored_bytes_at_most TO max_stored_bytes;
