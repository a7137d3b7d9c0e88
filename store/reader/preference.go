package reader

import (
	"context"
	"maps"
	"slices"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// maxPreferences bounds the choices that are kept of a person: about 1,000 views with preferences of their own.
const maxPreferences = 5000

// Preferences is the part that keeps what people have chosen about the page.
type Preferences struct{ db *db.DB }

// NewPreferences returns those of a database.
func NewPreferences(d *db.DB) *Preferences { return &Preferences{d} }

// Preferences returns what an account has chosen. What no preference can be any more is left out.
func (s *Preferences) Preferences(ctx context.Context, account tidings.AccountID) (tidings.Preferences, error) {
	all := make(tidings.Preferences)
	err := s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT view, name, value FROM preference WHERE account = ?`, func(r *sqlite.Stmt) error {
			view, name, value := tidings.View(r.ColumnText(0)), tidings.Preference(r.ColumnText(1)), r.ColumnText(2)
			if tidings.ValidatePreferences(view, map[tidings.Preference]string{name: value}) != nil {
				return nil
			}
			if all[view] == nil {
				all[view] = make(map[tidings.Preference]string)
			}
			all[view][name] = value
			return nil
		}, int64(account))
	})
	if err != nil {
		return nil, &tidings.Failure{Op: "reading preferences", Err: err}
	}
	return all, nil
}

// SetPreferences stores what an account chooses for a view; what it does not name stays. What is chosen for all lists
// ([tidings.EveryView]) is no more another for one of them.
func (s *Preferences) SetPreferences(ctx context.Context, account tidings.AccountID, view tidings.View,
	chosen map[tidings.Preference]string) error {
	err := s.db.Write(ctx, func(t *db.Tx) error { return setPreferences(t, account, view, chosen) })
	if err != nil {
		return &tidings.Failure{Op: "setting preferences", Err: err}
	}
	return nil
}

func setPreferences(t *db.Tx, account tidings.AccountID, view tidings.View,
	chosen map[tidings.Preference]string) error {
	if err := tidings.ValidatePreferences(view, chosen); err != nil {
		return err
	}
	exists, err := db.One(t.Conn, `SELECT 1 FROM account WHERE id = ?`, nil, int64(account))
	if err := db.Must(exists, err); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(chosen)) {
		if view == tidings.EveryView {
			if err := db.Exec(t.Conn, `DELETE FROM preference WHERE account = ? AND name = ?`, int64(account),
				string(name)); err != nil {
				return err
			}
		}
		if err := db.Exec(t.Conn, `INSERT INTO preference (account, view, name, value) VALUES (?1, ?2, ?3, ?4)
			ON CONFLICT DO UPDATE SET value = ?4`, int64(account), string(view), string(name),
			chosen[name]); err != nil {
			return err
		}
	}
	n := 0
	if _, err := db.One(t.Conn, `SELECT count(*) FROM preference WHERE account = ?`,
		func(r *sqlite.Stmt) { n = r.ColumnInt(0) }, int64(account)); err != nil {
		return err
	}
	if n > maxPreferences {
		return tidings.Invalidf("there are %d choices for views already: choose for all of them instead",
			maxPreferences)
	}
	return nil
}

// AdoptPreferences stores what a browser has kept for an account that has chosen nothing so far; one that has keeps
// that.
func (s *Preferences) AdoptPreferences(ctx context.Context, account tidings.AccountID, of tidings.Preferences) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		chosen, err := db.One(t.Conn, `SELECT 1 FROM preference WHERE account = ? LIMIT 1`, nil, int64(account))
		if err != nil || chosen {
			return err
		}
		for _, view := range slices.Sorted(maps.Keys(of)) { // that of all views first: it replaces the others
			if err := setPreferences(t, account, view, of[view]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return &tidings.Failure{Op: "adopting preferences", Err: err}
	}
	return nil
}

// moveView has what an account has chosen for a view be for another, unless it has chosen for that.
func moveView(t *db.Tx, account int64, from, to tidings.View) error {
	if err := db.Exec(t.Conn, `UPDATE OR IGNORE preference SET view = ? WHERE account = ? AND view = ?`, string(to),
		account, string(from)); err != nil {
		return err
	}
	return forgetView(t, account, from)
}

// forgetView forgets what an account has chosen for a view.
func forgetView(t *db.Tx, account int64, view tidings.View) error {
	return db.Exec(t.Conn, `DELETE FROM preference WHERE account = ? AND view = ?`, account, string(view))
}

// channelView returns the view of a channel.
func channelView(t *db.Tx, channel int64) (view tidings.View, err error) {
	_, err = db.One(t.Conn, `SELECT url FROM channel WHERE id = ?`, func(r *sqlite.Stmt) {
		view = tidings.ViewOf(tidings.ChannelKind, r.ColumnText(0))
	}, channel)
	return view, err
}

// moveViews has what an account has chosen for the view of the one channel be for that of the other.
func (m *move) moveViews(account int64) error {
	from, err := channelView(m.Tx, m.From)
	if err != nil {
		return err
	}
	to, err := channelView(m.Tx, m.To)
	if err != nil {
		return err
	}
	return moveView(m.Tx, account, from, to)
}
