-- Published items that this node keeps for the network, whoever follows them.
CREATE TABLE archived (
	key    BLOB NOT NULL,                        -- the item's point on the ring
	topic  BLOB NOT NULL,
	number INTEGER NOT NULL,                     -- unsigned
	size   INTEGER NOT NULL,                     -- bytes, unpacked
	print  INTEGER NOT NULL,                     -- unsigned; the start of a hash of the item
	since  INTEGER NOT NULL,
	item   BLOB NOT NULL                         -- packed
) STRICT;
CREATE UNIQUE INDEX archived_key ON archived (key);
CREATE UNIQUE INDEX archived_name ON archived (topic, number);

-- How much there is of each topic; of the empty one: of all.
CREATE TABLE archive_use (
	topic BLOB PRIMARY KEY,
	items INTEGER NOT NULL,
	bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO archive_use (topic, items, bytes) VALUES (x'', 0, 0);

-- Larger content, which is fetched in pieces.
CREATE TABLE large (
	id       INTEGER PRIMARY KEY,
	ref      BLOB NOT NULL UNIQUE,
	length   INTEGER NOT NULL,                   -- bytes of the whole
	manifest BLOB NOT NULL,
	since    INTEGER NOT NULL
) STRICT;
CREATE TABLE piece (
	large INTEGER NOT NULL,
	place INTEGER NOT NULL,                      -- from 0
	body  BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX piece_place ON piece (large, place);
