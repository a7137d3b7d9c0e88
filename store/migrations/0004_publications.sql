-- What this node publishes. A row stays when a publication is stopped, so that its numbers go on.
CREATE TABLE publication (
	id          INTEGER PRIMARY KEY,
	channel     TEXT NOT NULL,                   -- canonical URL
	key         TEXT NOT NULL,                   -- name of the publisher's key, whatever key that is
	fingerprint BLOB NOT NULL,                   -- of the key in use
	topic       BLOB NOT NULL,                   -- of the channel and that key
	silence     INTEGER NOT NULL,                -- seconds; 0: nothing is promised
	watched     TEXT NOT NULL DEFAULT '',        -- file or URL; empty: items come from elsewhere
	contents    TEXT NOT NULL DEFAULT '',        -- directory with whole contents
	next        INTEGER NOT NULL DEFAULT 1,      -- number of the next item
	last        INTEGER NOT NULL DEFAULT 0,      -- time of the item before it, in milliseconds since 1970
	started     INTEGER NOT NULL,
	stopped     INTEGER,                         -- NULL: it goes on
	UNIQUE (channel, key)
) STRICT;

-- The items as they were signed.
CREATE TABLE published (
	publication INTEGER NOT NULL,
	number      INTEGER NOT NULL,
	topic       BLOB NOT NULL,
	item        BLOB NOT NULL,
	sent        INTEGER NOT NULL DEFAULT 0,      -- 1: nodes of the network have it
	PRIMARY KEY (publication, number)
) STRICT;
CREATE INDEX published_topic ON published (topic, number);
CREATE INDEX published_unsent ON published (publication, number) WHERE sent = 0;

-- By what the items of a publication are known again, and what was published of them last.
CREATE TABLE published_mark (
	id          INTEGER PRIMARY KEY,
	publication INTEGER NOT NULL,
	guid        INTEGER NOT NULL,
	link        INTEGER NOT NULL,
	title       INTEGER NOT NULL,
	date        INTEGER NOT NULL,
	print       INTEGER NOT NULL,
	content     BLOB NOT NULL,                   -- hash of what was published
	listed      INTEGER NOT NULL                 -- 1: the latest document had it
) STRICT;
CREATE INDEX published_mark_guid ON published_mark (publication, guid);
CREATE INDEX published_mark_link ON published_mark (publication, link);
