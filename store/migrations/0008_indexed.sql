-- Up to which number the search index knows all revisions. Those after it are about to be added.
CREATE TABLE indexed (
	upto INTEGER NOT NULL
) STRICT;
INSERT INTO indexed (upto) SELECT last FROM sequence WHERE name = 'revision';
