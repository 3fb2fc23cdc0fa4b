-- The nodes of a cluster, and which of them is the coordinator. SQLite has no such tables: its database has one server.

CREATE TABLE nodes (
    id text PRIMARY KEY, -- Drawn at random when a process joins.
    address text NOT NULL, -- Where the other nodes reach it.
    version text NOT NULL,
    oldest_protocol integer NOT NULL,
    newest_protocol integer NOT NULL,
    lease_us bigint NOT NULL, -- It is gone if `renewals` stands still for this long, by the clock of a node that watches.
    draining boolean NOT NULL DEFAULT false,
    load bigint NOT NULL DEFAULT 0, -- Matches in play of the bots that are connected to it.
    renewals bigint NOT NULL DEFAULT 0,
    started timestamptz NOT NULL DEFAULT clock_timestamp(), -- For people; nothing is decided by it.
    renewed timestamptz NOT NULL DEFAULT clock_timestamp() -- For people; nothing is decided by it.
) WITH (fillfactor = 50); -- Each row is updated every second, which is cheap if the page has space for the new row.

-- The coordinator is a member: it ceases to be the coordinator when its row in `nodes` is deleted.
CREATE TABLE coordinator (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    node text REFERENCES nodes (id) ON DELETE SET NULL, -- Null: there is none.
    epoch bigint NOT NULL DEFAULT 0, -- The number of elections so far.
    elected timestamptz -- For people; nothing is decided by it.
);

INSERT INTO coordinator DEFAULT VALUES;
