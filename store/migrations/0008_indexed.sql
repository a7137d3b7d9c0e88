-- Up to which number the search index knows all revisions. Those after it are about to be added.
CREATE TABLE indexed (
	upto INTEGER NOT NULL
) STRICT;
INSERT INTO indexed (upto) SELECT last FROM sequence WHERE name = 'revision';

-- Items as they were signed, in the order in which they came: long as they are, they do not stand in an index.
ALTER TABLE pushed RENAME TO pushed_before;
CREATE TABLE pushed (
	id      INTEGER PRIMARY KEY,
	channel INTEGER NOT NULL,
	topic   BLOB NOT NULL,
	number  INTEGER NOT NULL,
	item    BLOB NOT NULL
) STRICT;
INSERT INTO pushed (channel, topic, number, item) SELECT channel, topic, number, item FROM pushed_before ORDER BY channel, number;
DROP TABLE pushed_before;
CREATE UNIQUE INDEX pushed_number ON pushed (channel, number);
CREATE INDEX pushed_topic ON pushed (topic, number);
