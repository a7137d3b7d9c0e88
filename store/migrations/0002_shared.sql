-- A channel may be polled for other nodes, though nobody here follows it; then orphaned is set.
ALTER TABLE channel ADD COLUMN polled INTEGER;                   -- since when for other nodes; NULL: not
ALTER TABLE channel ADD COLUMN guest INTEGER NOT NULL DEFAULT 0; -- 1: nobody here has ever followed it
CREATE INDEX channel_polled ON channel (polled) WHERE polled IS NOT NULL;

-- The version of a channel, as the network numbers them, that this node has been given last.
CREATE TABLE shared (
	channel INTEGER PRIMARY KEY,
	number  INTEGER NOT NULL,
	hash    BLOB NOT NULL
) STRICT;

-- The contents that a channel has had lately, by the hash that other nodes know them by.
CREATE TABLE past (
	channel INTEGER NOT NULL,
	hash    BLOB NOT NULL,
	place   INTEGER NOT NULL,                    -- rises in the order in which the contents came
	latest  INTEGER NOT NULL,                    -- update that was the channel's latest then
	body    BLOB,                                -- of a feed: as in table content; NULL: of a page
	PRIMARY KEY (channel, hash)
) STRICT, WITHOUT ROWID;
