-- Several people may use a node. Numbers of accounts are never used twice, and names are compared without regard to case.
CREATE TABLE person (
	id       INTEGER PRIMARY KEY AUTOINCREMENT,
	name     TEXT NOT NULL COLLATE NOCASE UNIQUE,
	password TEXT NOT NULL DEFAULT '',           -- hash; empty: none is set
	role     TEXT NOT NULL DEFAULT 'reader',     -- or 'administrator'
	created  INTEGER,                            -- NULL of the owner, who was there before
	secret   BLOB NOT NULL DEFAULT (randomblob(16)) -- makes addresses the person's own
) STRICT;
INSERT INTO person (id, name, password, role)
	SELECT id, name, password, CASE id WHEN 1 THEN 'administrator' ELSE 'reader' END FROM account;
DROP TABLE account;
ALTER TABLE person RENAME TO account;

ALTER TABLE session ADD COLUMN created INTEGER;
ALTER TABLE session ADD COLUMN used INTEGER;                     -- when it was last renewed
ALTER TABLE session ADD COLUMN browser TEXT NOT NULL DEFAULT '';  -- as it calls itself
CREATE INDEX session_account ON session (account);
