package reader

import (
	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// An edit is a later revision of an item as an article of its own, for the subscriptions that ask for that. Beside its
// edits an item stays what it was before the first of them that its reader sees: it has that text, and is read where
// that was read. Whether an edit is read is its own affair; stars and labels are those of the item, which is one on the
// page.

// itemNumbers is the sequence of items. Edits are numbered by it too, so that no item has the number of one.
const itemNumbers = "item"

// wantsEdits reports whether an account sees edits of any channel.
func wantsEdits(conn *sqlite.Conn, account any) (bool, error) {
	return db.One(conn,
		`SELECT 1 FROM subscription INDEXED BY subscription_edits WHERE account = ? AND edits IS NOT NULL LIMIT 1`, nil,
		account)
}

// SetEdits has an account see edits of a channel's items as articles of their own from now on, or none of them.
func SetEdits(t *db.Tx, account tidings.AccountID, channel int64, wanted bool) error {
	if wanted {
		return db.Exec(t.Conn, `UPDATE subscription SET edits = ? WHERE account = ? AND channel = ? AND edits IS NULL`,
			t.Last(itemNumbers), int64(account), channel)
	}
	// Items are read from now on where their latest revision was, which is a change of theirs.
	if err := db.Exec(t.Conn, `INSERT INTO mark (account, channel, item, read, changed)
		SELECT s.account, s.channel, i.id, `+read+`, ?3 FROM subscription s JOIN item i ON i.channel = s.channel
		WHERE s.account = ?1 AND s.channel = ?2 AND i.latest != 0 AND EXISTS (SELECT 1 FROM edit e WHERE e.item = i.id AND e.id > s.edits)
		ON CONFLICT DO UPDATE SET changed = ?3`, int64(account), channel, t.Now); err != nil {
		return err
	}
	if err := db.Exec(t.Conn, `DELETE FROM edit_mark WHERE account = ? AND channel = ?`, int64(account),
		channel); err != nil {
		return err
	}
	return db.Exec(t.Conn, `UPDATE subscription SET edits = NULL WHERE account = ? AND channel = ?`, int64(account),
		channel)
}

// addEdit makes an edit of a revision that has arrived, if anybody sees edits of its channel.
func addEdit(t *db.Tx, of Arrived, item int64) error {
	wanted, err := db.One(t.Conn, `SELECT 1 FROM subscription WHERE channel = ? AND edits IS NOT NULL LIMIT 1`, nil,
		of.Channel)
	if err != nil || !wanted {
		return err
	}
	return db.Exec(t.Conn, `INSERT INTO edit (id, channel, item, latest, before, arrived) VALUES (?, ?, ?, ?, ?, ?)`,
		t.Next(itemNumbers), of.Channel, item, of.Revision, of.Before, t.Now)
}

// ForgetRevision removes the edit that shows a revision, which is removed.
func ForgetRevision(t *db.Tx, revision int64) error {
	if err := db.Exec(t.Conn, `DELETE FROM edit_mark WHERE edit IN (SELECT id FROM edit WHERE latest = ?)`,
		revision); err != nil {
		return err
	}
	// What the item showed before has to be known still.
	return db.Exec(t.Conn, `UPDATE edit SET latest = 0 WHERE latest = ?`, revision)
}

// forgetEdits forgets the edits of an item of which nothing is kept.
func forgetEdits(t *db.Tx, item int64) error {
	if err := db.Exec(t.Conn, `DELETE FROM edit_mark WHERE edit IN (SELECT id FROM edit WHERE item = ?)`,
		item); err != nil {
		return err
	}
	return db.Exec(t.Conn, `DELETE FROM edit WHERE item = ?`, item)
}

// editState is what an account has of an edit that it sees.
type editState struct {
	account, channel, edit, item int64
	read                         bool
}

// editStateOf returns it; false: the account sees no such edit.
func editStateOf(t *db.Tx, account, edit int64) (s editState, found bool, err error) {
	found, err = db.One(t.Conn, `SELECT i.channel, i.item, `+editArticles.isRead+` FROM edit i JOIN subscription s
		ON s.account = ? AND s.channel = i.channel AND s.edits < i.id WHERE i.id = ? AND i.latest != 0 AND NOT `+editArticles.isHidden(), func(r *sqlite.Stmt) {
		s = editState{account: account, channel: r.ColumnInt64(0), edit: edit, item: r.ColumnInt64(1),
			read: r.ColumnBool(2)}
	}, account, edit)
	return s, found, err
}

// change changes what an account has of an edit: whether that is read, and the star and the labels of its item. A
// reader can star at most so many items; 0: any number.
func (s *editState) change(t *db.Tx, c ArticleChange, most int) error {
	if c.Read != nil && *c.Read != s.read {
		if err := db.Exec(t.Conn,
			`INSERT INTO edit_mark (account, edit, channel, read, changed) VALUES (?1, ?2, ?3, ?4, ?5)
			ON CONFLICT DO UPDATE SET read = ?4, changed = ?5`, s.account, s.edit, s.channel, *c.Read,
			t.Now); err != nil {
			return err
		}
	}
	item, found, err := stateOf(t, s.account, s.item)
	if err != nil || !found {
		return err
	}
	c.Read = nil
	return item.change(t, c, most)
}

// readEdits marks all edits of an item read that the account sees, as it has read the item with all of them.
func readEdits(t *db.Tx, account, item int64) error {
	return db.Exec(t.Conn, `INSERT INTO edit_mark (account, edit, channel, read, changed)
		SELECT s.account, i.id, i.channel, 1, ?3 FROM edit i JOIN subscription s ON s.account = ?1
		AND s.channel = i.channel AND s.edits < i.id
		WHERE i.item = ?2 AND i.latest != 0 AND NOT `+editArticles.isRead+`
		ON CONFLICT DO UPDATE SET read = 1, changed = ?3`, account, item, t.Now)
}
