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

-- Matches from before this step, as far as their entries can be read. Every line begins with its version and its kind.
INSERT INTO match_summaries (match, created_ms, game, ladder, tournament, phase, began, ended)
SELECT match, at_ms, json_extract(line, '$.setup.game'),
    (SELECT json_extract(value, '$[1]') FROM json_each(line, '$.setup.labels') WHERE json_extract(value, '$[0]') = 'ladder'),
    (SELECT json_extract(value, '$[1]') FROM json_each(line, '$.setup.labels')
        WHERE json_extract(value, '$[0]') = 'tournament'),
    CASE WHEN over = 1 THEN 'over' WHEN began IS NULL THEN 'waiting' ELSE 'playing' END, began,
    CASE WHEN over = 1 THEN (SELECT max(number) FROM entries WHERE entries.match = opened.match) END
FROM (
    SELECT match, over, at_ms, CASE WHEN json_valid(line) THEN line ELSE '{}' END AS line,
        (SELECT number FROM entries AS later
            WHERE later.match = matches.match AND later.line GLOB '{"v":[0-9],"kind":"play_began",*'
            ORDER BY number LIMIT 1) AS began
    FROM matches JOIN entries USING (match)
    WHERE number = 1
) AS opened
WHERE json_extract(line, '$.setup.game') IS NOT NULL;

INSERT OR REPLACE INTO match_seats (match, seat, bot)
SELECT match, player.key, json_extract(player.value, '$.bot')
FROM match_summaries JOIN entries USING (match), json_each(line, '$.setup.players') AS player
WHERE number = 1 AND json_extract(player.value, '$.bot') IS NOT NULL;

INSERT OR REPLACE INTO match_seats (match, seat, bot)
SELECT match, json_extract(line, '$.seat'), json_extract(line, '$.player.bot')
FROM match_summaries JOIN entries USING (match)
WHERE began IS NULL AND CASE
    WHEN line GLOB '{"v":[0-9],"kind":"seat_taken",*' AND json_valid(line) THEN json_extract(line, '$.player.bot')
    END IS NOT NULL
ORDER BY entry;

INSERT OR REPLACE INTO match_seats (match, seat, bot)
SELECT match, player.key, json_extract(player.value, '$.bot')
FROM match_summaries JOIN entries USING (match),
    json_each(CASE WHEN json_valid(line) THEN line ELSE '{}' END, '$.seated') AS player
WHERE number = began AND json_extract(player.value, '$.bot') IS NOT NULL;
