-- Prepares an empty database for a referee whose servers cannot change its tables. Once, as a superuser, after the roles
-- were created: psql --dbname referee --file database.sql

-- The database contains the seeds of matches in play, the hashes of tokens, and the key that signs records.
DO $$
BEGIN
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO referee_owner, referee_node', current_database());
END
$$;

REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE, CREATE ON SCHEMA public TO referee_owner;
GRANT USAGE ON SCHEMA public TO referee_node;
