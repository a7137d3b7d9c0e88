-- Revisions of items that are here and must not be shown so far: in table revision once they may be. An item has one at most.
CREATE TABLE embargo (
	item      INTEGER PRIMARY KEY,
	channel   INTEGER NOT NULL,
	due       INTEGER NOT NULL,                  -- when its embargo ends
	found_by  TEXT NOT NULL,                     -- as of the version in which it came
	signed_by TEXT NOT NULL,
	change    TEXT NOT NULL,
	guid      TEXT NOT NULL,
	url       TEXT NOT NULL,
	title     TEXT NOT NULL,
	author    TEXT NOT NULL,
	published INTEGER,
	updated   INTEGER,
	extra     TEXT NOT NULL,
	summary   BLOB,
	content   BLOB,
	raw       BLOB
) STRICT;
CREATE INDEX embargo_due ON embargo (due);
CREATE INDEX embargo_channel ON embargo (channel);
