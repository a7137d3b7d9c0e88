-- Whether the network's archive keeps what is published here: 1 if its nodes have said so.
ALTER TABLE published ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
CREATE INDEX published_unarchived ON published (publication, number) WHERE sent = 1 AND archived = 0;
