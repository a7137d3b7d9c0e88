package reader

// form is one of the forms in which a store has articles, as parts of statements. In them, i is the row of the article
// and s the subscription to its channel.
type form struct {
	table    string // with the join of s behind it, and conditions on both
	item     string // number of the item, on which stars and labels hang
	revision string // that the article shows
	isRead   string
	changed  string // when the article, or what the account did with it, changed last
}

const (
	ofAccount = ` CROSS JOIN subscription s ON s.account = ?1 AND s.channel = i.channel`

	// before is the revision that an item shows beside its edits; the text of it may be removed, and is then that of
	// the latest.
	before = `coalesce((SELECT e.before FROM edit e WHERE e.item = i.id AND e.id > s.edits ORDER BY e.id LIMIT 1), i.latest)`

	markedAt = `coalesce((SELECT m.changed FROM mark m WHERE m.account = s.account AND m.channel = i.channel AND m.item = `
)

var (
	// items are all articles of an account that sees no edits.
	items = newForm(`item i`+ofAccount, `i.id`, `i.latest`, `(i.latest <= `+read+`)`, `0`)

	// besideEdits are the items of an account that sees edits of some channels.
	besideEdits = newForm(`item i`+ofAccount, `i.id`, `coalesce((SELECT b.id FROM revision b WHERE b.id = `+before+
		`), i.latest)`,
		`(`+before+` <= `+read+`)`, `0`)

	// editArticles are the edits.
	editArticles = newForm(`edit i`+ofAccount+` AND s.edits < i.id`, `i.item`, `i.latest`,
		`EXISTS (SELECT 1 FROM edit_mark m WHERE m.account = s.account AND m.edit = i.id AND m.read != 0)`,
		`coalesce((SELECT m.changed FROM edit_mark m WHERE m.account = s.account AND m.edit = i.id), 0)`)
)

// newForm returns a form; marked is when the account marked the article alone, and not the item.
func newForm(table, item, revision, isRead, marked string) *form {
	return &form{table, item, revision, isRead,
		`max(coalesce((SELECT v.received FROM revision r JOIN version v ON v.id = r.version
		WHERE r.id = ` + revision + `), 0), ` + markedAt + item + `), 0), ` + marked + `)`}
}

// formsOf returns the forms of all articles of an account.
func formsOf(edits bool) []*form {
	if edits {
		return []*form{besideEdits, editArticles}
	}
	return []*form{items}
}

// published is the time that the article claims, or else that of its update. If that is before 1970 or after its
// arrival, it is the time of its arrival. An edit claims nothing.
func (f *form) published() string {
	switch f {
	case editArticles:
		return `i.arrived`
	case items:
		return `i.dated`
	}
	return `(SELECT CASE WHEN coalesce(r.published, r.updated) BETWEEN 1000000 AND i.arrived THEN coalesce(r.published, r.updated) ELSE i.arrived END
		FROM revision r WHERE r.id = ` + f.revision + `)`
}

func (f *form) isHidden() string { return isHidden(`s.account`, f.item) }

func (f *form) isStarred() string {
	return `EXISTS (SELECT 1 FROM star t WHERE t.account = s.account AND t.item = ` + f.item + `)`
}

// isLabeled needs the name of the label, and the closing parenthesis, behind it.
func (f *form) isLabeled() string {
	return `EXISTS (SELECT 1 FROM label l WHERE l.account = s.account AND l.item = ` + f.item + ` AND l.name = `
}
