-- What was sent last to targets that can retract it, until it is retracted or newer messages take its place. A row is what the
-- delivery was.
CREATE TABLE sent (
	target   INTEGER NOT NULL,
	delivery INTEGER NOT NULL,           -- delivery.id
	version  INTEGER NOT NULL,
	revision INTEGER NOT NULL,
	read     INTEGER NOT NULL DEFAULT 0, -- 1: the person has read it since, and it is to be retracted
	PRIMARY KEY (target, delivery)
) STRICT, WITHOUT ROWID;
