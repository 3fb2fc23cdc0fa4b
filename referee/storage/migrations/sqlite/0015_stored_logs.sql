-- The whole log of a match counts for its maker once it is over: moves are not limited otherwise. A match in play counts
-- with its first entry, and the number of these is limited.
CREATE TRIGGER count_log AFTER UPDATE OF over ON matches WHEN NEW.over = 1 AND OLD.over = 0
BEGIN
    UPDATE stored_bytes
    SET bytes = bytes + (SELECT coalesce(sum(length(line)), 0) FROM entries WHERE match = NEW.match AND number > 1)
    WHERE holder IN (
        SELECT holder FROM match_makers
        WHERE entry = (SELECT entry FROM entries WHERE match = NEW.match AND number = 1)
    );
END;

DROP TRIGGER discount_match;

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

UPDATE stored_bytes
SET bytes = bytes + coalesce(
    (
        SELECT sum(length(line)) FROM entries
        WHERE number > 1 AND match IN (
            SELECT opened.match FROM matches AS opened
            JOIN entries AS first ON first.match = opened.match AND first.number = 1
            JOIN match_makers USING (entry)
            WHERE opened.over = 1 AND match_makers.holder = stored_bytes.holder
        )
    ),
    0
);
