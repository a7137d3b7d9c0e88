-- dated orders items across channels: when the latest revision claims that the item was published, or else updated. It is the arrival
-- where that claim is missing, before 1970 or later than the arrival.
ALTER TABLE item ADD COLUMN dated INTEGER NOT NULL DEFAULT 0;
UPDATE item SET dated = coalesce((SELECT CASE WHEN coalesce(r.published, r.updated) BETWEEN 1000000 AND item.arrived THEN coalesce(r.published, r.updated) ELSE item.arrived END
	FROM revision r WHERE r.id = item.latest), 0) WHERE latest != 0;
CREATE INDEX item_dated ON item (channel, dated);
CREATE TRIGGER item_dated_by_revision AFTER INSERT ON revision BEGIN
	UPDATE item SET dated = CASE WHEN coalesce(new.published, new.updated) BETWEEN 1000000 AND arrived THEN coalesce(new.published, new.updated) ELSE arrived END
		WHERE channel = new.channel AND id = new.item AND latest = new.id;
END;
CREATE TRIGGER item_dated_by_claim AFTER UPDATE OF published, updated ON revision
	WHEN old.published IS NOT new.published OR old.updated IS NOT new.updated BEGIN
	UPDATE item SET dated = CASE WHEN coalesce(new.published, new.updated) BETWEEN 1000000 AND arrived THEN coalesce(new.published, new.updated) ELSE arrived END
		WHERE channel = new.channel AND id = new.item AND latest = new.id;
END;
CREATE TRIGGER item_dated_by_item AFTER UPDATE OF latest, arrived ON item
	WHEN new.latest != 0 AND (old.latest != new.latest OR old.arrived != new.arrived) BEGIN
	UPDATE item SET dated = coalesce((SELECT CASE WHEN coalesce(r.published, r.updated) BETWEEN 1000000 AND new.arrived THEN coalesce(r.published, r.updated) ELSE new.arrived END
		FROM revision r WHERE r.id = new.latest), new.dated) WHERE channel = new.channel AND id = new.id;
END;
