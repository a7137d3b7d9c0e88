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
		{Name: "star", Key: []string{"account", "item"}, Owner: urlOf},
		{Name: "label", Key: []string{"account", "name", "item"}, Owner: urlOf},
		{Name: "folder", Key: []string{"id"}},
		{Name: "session", Key: []string{"hash"}},
		{Name: "account", Needed: "it says who may sign in, and with what password"},
		{Name: "subscription", Rebuild: &salvage.Rebuildable{
			Table: salvage.Table{Name: "subscription", Key: []string{"account", "channel"}, Text: []int{2, 3},
				Keys: `SELECT account, channel FROM subscription INDEXED BY subscription_channel ORDER BY channel, account`},
			Lacks:   "their names and folders are lost",
			Called:  `SELECT url FROM channel WHERE id = ?2 AND ?1 = ?1`,
			Restore: `INSERT INTO subscription (account, channel, since) VALUES (?1, ?2, unixepoch() * 1000000)`,
		}},
		{Name: "token", Rebuild: &salvage.Rebuildable{ // a row that may be another's lets nobody in: only those whose pages are sound are kept
			Table:  salvage.Table{Name: "token", Key: []string{"id"}},
			Lacks:  "programs that used them need new ones: tidings token new NAME",
			Called: `SELECT '' WHERE ?1 = ?1`,
		}},
	},
	Consequences: []string{
		`DELETE FROM mark WHERE NOT EXISTS (SELECT 1 FROM item i WHERE i.channel = mark.channel AND i.id = mark.item AND i.latest != 0)`,
		`UPDATE subscription AS s SET read = (SELECT count(*) FROM item i WHERE i.channel = s.channel AND i.latest != 0 AND i.latest <= ` + read + `)`,
	},
	Agreements: []db.Agreement{
		{What: "counts of what was read that are wrong", SQL: `SELECT count(*) FROM subscription s WHERE s.read !=
			(SELECT count(*) FROM item i WHERE i.channel = s.channel AND i.latest != 0 AND i.latest <= ` + read + `)`},
		{What: "marks of items of which nothing is kept, or that nobody follows", SQL: `SELECT count(*) FROM mark m
			WHERE NOT EXISTS (SELECT 1 FROM item i WHERE i.channel = m.channel AND i.id = m.item AND i.latest != 0)
			OR NOT EXISTS (SELECT 1 FROM subscription s WHERE s.account = m.account AND s.channel = m.channel)`},
		{What: "channels whose followers disagree with their being watched", SQL: `SELECT count(*) FROM channel c
			WHERE (c.orphaned IS NULL) != EXISTS (SELECT 1 FROM subscription s WHERE s.channel = c.id)`},
	},
}
