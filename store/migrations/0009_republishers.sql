-- What people here think of nodes that find changes for them: 1, they are preferred; -1, they are distrusted.
-- A node of zeros stands for all of which nothing else is said.
CREATE TABLE republisher (
	node     BLOB PRIMARY KEY,
	standing INTEGER NOT NULL,
	since    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
