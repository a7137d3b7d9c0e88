-- Times are microseconds since 1970 UTC, NULL where there is none.
-- Item, revision and update numbers come from table sequence: none is ever used twice.

CREATE TABLE account (
	id       INTEGER PRIMARY KEY,
	name     TEXT NOT NULL UNIQUE,
	password TEXT NOT NULL DEFAULT ''            -- hash; empty: none is set
) STRICT;
INSERT INTO account (id, name) VALUES (1, 'owner');

CREATE TABLE sequence (
	name TEXT PRIMARY KEY,
	last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO sequence (name, last) VALUES ('item', 0), ('revision', 0), ('update', 0);

CREATE TABLE setting (
	key   TEXT PRIMARY KEY,
	value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE channel (
	id       INTEGER PRIMARY KEY AUTOINCREMENT,
	url      TEXT NOT NULL UNIQUE,
	moved    TEXT NOT NULL DEFAULT '',
	kind     TEXT NOT NULL DEFAULT '',
	title    TEXT NOT NULL DEFAULT '',
	site     TEXT NOT NULL DEFAULT '',
	privacy  TEXT NOT NULL,
	options  TEXT NOT NULL DEFAULT '',           -- JSON; empty: the defaults
	version  INTEGER NOT NULL DEFAULT 0,         -- the latest
	latest   INTEGER NOT NULL DEFAULT 0,         -- update that brought it
	changed  INTEGER,                            -- when that was stored
	added    INTEGER NOT NULL,
	orphaned INTEGER                             -- since when nobody follows it
) STRICT;
CREATE INDEX channel_orphaned ON channel (orphaned) WHERE orphaned IS NOT NULL;

-- What a poll changes, apart from what hardly ever changes.
CREATE TABLE watch (
	channel  INTEGER PRIMARY KEY,
	health   TEXT NOT NULL DEFAULT 'new',
	failures INTEGER NOT NULL DEFAULT 0,
	ended    INTEGER NOT NULL DEFAULT 0,
	at       INTEGER,
	why      TEXT NOT NULL DEFAULT '',
	outcome  TEXT NOT NULL DEFAULT '',
	status   INTEGER NOT NULL DEFAULT 0,
	bytes    INTEGER NOT NULL DEFAULT 0,
	took     INTEGER NOT NULL DEFAULT 0,         -- nanoseconds
	error    TEXT NOT NULL DEFAULT '',
	next     INTEGER,
	next_why TEXT NOT NULL DEFAULT '',
	memory   BLOB
) STRICT;

CREATE TABLE noise (
	channel INTEGER PRIMARY KEY,
	body    BLOB NOT NULL
) STRICT;

-- Apart from channel, so that no query made for a reader can show them.
CREATE TABLE credential (
	channel  INTEGER PRIMARY KEY,
	user     TEXT NOT NULL,
	password TEXT NOT NULL
) STRICT;

CREATE TABLE subscription (
	account INTEGER NOT NULL,
	channel INTEGER NOT NULL,
	name    TEXT NOT NULL DEFAULT '',
	folder  TEXT NOT NULL DEFAULT '',
	since   INTEGER NOT NULL,
	unread  INTEGER NOT NULL DEFAULT 0,          -- rows in unread of this account and channel
	PRIMARY KEY (account, channel)
) STRICT, WITHOUT ROWID;
CREATE INDEX subscription_channel ON subscription (channel);

-- Clustered by channel, so that the marks of a channel are read in one sweep.
CREATE TABLE item (
	channel INTEGER NOT NULL,
	id      INTEGER NOT NULL,
	guid    INTEGER NOT NULL,                    -- the five parts of tidings.Mark
	link    INTEGER NOT NULL,
	title   INTEGER NOT NULL,
	date    INTEGER NOT NULL,
	print   INTEGER NOT NULL,
	latest  INTEGER NOT NULL,                    -- revision; 0: retention has removed them all
	PRIMARY KEY (channel, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX item_id ON item (id);

CREATE TABLE version (
	id             INTEGER PRIMARY KEY,          -- the update's
	channel        INTEGER NOT NULL,
	version        INTEGER NOT NULL,
	kind           TEXT NOT NULL,
	found          INTEGER,
	received       INTEGER NOT NULL,
	found_by       TEXT NOT NULL DEFAULT '',
	origin_changed INTEGER,
	base_hash      TEXT NOT NULL DEFAULT '',
	hash           TEXT NOT NULL DEFAULT '',
	delta          BLOB,                         -- packed text
	first          INTEGER NOT NULL,             -- its revisions have the numbers first to last
	last           INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX version_channel ON version (channel, version);
CREATE INDEX version_received ON version (received);

-- Of a feed: the numbers of the items in the document, in its order. Of a page: its lines.
CREATE TABLE content (
	version INTEGER PRIMARY KEY,                 -- version.id
	body    BLOB NOT NULL
) STRICT;

-- The document of a page's latest version, as it was received.
CREATE TABLE document (
	channel INTEGER PRIMARY KEY,
	body    BLOB NOT NULL,                       -- packed
	type    TEXT NOT NULL                        -- Content-Type
) STRICT;

CREATE TABLE revision (
	id         INTEGER PRIMARY KEY,
	version    INTEGER NOT NULL,                 -- version.id
	channel    INTEGER NOT NULL,
	item       INTEGER NOT NULL,
	before     INTEGER NOT NULL,                 -- the item's revision before this; 0: none
	change     TEXT NOT NULL,
	guid       TEXT NOT NULL,
	url        TEXT NOT NULL,
	title      TEXT NOT NULL,
	author     TEXT NOT NULL,
	published  INTEGER,
	updated    INTEGER,
	extra      TEXT NOT NULL,                    -- JSON: enclosures and categories; empty: none
	summary    BLOB,                             -- packed text
	content    BLOB,                             -- packed text
	raw        BLOB                              -- packed text; NULL: the same as content, else summary
) STRICT;
CREATE INDEX revision_channel ON revision (channel);

-- The latest revision of each item that an account follows and has not read.
CREATE TABLE unread (
	account  INTEGER NOT NULL,
	revision INTEGER NOT NULL,
	channel  INTEGER NOT NULL,
	PRIMARY KEY (account, revision)
) STRICT, WITHOUT ROWID;

CREATE TABLE star (
	account INTEGER NOT NULL,
	item    INTEGER NOT NULL,
	channel INTEGER NOT NULL,
	since   INTEGER NOT NULL,
	PRIMARY KEY (account, item)
) STRICT, WITHOUT ROWID;
CREATE INDEX star_item ON star (item);
CREATE INDEX star_channel ON star (channel);

-- The words of each revision; the texts themselves stand in revision.
CREATE VIRTUAL TABLE search USING fts5 (
	title, body, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2"
);

CREATE TABLE session (
	hash    BLOB PRIMARY KEY,
	account INTEGER NOT NULL,
	expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE token (
	id      INTEGER PRIMARY KEY AUTOINCREMENT,
	hash    BLOB NOT NULL UNIQUE,
	account INTEGER NOT NULL,
	label   TEXT NOT NULL,
	created INTEGER NOT NULL,
	used    INTEGER
) STRICT;
