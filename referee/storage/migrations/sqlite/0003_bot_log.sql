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
