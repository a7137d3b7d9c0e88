-- Files that items of channels carry by reference: their publishers have signed what they consist of.
CREATE TABLE item_file (
	channel  INTEGER NOT NULL,
	url      TEXT NOT NULL,                      -- of the file at its origin
	ref      BLOB NOT NULL,                      -- of large
	type     TEXT NOT NULL,
	length   INTEGER NOT NULL,
	since    INTEGER NOT NULL,
	given_up INTEGER,                            -- since when it is looked for no longer
	PRIMARY KEY (channel, url)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_file_ref ON item_file (ref);

-- Whether this node has published a larger content, and not fetched it: 1 if so.
ALTER TABLE large ADD COLUMN own INTEGER NOT NULL DEFAULT 0;
