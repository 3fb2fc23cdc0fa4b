-- A result that a bot has not confirmed is an undelivered end.
ALTER TABLE unheard_ends RENAME TO undelivered_ends;

DROP INDEX unheard_ends_of_bot;

CREATE INDEX undelivered_ends_of_bot ON undelivered_ends (bot, match);
