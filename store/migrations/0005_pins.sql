-- Whose signature an update carries: the fingerprint of a publisher's key, in hexadecimal.
ALTER TABLE version ADD COLUMN signed_by TEXT NOT NULL DEFAULT '';

-- The publishers' keys that channels are trusted with, from when their documents first named them.
CREATE TABLE pin (
	channel     INTEGER PRIMARY KEY,
	topic       BLOB NOT NULL,
	fingerprint BLOB NOT NULL,
	silence     INTEGER NOT NULL,                -- seconds, as announced; 0: nothing is promised
	pinned      INTEGER NOT NULL,
	have        INTEGER NOT NULL DEFAULT 0,      -- all published items up to this number are here, or from before
	heard       INTEGER,                         -- when the publisher was heard of last
	offered     BLOB,                            -- another fingerprint that the document names, to which no rotation leads
	offered_at  INTEGER,                         -- since when
	revoked     INTEGER,                         -- when the key was found to be void
	distrusted  INTEGER NOT NULL DEFAULT 0,      -- 1: a person does not want its items
	pushed      INTEGER NOT NULL DEFAULT 0,      -- items that pushes have brought
	missed      INTEGER NOT NULL DEFAULT 0       -- items that polls have found and pushes should have brought
) STRICT;

-- Published items of the channels followed here, as they were signed, for those who lack them.
CREATE TABLE pushed (
	channel INTEGER NOT NULL,
	topic   BLOB NOT NULL,
	number  INTEGER NOT NULL,
	item    BLOB NOT NULL,
	PRIMARY KEY (channel, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX pushed_topic ON pushed (topic, number);
