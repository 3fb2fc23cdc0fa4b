ALTER TABLE quotas ADD COLUMN stored_bytes_at_most INTEGER NOT NULL DEFAULT 0;

-- Bytes of the terms of all matches and contests that are stored, by who made them.
CREATE TABLE stored_bytes (
    holder TEXT PRIMARY KEY,
    bytes INTEGER NOT NULL
);

-- Whose request made the match that this first entry opens, as far as it can be read.
CREATE VIEW match_makers AS
    SELECT entry, json_extract(label.value, '$[1]') AS holder, length(line) AS bytes
    FROM entries, json_each(CASE WHEN json_valid(line) THEN line ELSE '{}' END, '$.setup.labels') AS label
    WHERE number = 1 AND json_extract(label.value, '$[0]') = 'maker';

CREATE VIEW contest_makers AS
    SELECT entry, json_extract(CASE WHEN json_valid(line) THEN line ELSE '{}' END, '$.organiser') AS holder,
        length(line) AS bytes
    FROM contest_entries
    WHERE number = 1;

INSERT INTO stored_bytes (holder, bytes)
    SELECT holder, sum(bytes)
    FROM (SELECT holder, bytes FROM match_makers UNION ALL SELECT holder, bytes FROM contest_makers)
    WHERE holder IS NOT NULL
    GROUP BY holder;

CREATE TRIGGER count_match AFTER INSERT ON entries WHEN NEW.number = 1
BEGIN
    INSERT INTO stored_bytes (holder, bytes)
    SELECT holder, bytes FROM match_makers WHERE entry = NEW.entry AND holder IS NOT NULL
    ON CONFLICT (holder) DO UPDATE SET bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER discount_match BEFORE DELETE ON entries WHEN OLD.number = 1
BEGIN
    UPDATE stored_bytes SET bytes = bytes - (SELECT max(bytes) FROM match_makers WHERE entry = OLD.entry)
    WHERE holder = (SELECT holder FROM match_makers WHERE entry = OLD.entry);
END;

CREATE TRIGGER count_contest AFTER INSERT ON contest_entries WHEN NEW.number = 1
BEGIN
    INSERT INTO stored_bytes (holder, bytes)
    SELECT holder, bytes FROM contest_makers WHERE entry = NEW.entry AND holder IS NOT NULL
    ON CONFLICT (holder) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
