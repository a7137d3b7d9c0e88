package fulltext

import "tidings/store/db"

const ownerOf = `(SELECT c.url FROM channel c JOIN item i ON i.channel = c.id WHERE i.id = x.item)`

// Schema is what a check and a repair must know of the tables. What is lost can be asked for anew.
var Schema = db.Schema{
	Tables: []db.Table{
		{Name: "full_text", Key: []string{"item"}, Owner: ownerOf},
		{Name: "full_text_reader", Key: []string{"account", "item"}, Owner: ownerOf},
	},
	Consequences: []string{
		`DELETE FROM full_text WHERE NOT EXISTS (SELECT 1 FROM item i WHERE i.id = full_text.item AND i.latest != 0)`,
		`DELETE FROM full_text_reader WHERE NOT EXISTS (SELECT 1 FROM full_text x
			WHERE x.item = full_text_reader.item)`,
	},
	Agreements: []db.Agreement{
		{What: "full texts of items of which nothing is kept", SQL: `SELECT count(*) FROM full_text x
			WHERE NOT EXISTS (SELECT 1 FROM item i WHERE i.id = x.item AND i.latest != 0)`},
		{What: "full texts that are nowhere, and were asked for", SQL: `SELECT count(*) FROM full_text_reader a
			WHERE NOT EXISTS (SELECT 1 FROM full_text x WHERE x.item = a.item)`},
		{What: "full texts that are kept without content, or never fetched", SQL: `SELECT count(*) FROM full_text x
			WHERE x.state = 'kept' AND x.content IS NULL OR x.state = 'wanted' AND x.due IS NULL`},
	},
}
