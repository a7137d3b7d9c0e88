-- Items that this node has taken to bring to zones of the network, with which it goes on after a crash.
CREATE TABLE forwarding (
	item      INTEGER NOT NULL,
	zone      TEXT NOT NULL,
	published INTEGER NOT NULL,
	message   BLOB NOT NULL, -- the item as nodes send it
	PRIMARY KEY (item, zone)
) STRICT;
