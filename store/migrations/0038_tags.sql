-- The tags that people have given channels that they follow.
CREATE TABLE tag (
	account INTEGER NOT NULL,
	channel INTEGER NOT NULL,
	name    TEXT NOT NULL,
	PRIMARY KEY (account, channel, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX tag_name ON tag (account, name);
