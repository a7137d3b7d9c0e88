-- Which larger contents belong to the items that are published here, as they are now.
CREATE TABLE published_file (
	mark INTEGER NOT NULL,                       -- of published_mark
	ref  BLOB NOT NULL,                          -- of large
	PRIMARY KEY (mark, ref)
) STRICT, WITHOUT ROWID;
