-- The full text of items, as the node has read it from the pages that they link to. It is the item's, not that of a revision.
CREATE TABLE full_text (
	item     INTEGER PRIMARY KEY,
	state    TEXT NOT NULL,                 -- 'wanted', 'kept' or 'failed'
	due      INTEGER,                       -- wanted: when it is fetched
	tries    INTEGER NOT NULL DEFAULT 0,    -- that failed in a row
	revision INTEGER NOT NULL DEFAULT 0,    -- kept: the item's latest when it was fetched
	fetched  INTEGER,                       -- kept: when
	shorter  INTEGER NOT NULL DEFAULT 0,    -- kept: 1 if it says less than the feed did then
	content  BLOB,                          -- kept: packed text; it stays while it is fetched again
	before   BLOB,                          -- packed text: what it was before it was last fetched, if that was different
	why      TEXT NOT NULL DEFAULT ''       -- failed, or wanted again: why not
) STRICT;
CREATE INDEX full_text_due ON full_text (due) WHERE state = 'wanted';

-- Who has asked for the full text of an item: nobody else learns that somebody did.
CREATE TABLE full_text_reader (
	account INTEGER NOT NULL,
	item    INTEGER NOT NULL,
	PRIMARY KEY (account, item)
) STRICT, WITHOUT ROWID;
CREATE INDEX full_text_reader_item ON full_text_reader (item);

CREATE TRIGGER full_text_removed AFTER DELETE ON item BEGIN
	DELETE FROM full_text WHERE item = old.id;
	DELETE FROM full_text_reader WHERE item = old.id;
END;
CREATE TRIGGER full_text_emptied AFTER UPDATE OF latest ON item WHEN new.latest = 0 AND old.latest != 0 BEGIN
	DELETE FROM full_text WHERE item = old.id;
	DELETE FROM full_text_reader WHERE item = old.id;
END;

ALTER TABLE subscription ADD COLUMN full_text INTEGER NOT NULL DEFAULT 0; -- 1: of each new item the full text is fetched and shown
ALTER TABLE subscription ADD COLUMN pictures TEXT NOT NULL DEFAULT '';    -- 'always' or 'never'; empty: as the browser is set
