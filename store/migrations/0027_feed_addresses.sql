-- Addresses at which feeds of people's own can be read, each with a secret. Numbers are never used twice.
CREATE TABLE feed_address (
	id        INTEGER PRIMARY KEY AUTOINCREMENT,
	hash      BLOB NOT NULL UNIQUE,     -- SHA-256 of the secret, which is kept nowhere
	account   INTEGER NOT NULL,
	name      TEXT NOT NULL,            -- empty: none
	selection TEXT NOT NULL,            -- 'river', 'unread', 'starred', 'folder', 'search' or 'channel'
	of        TEXT NOT NULL,            -- path of the folder, words of the search, or URL of the channel; else empty
	created   INTEGER NOT NULL,
	used      INTEGER                   -- the day of the last use; NULL: never
) STRICT;
CREATE INDEX feed_address_account ON feed_address (account);
