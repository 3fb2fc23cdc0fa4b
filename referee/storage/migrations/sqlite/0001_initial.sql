CREATE TABLE matches (
    match INTEGER PRIMARY KEY, -- Grows: the order in which matches were opened.
    match_id TEXT NOT NULL UNIQUE,
    over INTEGER NOT NULL DEFAULT 0 -- 1: its last entry is its end.
);

CREATE INDEX unfinished_matches ON matches (match) WHERE over = 0;

-- Rows are only ever added at the end, and the unique index is of two whole numbers: that makes it cheap.
CREATE TABLE entries (
    entry INTEGER PRIMARY KEY,
    match INTEGER NOT NULL REFERENCES matches (match),
    number INTEGER NOT NULL, -- 1, 2, 3, ... within the match.
    at_ms INTEGER NOT NULL,
    line TEXT NOT NULL, -- The event, by the codec.
    request TEXT, -- JSON: the request that has its answer here. Null: none, or it stands in the event.
    UNIQUE (match, number)
);

-- The seats of matches, over or not, whose bots are not known to have received the end.
CREATE TABLE undelivered_ends (
    match INTEGER NOT NULL REFERENCES matches (match),
    seat INTEGER NOT NULL,
    bot TEXT NOT NULL,
    PRIMARY KEY (match, seat)
) WITHOUT ROWID;

CREATE INDEX undelivered_ends_of_bot ON undelivered_ends (bot, match);

-- One row for each match that a list can show: what the list selects by, and where the entries are that it shows.
CREATE TABLE match_summaries (
    match INTEGER PRIMARY KEY REFERENCES matches (match),
    created_ms INTEGER NOT NULL,
    game TEXT NOT NULL,
    ladder TEXT, -- Null: it is on none.
    tournament TEXT, -- Null: it is of none.
    phase TEXT NOT NULL,
    began INTEGER, -- The number of the entry by which play began. Null: it has not begun.
    ended INTEGER -- The number of the last entry. Null: it is not over.
);

CREATE INDEX match_summaries_of_game ON match_summaries (game);

CREATE INDEX match_summaries_of_ladder ON match_summaries (ladder) WHERE ladder IS NOT NULL;

CREATE INDEX match_summaries_of_tournament ON match_summaries (tournament) WHERE tournament IS NOT NULL;

CREATE INDEX match_summaries_in_phase ON match_summaries (phase);

CREATE INDEX match_summaries_by_time ON match_summaries (created_ms);

CREATE TABLE match_seats (
    match INTEGER NOT NULL REFERENCES matches (match),
    seat INTEGER NOT NULL,
    bot TEXT NOT NULL, -- Empty: the seat is open.
    PRIMARY KEY (match, seat)
) WITHOUT ROWID;

CREATE INDEX match_seats_of_bot ON match_seats (bot, match);

CREATE TABLE contests (
    contest INTEGER PRIMARY KEY, -- Grows: the order in which contests were created.
    contest_id TEXT NOT NULL UNIQUE -- Its kind and its name: ladder/main.
);

-- As the entries of matches.
CREATE TABLE contest_entries (
    entry INTEGER PRIMARY KEY,
    contest INTEGER NOT NULL REFERENCES contests (contest),
    number INTEGER NOT NULL, -- 1, 2, 3, ... within the contest.
    at_ms INTEGER NOT NULL,
    line TEXT NOT NULL, -- The event, by the codec of contests.
    UNIQUE (contest, number)
);

-- Bytes of all matches and contests that are stored, by who created them. The whole log of a match counts once it is
-- over: moves are not limited otherwise. A match in play counts with its first entry, and the number of these is limited.
CREATE TABLE stored_bytes (
    holder TEXT PRIMARY KEY,
    bytes INTEGER NOT NULL
);

-- Whose request created the match that this first entry opens, as far as it can be read.
CREATE VIEW match_makers AS
    SELECT entry, json_extract(label.value, '$[1]') AS holder, length(line) AS bytes
    FROM entries, json_each(CASE WHEN json_valid(line) THEN line ELSE '{}' END, '$.setup.labels') AS label
    WHERE number = 1 AND json_extract(label.value, '$[0]') = 'maker';

CREATE VIEW contest_makers AS
    SELECT entry, json_extract(CASE WHEN json_valid(line) THEN line ELSE '{}' END, '$.organiser') AS holder,
        length(line) AS bytes
    FROM contest_entries
    WHERE number = 1;

CREATE TRIGGER count_match AFTER INSERT ON entries WHEN NEW.number = 1
BEGIN
    INSERT INTO stored_bytes (holder, bytes)
    SELECT holder, bytes FROM match_makers WHERE entry = NEW.entry AND holder IS NOT NULL
    ON CONFLICT (holder) DO UPDATE SET bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER count_log AFTER UPDATE OF over ON matches WHEN NEW.over = 1 AND OLD.over = 0
BEGIN
    UPDATE stored_bytes
    SET bytes = bytes + (SELECT coalesce(sum(length(line)), 0) FROM entries WHERE match = NEW.match AND number > 1)
    WHERE holder IN (
        SELECT holder FROM match_makers
        WHERE entry = (SELECT entry FROM entries WHERE match = NEW.match AND number = 1)
    );
END;

-- The entries of a match are deleted by one statement, the first one first.
CREATE TRIGGER discount_match BEFORE DELETE ON entries WHEN OLD.number = 1
BEGIN
    UPDATE stored_bytes
    SET bytes = bytes - (
        SELECT sum(length(line)) FROM entries
        WHERE match = OLD.match
            AND (number = 1 OR EXISTS (SELECT 1 FROM matches WHERE match = OLD.match AND over = 1))
    )
    WHERE holder = (SELECT holder FROM match_makers WHERE entry = OLD.entry);
END;

CREATE TRIGGER count_contest AFTER INSERT ON contest_entries WHEN NEW.number = 1
BEGIN
    INSERT INTO stored_bytes (holder, bytes)
    SELECT holder, bytes FROM contest_makers WHERE entry = NEW.entry AND holder IS NOT NULL
    ON CONFLICT (holder) DO UPDATE SET bytes = bytes + excluded.bytes;
END;

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
    faults INTEGER NOT NULL DEFAULT 0, -- In a row, until now.
    consent TEXT, -- As JSON. Null: all defaults.
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
    token INTEGER PRIMARY KEY, -- Grows: the order in which tokens were created.
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

-- 0 in any column: the default of the server.
CREATE TABLE quotas (
    holder TEXT PRIMARY KEY,
    max_matches INTEGER NOT NULL,
    max_streams INTEGER NOT NULL,
    calls_per_minute INTEGER NOT NULL,
    max_bots INTEGER NOT NULL,
    max_tokens INTEGER NOT NULL,
    max_stored_bytes INTEGER NOT NULL DEFAULT 0,
    max_authors INTEGER NOT NULL DEFAULT 0,
    max_bot_streams INTEGER NOT NULL DEFAULT 0,
    max_contests INTEGER NOT NULL DEFAULT 0,
    max_received_bytes INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE bot_log (
    line INTEGER PRIMARY KEY,
    bot TEXT NOT NULL,
    number INTEGER NOT NULL, -- 1, 2, 3, ... within the bot's log. The newest line is never deleted, so none is given twice.
    at_ms INTEGER NOT NULL,
    version TEXT NOT NULL,
    match_id TEXT NOT NULL,
    seat INTEGER,
    ply INTEGER,
    what TEXT NOT NULL, -- JSON.
    UNIQUE (bot, number)
);

CREATE TABLE invitations (
    invitation INTEGER PRIMARY KEY, -- Grows: the order in which invitations were created.
    invitation_id TEXT NOT NULL UNIQUE,
    sha256 BLOB NOT NULL UNIQUE, -- Of the code, which is kept nowhere.
    organiser TEXT NOT NULL,
    request_id TEXT NOT NULL, -- By which it was created.
    created_ms INTEGER NOT NULL,
    expires_ms INTEGER NOT NULL,
    max_uses INTEGER NOT NULL,
    label TEXT NOT NULL,
    revoked INTEGER NOT NULL,
    uses INTEGER NOT NULL,
    UNIQUE (organiser, request_id)
);

CREATE TABLE redemptions (
    redemption INTEGER PRIMARY KEY, -- Grows: the order in which codes were redeemed.
    invitation INTEGER NOT NULL REFERENCES invitations (invitation),
    request_id TEXT NOT NULL,
    holder TEXT NOT NULL, -- The new author.
    token_id TEXT NOT NULL REFERENCES tokens (token_id),
    redeemed_ms INTEGER NOT NULL,
    UNIQUE (invitation, holder)
);
