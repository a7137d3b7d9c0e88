-- What people have read. Of an item the latest revision counts: it is unread if it is above what the mark of the item says, or
-- without a mark above subscription.seen. So a new item is unread to all that follow its channel, and nothing is written for any.
CREATE TABLE mark (
	account INTEGER NOT NULL,
	channel INTEGER NOT NULL,
	item    INTEGER NOT NULL,
	read    INTEGER NOT NULL,                    -- the latest revision that was read; 0: none
	changed INTEGER NOT NULL,                    -- when the item was last marked or starred
	PRIMARY KEY (account, channel, item)
) STRICT, WITHOUT ROWID;
CREATE INDEX mark_item ON mark (item);
CREATE INDEX mark_unread ON mark (account, channel, item) WHERE read = 0;
CREATE INDEX item_latest ON item (channel, latest);

ALTER TABLE channel ADD COLUMN kept INTEGER NOT NULL DEFAULT 0;      -- items of which a revision is kept; triggers count them
UPDATE channel SET kept = (SELECT count(*) FROM item i WHERE i.channel = channel.id AND i.latest != 0);
CREATE TRIGGER item_added AFTER INSERT ON item WHEN new.latest != 0 BEGIN
	UPDATE channel SET kept = kept + 1 WHERE id = new.channel;
END;
CREATE TRIGGER item_removed AFTER DELETE ON item WHEN old.latest != 0 BEGIN
	UPDATE channel SET kept = kept - 1 WHERE id = old.channel;
END;
CREATE TRIGGER item_emptied AFTER UPDATE OF latest ON item WHEN (old.latest = 0) != (new.latest = 0) BEGIN
	UPDATE channel SET kept = kept + (new.latest != 0) - (old.latest != 0) WHERE id = new.channel;
END;

ALTER TABLE subscription ADD COLUMN seen INTEGER NOT NULL DEFAULT 0; -- revisions up to this one are read unless a mark says otherwise
ALTER TABLE subscription ADD COLUMN read INTEGER NOT NULL DEFAULT 0; -- kept items of the channel that are read
UPDATE subscription SET seen = coalesce((SELECT max(id) FROM revision r WHERE r.channel = subscription.channel), 0);
UPDATE subscription SET read = (SELECT kept FROM channel c WHERE c.id = subscription.channel) - unread;
INSERT INTO mark (account, channel, item, read, changed)
	SELECT u.account, u.channel, r.item, 0, unixepoch() * 1000000 FROM unread u JOIN revision r ON r.id = u.revision
	JOIN subscription s ON s.account = u.account AND s.channel = u.channel;
ALTER TABLE subscription DROP COLUMN unread;
DROP TABLE unread;
