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
		{Name: "unread", Key: []string{"account", "revision"}, Owner: urlOf},
		{Name: "star", Key: []string{"account", "item"}, Owner: urlOf},
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
		`DELETE FROM unread WHERE NOT EXISTS (SELECT 1 FROM revision r JOIN item i ON i.channel = r.channel AND i.id = r.item AND i.latest = r.id WHERE r.id = unread.revision)`,
		`UPDATE subscription SET unread = (SELECT count(*) FROM unread u WHERE u.account = subscription.account AND u.channel = subscription.channel)`,
	},
	Agreements: []db.Agreement{
		{What: "unread counts that are wrong", SQL: `WITH counted AS MATERIALIZED
			(SELECT account, channel, count(*) AS n FROM unread GROUP BY account, channel)
			SELECT count(*) FROM subscription s LEFT JOIN counted u USING (account, channel)
			WHERE s.unread != coalesce(u.n, 0)`},
		{What: "unread entries that are not the latest of their item", SQL: `SELECT count(*) FROM unread u
			LEFT JOIN revision r ON r.id = u.revision LEFT JOIN item i ON i.channel = r.channel AND i.id = r.item
			WHERE i.latest IS NOT u.revision`},
		{What: "channels whose followers disagree with their being watched", SQL: `SELECT count(*) FROM channel c
			WHERE (c.orphaned IS NULL) != EXISTS (SELECT 1 FROM subscription s WHERE s.channel = c.id)`},
	},
}
