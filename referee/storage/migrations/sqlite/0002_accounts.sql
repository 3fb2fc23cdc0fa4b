CREATE TABLE bots (
    bot INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    request_id TEXT NOT NULL, -- By which it was registered.
    created_ms INTEGER NOT NULL,
    description TEXT NOT NULL,
    pause_cause TEXT, -- Null: it is not paused.
    pause_message TEXT,
    paused_ms INTEGER,
    UNIQUE (owner, request_id)
);

CREATE TABLE versions (
    version INTEGER PRIMARY KEY, -- Grows: the order in which versions were registered.
    bot INTEGER NOT NULL REFERENCES bots (bot),
    name TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    note TEXT NOT NULL,
    UNIQUE (bot, name)
);

CREATE INDEX versions_of_bot ON versions (bot);

CREATE TABLE tokens (
    token INTEGER PRIMARY KEY, -- Grows: the order in which tokens were made.
    token_id TEXT NOT NULL UNIQUE,
    sha256 BLOB NOT NULL UNIQUE, -- Of the secret, which is kept nowhere.
    role TEXT NOT NULL,
    holder TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    bot TEXT NOT NULL, -- The name of the bot it speaks for, or empty.
    label TEXT NOT NULL,
    expires_ms INTEGER,
    used_ms INTEGER,
    revoked INTEGER NOT NULL
);

CREATE INDEX tokens_of_holder ON tokens (holder);

CREATE INDEX tokens_of_bot ON tokens (bot) WHERE bot <> '';

CREATE TABLE quotas (
    holder TEXT PRIMARY KEY,
    matches_at_most INTEGER NOT NULL, -- 0, here and below: the referee's own default.
    streams_at_most INTEGER NOT NULL,
    calls_per_minute INTEGER NOT NULL,
    bots_at_most INTEGER NOT NULL,
    tokens_at_most INTEGER NOT NULL
);
