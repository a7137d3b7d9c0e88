-- Filters of accounts, applied in the order of place. Numbers are never used twice.
CREATE TABLE filter (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	account    INTEGER NOT NULL,
	place      INTEGER NOT NULL,           -- from 1, without gaps
	name       TEXT NOT NULL,              -- empty: none
	condition  TEXT NOT NULL,
	actions    TEXT NOT NULL,              -- JSON
	created    INTEGER NOT NULL,
	matched    INTEGER NOT NULL DEFAULT 0, -- articles on which it has acted
	matched_at INTEGER,
	skipped    INTEGER NOT NULL DEFAULT 0, -- articles with which it was not compared
	skipped_at INTEGER
) STRICT;
CREATE INDEX filter_account ON filter (account, place);

-- What filters made of an item's latest revision, for one account. Where nothing is said there is no row.
CREATE TABLE filtered (
	account  INTEGER NOT NULL,
	item     INTEGER NOT NULL,
	channel  INTEGER NOT NULL,
	revision INTEGER NOT NULL,             -- the latest when filters were applied; 0: that of another channel, which was merged
	hidden   INTEGER NOT NULL,             -- filter.id that dropped it; 0: it is shown
	silent   INTEGER NOT NULL,             -- 1: no target of the account gets the revision
	loud     INTEGER NOT NULL,             -- 1: all get it; 2: although filters have marked it read
	PRIMARY KEY (account, item)
) STRICT, WITHOUT ROWID;
CREATE INDEX filtered_item ON filtered (item);
CREATE INDEX filtered_channel ON filtered (channel);
CREATE INDEX filtered_hidden ON filtered (account, hidden) WHERE hidden != 0;
CREATE INDEX filtered_hidden_channel ON filtered (account, channel) WHERE hidden != 0;

-- 1: a filter has added it, and it keeps no item; 0: a person has, and the item stays.
ALTER TABLE label ADD COLUMN auto INTEGER NOT NULL DEFAULT 0;
