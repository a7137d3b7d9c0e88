package reader

import (
	"tidings/store/db"
	"tidings/store/salvage"
)

// urlOf is a row's channel's address.
const urlOf = `(SELECT url FROM channel c WHERE c.id = x.channel)`

// Schema is what a check and a repair must know of the tables.
var Schema = db.Schema{
	Tables: []db.Table{
		{Name: "mark", Key: []string{"account", "channel", "item"}, Owner: urlOf},
		{Name: "edit", Key: []string{"id"}, Owner: urlOf},
		{Name: "edit_mark", Key: []string{"account", "edit"}, Owner: urlOf},
		{Name: "star", Key: []string{"account", "item"}, Owner: urlOf},
		{Name: "label", Key: []string{"account", "name", "item"}, Owner: urlOf},
		{Name: "folder", Key: []string{"id"}},
		{Name: "filter", Key: []string{"id"}},
		{Name: "filtered", Key: []string{"account", "item"}, Owner: urlOf},
		{Name: "tag", Key: []string{"account", "channel", "name"}, Owner: urlOf},
		{Name: "twice", Key: []string{"account", "item"}},
		{Name: "twice_count", Key: []string{"account", "channel", "of_channel"}},
		{Name: "preference", Key: []string{"account", "view", "name"}},
		{Name: "session", Key: []string{"hash"}},
		{Name: "passkey", Rebuild: &salvage.Rebuildable{ // as tokens: a row that may be another's lets nobody in
			Table: salvage.Table{Name: "passkey", Key: []string{"id"},
				Keys: `SELECT id FROM passkey INDEXED BY passkey_account ORDER BY account, id`},
			Lacks:  "people sign in with their passwords, and add passkeys anew",
			Called: `SELECT '' WHERE ?1 = ?1`,
		}},
		{Name: "feed_address", Rebuild: &salvage.Rebuildable{ // as tokens: a row that may be another's opens nothing
			Table: salvage.Table{Name: "feed_address", Key: []string{"id"},
				Keys: `SELECT id FROM feed_address INDEXED BY feed_address_account ORDER BY account, id`},
			Lacks:  "feed readers that used them need new ones: tidings feed new",
			Called: `SELECT '' WHERE ?1 = ?1`,
		}},
		{Name: "openid", Rebuild: &salvage.Rebuildable{ // as of tokens: a row that may be another's lets nobody in
			Table: salvage.Table{Name: "openid", Key: []string{"issuer", "subject"},
				Keys: `SELECT issuer, subject FROM openid INDEXED BY openid_account ORDER BY account, issuer`},
			Lacks:  "users of a provider that were bound to accounts are bound anew at their next sign-in",
			Called: `SELECT '' WHERE ?1 = ?1 AND ?2 = ?2`,
		}},
		{Name: "following", Key: []string{"address", "channel"}}, // other nodes have it, too
		{Name: "account", Needed: "it says who may sign in, and with what password"},
		{Name: "subscription", Rebuild: &salvage.Rebuildable{
			Table: salvage.Table{Name: "subscription", Key: []string{"account", "channel"}, Text: []int{2, 3},
				Keys: `SELECT account, channel FROM subscription INDEXED BY subscription_channel
					ORDER BY channel, account`},
			Lacks:   "their names and folders are lost",
			Called:  `SELECT url FROM channel WHERE id = ?2 AND ?1 = ?1`,
			Restore: `INSERT INTO subscription (account, channel, since) VALUES (?1, ?2, unixepoch() * 1000000)`,
		}},
		// a row that may be another's lets nobody in: only those whose pages are sound are kept
		{Name: "token", Rebuild: &salvage.Rebuildable{
			Table:  salvage.Table{Name: "token", Key: []string{"id"}},
			Lacks:  "programs that used them need new ones: tidings token new NAME",
			Called: `SELECT '' WHERE ?1 = ?1`,
		}},
	},
	Consequences: []string{
		`DELETE FROM mark WHERE NOT EXISTS (SELECT 1 FROM item i WHERE i.channel = mark.channel AND i.id = mark.item
			AND i.latest != 0)`,
		`DELETE FROM tag WHERE NOT EXISTS (SELECT 1 FROM subscription s WHERE s.account = tag.account
			AND s.channel = tag.channel)`,
		`DELETE FROM edit WHERE NOT EXISTS (SELECT 1 FROM item i WHERE i.channel = edit.channel AND i.id = edit.item
			AND i.latest != 0)`,
		`UPDATE edit SET latest = 0 WHERE NOT EXISTS (SELECT 1 FROM revision r WHERE r.id = edit.latest
			AND r.item = edit.item)`,
		`DELETE FROM edit_mark WHERE NOT EXISTS (SELECT 1 FROM edit e WHERE e.id = edit_mark.edit AND e.latest != 0)`,
		`DELETE FROM filtered WHERE NOT EXISTS (SELECT 1 FROM item i WHERE i.channel = filtered.channel
			AND i.id = filtered.item AND i.latest != 0)`,
		`DELETE FROM twice`,
		`DELETE FROM twice_count`, `INSERT INTO twice (account, item, channel, of_channel) SELECT s.account, w.item,
			w.channel, w.of_channel FROM ` + followedTwins + ` WHERE w.of != 0 AND ` + isTwice,
		`UPDATE subscription AS s SET read = (SELECT count(*) FROM item i WHERE i.channel = s.channel AND i.latest != 0
			AND i.latest <= ` + read + `)`,
	},
	Agreements: []db.Agreement{
		{What: "counts of what was read that are wrong", SQL: `SELECT count(*) FROM subscription s WHERE s.read !=
			(SELECT count(*) FROM item i WHERE i.channel = s.channel AND i.latest != 0 AND i.latest <= ` + read + `)`},
		{What: "marks of items of which nothing is kept, or that nobody follows", SQL: `SELECT count(*) FROM mark m
			WHERE NOT EXISTS (SELECT 1 FROM item i WHERE i.channel = m.channel AND i.id = m.item AND i.latest != 0)
			OR NOT EXISTS (SELECT 1 FROM subscription s WHERE s.account = m.account AND s.channel = m.channel)`},
		{What: "results of filters for items of which nothing is kept, or that nobody follows",
			SQL: `SELECT count(*) FROM filtered f
			WHERE NOT EXISTS (SELECT 1 FROM item i WHERE i.channel = f.channel AND i.id = f.item AND i.latest != 0)
			OR NOT EXISTS (SELECT 1 FROM subscription s WHERE s.account = f.account AND s.channel = f.channel)`},
		{What: "tags of channels that are not followed", SQL: `SELECT count(*) FROM tag g
			WHERE NOT EXISTS (SELECT 1 FROM subscription s WHERE s.account = g.account AND s.channel = g.channel)`},
		{What: "items unread in two channels that are not noted so, or no more", SQL: `SELECT (SELECT count(*) FROM ` +
			followedTwins + `
				LEFT JOIN twice n ON n.account = s.account AND n.item = w.item
				WHERE w.of != 0 AND (n.item IS NOT NULL) != (` + isTwice + `))
			+ (SELECT count(*) FROM twice n WHERE NOT EXISTS (SELECT 1 FROM ` + followedTwins + ` WHERE s.account = n.account AND w.item = n.item))`},
		{What: "counts of what is unread in two channels that are wrong",
			SQL: `SELECT (SELECT coalesce(sum(n), 0) FROM twice_count) != (SELECT count(*) FROM twice)`},
		{What: "edits of items of which nothing is kept, or without their entry", SQL: `SELECT count(*) FROM edit e
			WHERE NOT EXISTS (SELECT 1 FROM item i WHERE i.channel = e.channel AND i.id = e.item AND i.latest != 0)
			OR e.latest != 0 AND NOT EXISTS (SELECT 1 FROM revision r WHERE r.id = e.latest AND r.item = e.item)`},
		{What: "marks of edits that are not listed, or that nobody sees", SQL: `SELECT count(*) FROM edit_mark m
			WHERE NOT EXISTS (SELECT 1 FROM edit e JOIN subscription s ON s.account = m.account
			AND s.channel = e.channel AND s.edits < e.id
				WHERE e.id = m.edit AND e.channel = m.channel AND e.latest != 0)`},
		{What: "channels whose followers disagree with their being watched", SQL: `SELECT count(*) FROM channel c
			WHERE (c.orphaned IS NULL) != EXISTS (SELECT 1 FROM subscription s WHERE s.channel = c.id)`},
	},
}
