-- What a running server may do. As referee_owner, after each `referee data migrate`, since new tables have no privileges:
-- psql --username referee_owner --dbname referee --file privileges.sql

BEGIN;

REVOKE ALL ON ALL TABLES IN SCHEMA public FROM referee_node;
REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM referee_node;

GRANT SELECT ON schema_version TO referee_node;

-- What is in a log is never changed, and neither are these.
GRANT SELECT, INSERT ON entries, contest_entries, versions, redemptions, signing_key TO referee_node;

-- UPDATE is also needed to lock a row.
GRANT SELECT, INSERT, UPDATE ON matches, match_summaries, match_seats, contests, stored_bytes, bots TO referee_node;
GRANT USAGE ON SEQUENCE matches_match_seq TO referee_node;

GRANT SELECT, INSERT, DELETE ON bot_log TO referee_node;
GRANT SELECT, INSERT, UPDATE, DELETE ON undelivered_ends, writers, tokens, quotas, invitations, nodes TO referee_node;
GRANT SELECT, UPDATE ON coordinator TO referee_node;

COMMIT;
