package reader

import (
	"errors"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// ApplyMark does what an account did at an earlier time, if nothing that it did since to the same item differs. A mark
// for what is not there, or not followed any more, is passed over. Of tidings.MarkAllRead it does a part: more reports
// that it is to be called again with m, which it moves on. A reader can star at most so many items; 0: any number.
func ApplyMark(t *db.Tx, account tidings.AccountID, m *tidings.Mark, most int) (more bool, err error) {
	if m.At.After(t.Now) { // the device's clock
		m.At = t.Now
	}
	if m.Do == tidings.MarkAllRead {
		_, more, err = markSelected(t, account, &m.Query, m.At)
		return more, err
	}
	var item int64
	found, err := db.One(t.Conn, `SELECT item FROM revision WHERE id = ?`,
		func(r *sqlite.Stmt) { item = r.ColumnInt64(0) }, m.Entry)
	if err != nil || !found {
		return false, err
	}
	switch m.Do {
	case tidings.MarkRead, tidings.MarkUnread:
		err = markItemAt(t, int64(account), item, m.Entry, m.Do == tidings.MarkRead, m.At)
	case tidings.MarkStarred, tidings.MarkUnstarred:
		err = starItemAt(t, int64(account), item, m.Do == tidings.MarkStarred, m.At, most)
	}
	return false, err
}

// markItemAt marks an item read or unread as its account did at a time. It passes over an item that was marked later.
// It does so, too, if the item is to be read and its latest revision is not seen; 0: whichever it is.
func markItemAt(t *db.Tx, account, item, seen int64, read bool, at time.Time) error {
	s, found, err := stateOf(t, account, item)
	if err != nil || !found || s.marked.After(at) || read && seen != 0 && seen != s.latest {
		return err
	}
	s.at = at
	if s.read == read {
		s.marked = at
		return s.noteTimes(t)
	}
	return s.markWithEdits(t, read)
}

// starItemAt stars an item, or removes the star, as its account did at a time. It is passed over if that was done
// later, or is one more star than a reader may have.
func starItemAt(t *db.Tx, account, item int64, starred bool, at time.Time, most int) error {
	s, found, err := stateOf(t, account, item)
	if err != nil || !found || s.starred.After(at) {
		return err
	}
	s.at = at
	err = s.star(t, starred, most)
	if errors.Is(err, tidings.ErrInvalid) {
		return db.Exec(t.Conn, `DELETE FROM star WHERE account = ? AND item = ?`, account, item)
	}
	if err != nil || s.starred.Equal(at) {
		return err
	}
	s.starred = at
	return s.noteTimes(t)
}

// noteTimes stores when the item was marked and starred, where that changes nothing else.
func (s *state) noteTimes(t *db.Tx) error {
	return db.Exec(t.Conn,
		`INSERT INTO mark (account, channel, item, read, changed, marked, starred) VALUES (?1, ?2, ?3, ?4, 0, ?5, ?6)
		ON CONFLICT DO UPDATE SET marked = ?5, starred = ?6`, s.account, s.channel, s.item, s.upTo, s.marked, s.starred)
}
