package outbox

import (
	"context"
	"encoding/json"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

const targetColumns = `id, account, name, kind, url, channel, folder, secret, form, title, body, created,
	pending, failed, dropped, delivered, problem, suspended, schedule, expires`

// targetFields is how many columns targetColumns has.
const targetFields = 20

func readTarget(r *sqlite.Stmt) (t tidings.Target, err error) {
	t = tidings.Target{
		ID: r.ColumnInt64(0), Account: tidings.AccountID(r.ColumnInt64(1)), Name: r.ColumnText(2),
		Kind: tidings.TargetKind(r.ColumnText(3)), URL: r.ColumnText(4),
		Selector: tidings.Selector{Channel: r.ColumnText(5), Folder: r.ColumnText(6)}, Secret: r.ColumnText(7),
		Text: tidings.Text{Title: r.ColumnText(9), Body: r.ColumnText(10)}, Created: db.ColumnTime(r, 11),
		Standing: tidings.Standing{
			Pending: r.ColumnInt(12), Failed: r.ColumnInt(13), Dropped: r.ColumnInt64(14),
			Delivered: db.ColumnTime(r, 15),
			Problem:   r.ColumnText(16), Suspended: r.ColumnBool(17),
		},
	}
	if form := r.ColumnText(8); form != "" {
		if err := json.Unmarshal([]byte(form), &t.Form); err != nil {
			return t, fmt.Errorf("the form of target %d: %w", t.ID, err)
		}
	}
	if schedule := r.ColumnText(18); schedule != "" {
		if err := json.Unmarshal([]byte(schedule), &t.Schedule); err != nil {
			return t, fmt.Errorf("the schedule of target %d: %w", t.ID, err)
		}
	}
	t.Expires = db.ColumnTime(r, 19)
	return t, nil
}

// Targets lists an account's targets, the oldest first.
func (s *Store) Targets(ctx context.Context, account tidings.AccountID) (all []tidings.Target, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT `+targetColumns+` FROM target WHERE account = ? ORDER BY id`,
			func(r *sqlite.Stmt) error {
				t, err := readTarget(r)
				all = append(all, t)
				return err
			}, int64(account))
	})
	if err != nil {
		return nil, fmt.Errorf("listing targets: %w", err)
	}
	return all, nil
}

// Target returns one of an account's targets; tidings.ErrNotFound if it has no such target.
func (s *Store) Target(ctx context.Context, account tidings.AccountID, id int64) (t tidings.Target, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error { return oneTarget(conn, account, id, &t) })
	if err != nil {
		return t, fmt.Errorf("target %d: %w", id, err)
	}
	return t, nil
}

func oneTarget(conn *sqlite.Conn, account tidings.AccountID, id int64, t *tidings.Target) (err error) {
	var malformed error
	found, err := db.One(conn, `SELECT `+targetColumns+` FROM target WHERE id = ? AND account = ?`,
		func(r *sqlite.Stmt) {
			*t, malformed = readTarget(r)
		}, id, int64(account))
	if malformed != nil {
		return malformed
	}
	return db.Must(found, err)
}

// AddTarget stores a target of t.Account and returns it with its ID and Created, which are set here. It gets updates
// that are stored from then on. tidings.ErrExists if the account has a target of that name; tidings.ErrNotFound if
// there is no such account; tidings.ErrInvalid beyond tidings.MaxTargets. That the rest of it makes sense is the
// caller's affair.
func (s *Store) AddTarget(ctx context.Context, t tidings.Target) (added tidings.Target, err error) {
	form, err := formOf(t)
	if err != nil {
		return added, err
	}
	schedule, err := scheduleOf(t)
	if err != nil {
		return added, err
	}
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		taken, all := false, 0
		if err := db.Must(db.One(tx.Conn, `SELECT EXISTS (SELECT 1 FROM target WHERE account = ?1 AND name = ?2),
			(SELECT count(*) FROM target WHERE account = ?1) FROM account WHERE id = ?1`, func(r *sqlite.Stmt) {
			taken, all = r.ColumnBool(0), r.ColumnInt(1)
		}, int64(t.Account), t.Name)); err != nil {
			return err
		}
		switch {
		case taken:
			return tidings.ErrExists
		case all >= tidings.MaxTargets:
			return tidings.Invalidf("you have %d targets, and more are not possible: remove one first", all)
		}
		if err := db.Exec(tx.Conn,
			`INSERT INTO target (account, name, kind, url, channel, folder, secret, form, title, body,
			created, schedule) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, int64(t.Account), t.Name, string(t.Kind),
			t.URL, t.Selector.Channel,
			tidings.CleanFolder(t.Selector.Folder), t.Secret, form, t.Text.Title, t.Text.Body, tx.Now,
			schedule); err != nil {
			return err
		}
		return oneTarget(tx.Conn, t.Account, tx.LastInsertRowID(), &added)
	})
	if err != nil {
		return added, &tidings.Failure{Op: "adding target " + t.Name, Err: err}
	}
	return added, nil
}

// ChangeTarget replaces what a person chose of a target: all but ID, Account, Created, Expires and Standing. What is
// pending goes to it as it is then, at once. tidings.ErrNotFound if the account has no such target; tidings.ErrExists
// if another of its targets has the name.
func (s *Store) ChangeTarget(ctx context.Context, t tidings.Target) error {
	form, err := formOf(t)
	if err != nil {
		return err
	}
	schedule, err := scheduleOf(t)
	if err != nil {
		return err
	}
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		taken, err := db.One(tx.Conn, `SELECT 1 FROM target WHERE account = ? AND name = ? AND id != ?`,
			nil, int64(t.Account), t.Name, t.ID)
		if err != nil {
			return err
		}
		if taken {
			return tidings.ErrExists
		}
		if err := db.Exec(tx.Conn, `DELETE FROM sent WHERE target = ?1 AND EXISTS
			(SELECT 1 FROM target WHERE id = ?1 AND account = ?2 AND (kind != ?3 OR url != ?4))`,
			t.ID, int64(t.Account), string(t.Kind), t.URL); err != nil {
			return err
		}
		if err := db.Exec(tx.Conn,
			`UPDATE target SET name = ?3, kind = ?4, url = ?5, channel = ?6, folder = ?7, secret = ?8,
			form = ?9, title = ?10, body = ?11, schedule = ?12, tries = 0, due = NULL, problem = '', suspended = 0
			WHERE id = ?1 AND account = ?2`,
			t.ID, int64(t.Account), t.Name, string(t.Kind), t.URL, t.Selector.Channel,
			tidings.CleanFolder(t.Selector.Folder),
			t.Secret, form, t.Text.Title, t.Text.Body, schedule); err != nil {
			return err
		}
		return s.changed(tx, t.ID)
	})
	if err != nil {
		return &tidings.Failure{Op: "changing target " + t.Name, Err: err}
	}
	return nil
}

// formOf returns a target's form as it is stored; nil if there is none.
func formOf(t tidings.Target) (any, error) {
	if t.Form == nil {
		return nil, nil
	}
	form, err := json.Marshal(t.Form)
	if err != nil {
		return nil, fmt.Errorf("storing the form of target %s: %w", t.Name, err)
	}
	return string(form), nil
}

// scheduleOf returns a target's schedule as it is stored; nil if it has none.
func scheduleOf(t tidings.Target) (any, error) {
	if t.Schedule == (tidings.Schedule{}) {
		return nil, nil
	}
	schedule, err := json.Marshal(t.Schedule)
	if err != nil {
		return nil, fmt.Errorf("storing the schedule of target %s: %w", t.Name, err)
	}
	return string(schedule), nil
}

// RemoveTarget removes a target with all that waits for it; tidings.ErrNotFound if the account has no such target.
func (s *Store) RemoveTarget(ctx context.Context, account tidings.AccountID, id int64) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		if err := db.Exec(t.Conn, `DELETE FROM target WHERE id = ? AND account = ?`, id, int64(account)); err != nil {
			return err
		}
		if t.Changes() == 0 {
			return tidings.ErrNotFound
		}
		if err := db.Exec(t.Conn, `DELETE FROM sent WHERE target = ?`, id); err != nil {
			return err
		}
		return db.Exec(t.Conn, `DELETE FROM delivery WHERE target = ?`, id)
	})
	if err != nil {
		return &tidings.Failure{Op: fmt.Sprintf("removing target %d", id), Err: err}
	}
	return nil
}

// changed reports that there may be something to try at a target that a statement has just updated;
// tidings.ErrNotFound if it updated none.
func (s *Store) changed(t *db.Tx, target int64) error {
	if t.Changes() == 0 {
		return tidings.ErrNotFound
	}
	t.OnCommit(func() { s.ready(target) })
	return nil
}

// RenameFolder makes an account's targets of a folder those of the path that it has now. Folders within it keep theirs.
func RenameFolder(t *db.Tx, account tidings.AccountID, from, to string) error {
	return db.Exec(t.Conn, `UPDATE target SET folder = ? WHERE account = ? AND folder = ?`, to, int64(account), from)
}

// MoveChannel makes all targets of a channel those of another, which is followed in its place.
func MoveChannel(t *db.Tx, from, to string) error {
	return db.Exec(t.Conn, `UPDATE target SET channel = ? WHERE channel = ?`, to, from)
}

// RemoveOf removes all targets of an account, with what waits for them.
func RemoveOf(t *db.Tx, account tidings.AccountID) error {
	if err := db.Exec(t.Conn, `DELETE FROM delivery WHERE target IN (SELECT id FROM target WHERE account = ?)`,
		int64(account)); err != nil {
		return err
	}
	for _, table := range []string{"hub", "sent"} {
		if err := db.Exec(t.Conn, `DELETE FROM `+table+` WHERE target IN (SELECT id FROM target WHERE account = ?)`,
			int64(account)); err != nil {
			return err
		}
	}
	return db.Exec(t.Conn, `DELETE FROM target WHERE account = ?`, int64(account))
}
