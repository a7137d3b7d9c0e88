package outbox

import (
	"tidings/store/db"
	"tidings/store/salvage"
)

// Schema is what a check and a repair must know of the tables.
var Schema = db.Schema{
	Tables: []db.Table{
		// A row that may be another's is not kept: it would send one person's updates to another.
		{Name: "target", Rebuild: &salvage.Rebuildable{
			Table: salvage.Table{Name: "target", Key: []string{"id"},
				Keys: `SELECT id FROM target INDEXED BY sqlite_autoindex_target_1 ORDER BY account, name`},
			Lacks:  "people are not notified there until they add the address anew",
			Called: `SELECT '' WHERE ?1 = ?1`,
		}},
		{Name: "delivery", Key: []string{"id"}},
		{Name: "sent", Key: []string{"target", "delivery"}}, // what is lost is not retracted
		{Name: "hub", Key: []string{"target"}},              // subscribers ask for it again
	},
	Consequences: []string{
		`DELETE FROM target WHERE kind = 'websub' AND NOT EXISTS (SELECT 1 FROM hub h WHERE h.target = target.id)`,
		`DELETE FROM hub WHERE NOT EXISTS (SELECT 1 FROM target t WHERE t.id = hub.target)`,
		`DELETE FROM delivery WHERE NOT EXISTS (SELECT 1 FROM target t WHERE t.id = delivery.target)`,
		`DELETE FROM sent WHERE NOT EXISTS (SELECT 1 FROM target t WHERE t.id = sent.target)`,
		`UPDATE target SET pending = (SELECT count(*) FROM delivery d WHERE d.target = target.id AND d.failed = 0),
			failed = (SELECT count(*) FROM delivery d WHERE d.target = target.id AND d.failed = 1)`,
	},
	Agreements: []db.Agreement{
		{What: "deliveries to no target", SQL: `SELECT count(*) FROM delivery d
			WHERE NOT EXISTS (SELECT 1 FROM target t WHERE t.id = d.target)`},
		{What: "messages to no target", SQL: `SELECT count(*) FROM sent d
			WHERE NOT EXISTS (SELECT 1 FROM target t WHERE t.id = d.target)`},
		{What: "subscriptions at the hub in part",
			SQL: `SELECT count(*) FROM target t FULL JOIN hub h ON h.target = t.id
			WHERE (t.kind = 'websub' OR h.target IS NOT NULL) AND (t.id IS NULL OR h.target IS NULL)`},
		{What: "counts of deliveries that are wrong", SQL: `SELECT count(*) FROM target t
			WHERE pending != (SELECT count(*) FROM delivery d WHERE d.target = t.id AND d.failed = 0)
			OR failed != (SELECT count(*) FROM delivery d WHERE d.target = t.id AND d.failed = 1)`},
	},
}
