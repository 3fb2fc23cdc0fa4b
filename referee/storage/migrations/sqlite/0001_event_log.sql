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
    UNIQUE (match, number)
);
