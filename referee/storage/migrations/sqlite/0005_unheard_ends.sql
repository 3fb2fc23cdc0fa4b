-- The seats of matches, over or not, whose bots are not known to have heard of the end.
CREATE TABLE unheard_ends (
    match INTEGER NOT NULL REFERENCES matches (match),
    seat INTEGER NOT NULL,
    bot TEXT NOT NULL,
    PRIMARY KEY (match, seat)
) WITHOUT ROWID;

CREATE INDEX unheard_ends_of_bot ON unheard_ends (bot, match);

-- Matches that go on while this step is taken: who sits there is what their entries say last.
INSERT OR REPLACE INTO unheard_ends (match, seat, bot)
SELECT match, player.key, json_extract(player.value, '$.bot')
FROM matches JOIN entries USING (match), json_each(line, '$.setup.players') AS player
WHERE over = 0 AND number = 1 AND json_extract(player.value, '$.bot') <> '';

INSERT OR REPLACE INTO unheard_ends (match, seat, bot)
SELECT match, json_extract(line, '$.seat'), json_extract(line, '$.player.bot')
FROM matches JOIN entries USING (match)
WHERE over = 0 AND json_extract(line, '$.kind') = 'seat_taken'
ORDER BY entry;

INSERT OR REPLACE INTO unheard_ends (match, seat, bot)
SELECT match, player.key, json_extract(player.value, '$.bot')
FROM matches JOIN entries USING (match), json_each(line, '$.seated') AS player
WHERE over = 0 AND json_extract(line, '$.kind') = 'play_began';
