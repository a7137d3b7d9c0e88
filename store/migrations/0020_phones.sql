-- What readers on phones need: when items arrived, numbers of folders, and labels.
ALTER TABLE item ADD COLUMN arrived INTEGER NOT NULL DEFAULT 0; -- when readers were first shown it; 0: they were not
CREATE TEMP TABLE first AS SELECT r.item, min(v.received) AS received FROM revision r JOIN version v ON v.id = r.version GROUP BY r.item;
CREATE UNIQUE INDEX temp.first_item ON first (item);
UPDATE item SET arrived = coalesce((SELECT f.received FROM temp.first f WHERE f.item = item.id), 0) WHERE latest != 0;
DROP TABLE temp.first;
CREATE INDEX item_arrived ON item (arrived);

-- A folder keeps its number while nothing is in it. It is none then, unless somebody has made it empty: kept is 1.
CREATE TABLE folder (
	id      INTEGER PRIMARY KEY AUTOINCREMENT,   -- from 2: readers call by 1 what is in none
	account INTEGER NOT NULL,
	path    TEXT NOT NULL,
	kept    INTEGER NOT NULL DEFAULT 0,
	UNIQUE (account, path)
) STRICT;
INSERT INTO sqlite_sequence (name, seq) VALUES ('folder', 1);
INSERT INTO sqlite_sequence (name, seq) SELECT 'channel', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'channel');
INSERT INTO folder (account, path) SELECT DISTINCT account, folder FROM subscription WHERE folder != '' ORDER BY account, folder;

CREATE TABLE label (
	account INTEGER NOT NULL,
	name    TEXT NOT NULL,
	item    INTEGER NOT NULL,
	channel INTEGER NOT NULL,
	PRIMARY KEY (account, name, item)
) STRICT, WITHOUT ROWID;
CREATE INDEX label_item ON label (item);
CREATE INDEX label_channel ON label (channel);
