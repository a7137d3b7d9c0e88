-- The items in channels of queries, with the items that they are in the channels that those come from.
CREATE TABLE selected (
	item       INTEGER PRIMARY KEY,            -- in the channel of the query
	channel    INTEGER NOT NULL,
	origin     TEXT NOT NULL,                  -- URL of the channel that it comes from
	link       INTEGER NOT NULL,               -- of what the item is known by
	title      INTEGER NOT NULL,
	print      INTEGER NOT NULL,
	of         INTEGER NOT NULL DEFAULT 0,     -- the item there; 0: not here so far
	of_channel INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX selected_of ON selected (of) WHERE of != 0;
CREATE INDEX selected_channel ON selected (channel);
CREATE INDEX selected_of_channel ON selected (of_channel) WHERE of != 0;
CREATE INDEX selected_wanted ON selected (origin) WHERE of = 0;
CREATE TRIGGER selected_removed AFTER DELETE ON item BEGIN
	DELETE FROM selected WHERE item = old.id;
	UPDATE selected SET of = 0, of_channel = 0 WHERE of = old.id AND of != 0;
END;
CREATE TRIGGER selected_emptied AFTER UPDATE OF latest ON item WHEN new.latest = 0 AND old.latest != 0 BEGIN
	DELETE FROM selected WHERE item = new.id;
	UPDATE selected SET of = 0, of_channel = 0 WHERE of = new.id AND of != 0;
END;

-- Those of them that are unread to somebody in both channels, which a sum over channels counts twice.
CREATE TABLE twice (
	account    INTEGER NOT NULL,
	item       INTEGER NOT NULL, -- selected.item
	channel    INTEGER NOT NULL,
	of_channel INTEGER NOT NULL,
	PRIMARY KEY (account, item)
) STRICT, WITHOUT ROWID;
CREATE INDEX twice_item ON twice (item);
CREATE TRIGGER selected_ended AFTER DELETE ON selected BEGIN
	DELETE FROM twice WHERE item = old.item;
END;
CREATE TRIGGER selected_parted AFTER UPDATE OF of ON selected WHEN old.of != 0 AND new.of != old.of BEGIN
	DELETE FROM twice WHERE item = old.item;
END;
CREATE TABLE twice_count (
	account    INTEGER NOT NULL,
	channel    INTEGER NOT NULL,
	of_channel INTEGER NOT NULL,
	n          INTEGER NOT NULL,
	PRIMARY KEY (account, channel, of_channel)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER twice_added AFTER INSERT ON twice BEGIN
	INSERT INTO twice_count (account, channel, of_channel, n) VALUES (new.account, new.channel, new.of_channel, 1)
		ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER twice_ended AFTER DELETE ON twice BEGIN
	UPDATE twice_count SET n = n - 1 WHERE account = old.account AND channel = old.channel AND of_channel = old.of_channel;
	DELETE FROM twice_count WHERE account = old.account AND channel = old.channel AND of_channel = old.of_channel AND n <= 0;
END;
