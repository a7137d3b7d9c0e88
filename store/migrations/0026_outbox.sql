-- A target is an address at which a person is notified. Numbers are never used twice.
CREATE TABLE target (
	id        INTEGER PRIMARY KEY AUTOINCREMENT,
	account   INTEGER NOT NULL,
	name      TEXT NOT NULL,
	kind      TEXT NOT NULL,
	url       TEXT NOT NULL,
	channel   TEXT NOT NULL,             -- URL of the only channel whose updates it gets; empty: any
	folder    TEXT NOT NULL,             -- the only folder whose channels' updates it gets; empty: any
	secret    TEXT NOT NULL,
	form      TEXT,                      -- JSON; NULL: none
	title     TEXT NOT NULL,             -- wording; empty: the node's
	body      TEXT NOT NULL,
	created   INTEGER NOT NULL,
	pending   INTEGER NOT NULL DEFAULT 0, -- its rows in delivery that are not failed
	failed    INTEGER NOT NULL DEFAULT 0, -- and that are
	dropped   INTEGER NOT NULL DEFAULT 0,
	delivered INTEGER,                   -- when something was last; NULL: nothing was
	tries     INTEGER NOT NULL DEFAULT 0, -- failures in a row
	due       INTEGER,                   -- nothing is tried before; NULL: at once
	problem   TEXT NOT NULL DEFAULT '',
	suspended INTEGER NOT NULL DEFAULT 0,
	UNIQUE (account, name)
) STRICT;

-- A delivery is a message for a target that has not been delivered.
CREATE TABLE delivery (
	id       INTEGER PRIMARY KEY AUTOINCREMENT,
	target   INTEGER NOT NULL,
	version  INTEGER NOT NULL,           -- version.id
	revision INTEGER NOT NULL,           -- of an item; 0: all of the version
	made     INTEGER NOT NULL,
	tries    INTEGER NOT NULL DEFAULT 0,
	failed   INTEGER NOT NULL DEFAULT 0, -- 1: it was given up
	problem  TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX delivery_target ON delivery (target, failed, id);
