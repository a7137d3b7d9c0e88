package content

import (
	"tidings/store/db"
	"tidings/store/salvage"
)

// urlOf is a row's channel's address.
const urlOf = `(SELECT url FROM channel c WHERE c.id = x.channel)`

// dated is what an item's date is, of an item i and its latest revision r; triggers keep it so.
const dated = `CASE WHEN coalesce(r.published, r.updated) BETWEEN 1000000 AND i.arrived THEN coalesce(r.published, r.updated) ELSE i.arrived END`

// Numbers that are given.
const (
	itemNumbers     = "item"
	revisionNumbers = "revision"
	updateNumbers   = "update"
)

// reserved is how many numbers of items and revisions are noted ahead. The number of the latest update is asked for,
// and is noted as it is.
const reserved = 256

// Schema is what a check and a repair must know of the tables. An item whose text is lost is forgotten, so that it
// comes anew; a channel of which something is lost is polled soon, and as if for the first time.
var Schema = db.Schema{
	Sequences: []db.Sequence{
		{Name: itemNumbers, Reserve: reserved}, {Name: revisionNumbers, Reserve: reserved}, {Name: updateNumbers},
	},
	Tables: []db.Table{
		{Name: "revision", Key: []string{"id"}, Owner: urlOf},
		{Name: "version", Key: []string{"id"}, Owner: urlOf},
		{Name: "content", Key: []string{"version"},
			Owner: `(SELECT c.url FROM channel c JOIN version v ON v.channel = c.id WHERE v.id = x.version)`},
		{Name: "document", Key: []string{"channel"}, Owner: urlOf},
		{Name: "noise", Key: []string{"channel"}, Owner: urlOf},
		{Name: "item", Key: []string{"channel", "id"}, Owner: urlOf},
		{Name: "selected", Key: []string{"item"}, Owner: urlOf},
		{Name: "watch", Key: []string{"channel"}, Owner: urlOf},
		// it comes as new, or as changed where readers know an earlier one
		{Name: "embargo", Key: []string{"item"}, Owner: urlOf, Lost: []string{
			`DELETE FROM item WHERE id = ? AND latest = 0`, `UPDATE item SET print = 1 WHERE id = ?`}},
		{Name: "credential",
			Needed: "it has the passwords for origins, and the headers, cookies and proxies of channels, and without one others could follow what needs it"},
		{Name: "channel", Again: true, Rebuild: &lostChannels},
	},
	Again: []string{
		`UPDATE watch SET memory = NULL, next = NULL, error = 'a part of it was damaged on the disk'
			WHERE channel = (SELECT id FROM channel WHERE url = ?)`,
	},
	Consequences: []string{
		`DELETE FROM revision WHERE NOT EXISTS (SELECT 1 FROM version v WHERE v.id = revision.version
			AND revision.id BETWEEN v.first AND v.last)`,
		`DELETE FROM revision WHERE NOT EXISTS (SELECT 1 FROM item i WHERE i.channel = revision.channel
			AND i.id = revision.item)`,
		`DELETE FROM item WHERE latest != 0 AND NOT EXISTS (SELECT 1 FROM revision r WHERE r.id = item.latest
			AND r.item = item.id)`,
		`DELETE FROM revision WHERE NOT EXISTS (SELECT 1 FROM item i WHERE i.channel = revision.channel
			AND i.id = revision.item)`,
		`DELETE FROM embargo WHERE NOT EXISTS (SELECT 1 FROM item i WHERE i.channel = embargo.channel
			AND i.id = embargo.item)`,
		`DELETE FROM selected WHERE NOT EXISTS (SELECT 1 FROM item i WHERE i.channel = selected.channel
			AND i.id = selected.item AND i.latest != 0)`,
		`UPDATE selected SET of = 0, of_channel = 0 WHERE of != 0 AND NOT EXISTS (SELECT 1 FROM item i
			WHERE i.channel = selected.of_channel AND i.id = selected.of AND i.latest != 0)`,
		`DELETE FROM content WHERE NOT EXISTS (SELECT 1 FROM version v WHERE v.id = content.version)`,
		`UPDATE channel SET latest = 0 WHERE latest != 0 AND NOT EXISTS (SELECT 1 FROM version v
			JOIN content t ON t.version = v.id WHERE v.id = channel.latest)`,
		`INSERT INTO watch (channel) SELECT id FROM channel WHERE NOT EXISTS (SELECT 1 FROM watch w
			WHERE w.channel = channel.id)`,
		`UPDATE channel SET kept = (SELECT count(*) FROM item i WHERE i.channel = channel.id AND i.latest != 0)`,
		`UPDATE item SET dated = (SELECT ` + dated +
			` FROM item i JOIN revision r ON r.id = i.latest WHERE i.channel = item.channel AND i.id = item.id)
			WHERE latest != 0`,
	},
	Agreements: []db.Agreement{
		{What: "counts of kept items that are wrong", SQL: `SELECT count(*) FROM channel c WHERE c.kept !=
			(SELECT count(*) FROM item i WHERE i.channel = c.id AND i.latest != 0)`},
		{What: "items whose date is wrong",
			SQL: `SELECT count(*) FROM item i JOIN revision r ON r.id = i.latest WHERE i.dated != ` + dated},
		{What: "items whose latest entry is missing", SQL: `SELECT count(*) FROM item i WHERE i.latest != 0
			AND NOT EXISTS (SELECT 1 FROM revision r WHERE r.id = i.latest AND r.item = i.id)`},
		{What: "entries without their version", SQL: `SELECT count(*) FROM revision r WHERE NOT EXISTS
			(SELECT 1 FROM version v WHERE v.id = r.version AND r.id BETWEEN v.first AND v.last)`},
		{What: "channels that disagree with their latest version", SQL: `SELECT count(*) FROM channel c
			LEFT JOIN version v ON v.id = c.latest WHERE c.latest != 0 AND c.orphaned IS NULL
			AND (v.channel IS NOT c.id OR v.version IS NOT c.version)`},
		{What: "channels without what watching them needs", SQL: `SELECT count(*) FROM channel c
			WHERE NOT EXISTS (SELECT 1 FROM watch w WHERE w.channel = c.id)`},
		{What: "numbers that would be used twice", SQL: `SELECT count(*) FROM sequence s WHERE s.last < CASE s.name
			WHEN 'item' THEN (SELECT max(coalesce((SELECT max(id) FROM item), 0), coalesce((SELECT max(id)
			FROM edit), 0)))
			WHEN 'revision' THEN (SELECT coalesce(max(id), 0) FROM revision)
			WHEN 'update' THEN (SELECT coalesce(max(id), 0) FROM version) END`},
		{What: "items under embargo that are not known", SQL: `SELECT count(*) FROM embargo e
			WHERE NOT EXISTS (SELECT 1 FROM item i WHERE i.channel = e.channel AND i.id = e.item)`},
	},
}

// lostChannels come back by their addresses. One whose version has a number of the network's is public; another may be
// none, so that it is announced to nobody.
var lostChannels = salvage.Rebuildable{
	Table: salvage.Table{Name: "channel", Key: []string{"id", "url"}, Text: []int{1},
		Keys: `SELECT id, url FROM channel INDEXED BY sqlite_autoindex_channel_1 ORDER BY url`},
	Lacks:  "their titles and what was set for them are lost",
	Called: `SELECT ?2`,
	Restore: `INSERT INTO channel (id, url, kind, privacy, version, latest, changed, added, orphaned, guest)
		SELECT ?1, ?2, CASE WHEN ?2 GLOB 'query:*' THEN 'query' WHEN ?2 GLOB 'zone:*' THEN 'zone'
		ELSE coalesce(v.kind, '') END,
			CASE WHEN EXISTS (SELECT 1 FROM credential WHERE channel = ?1) THEN 'credentialed'
				WHEN EXISTS (SELECT 1 FROM shared WHERE channel = ?1 AND number > 0) THEN 'public' ELSE 'unlisted' END,
			coalesce(v.version, 0), coalesce(v.id, 0), v.received, now.at,
			CASE WHEN followed THEN NULL ELSE now.at END, NOT followed
		FROM (SELECT unixepoch() * 1000000 AS at, EXISTS (SELECT 1 FROM subscription
		WHERE channel = ?1) AS followed) now
		LEFT JOIN (SELECT * FROM version WHERE channel = ?1 ORDER BY version DESC LIMIT 1) v`,
}
