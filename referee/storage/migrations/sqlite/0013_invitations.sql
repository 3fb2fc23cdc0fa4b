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

ALTER TABLE quotas ADD COLUMN max_authors INTEGER NOT NULL DEFAULT 0;
