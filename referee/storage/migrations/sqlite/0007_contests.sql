CREATE TABLE contests (
    contest INTEGER PRIMARY KEY, -- Grows: the order in which contests were made.
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
