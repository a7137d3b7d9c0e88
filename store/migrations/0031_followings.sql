-- What addresses of chat follow, and when they are sent messages, as it is noted for other nodes with the same account.
CREATE TABLE following (
	address  TEXT NOT NULL,             -- bare; empty: one that wished to be forgotten
	channel  TEXT NOT NULL,             -- URL; '~': the schedule; of a forgotten address its hash
	changed  INTEGER NOT NULL,
	ended    INTEGER NOT NULL DEFAULT 0,
	schedule TEXT NOT NULL DEFAULT '',  -- JSON
	PRIMARY KEY (address, channel)
) STRICT;
