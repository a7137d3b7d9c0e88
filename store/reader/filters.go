package reader

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// Filters keeps the filters of all accounts, and applies them to what arrives. Its methods may be called by many
// goroutines at once, but for those with a transaction, which are the writer's.
type Filters struct {
	db       *db.DB
	language Conditions
	starred  int // how many items a reader can star; 0: any number

	compiled map[int64][]compiledFilter // by accounts; the writer's alone
	held     int                        // filters in compiled
}

// NewFilters returns the part of a database. Their conditions are in a language; nil: none is there, and no filter does
// anything.
func NewFilters(d *db.DB, language Conditions, starred int) *Filters {
	if language == nil {
		language = noConditions{}
	}
	return &Filters{db: d, language: language, starred: starred, compiled: make(map[int64][]compiledFilter)}
}

const filterColumns = `id, name, condition, actions, created, matched, matched_at, skipped, skipped_at,
	(SELECT count(*) FROM filtered h WHERE h.account = filter.account AND h.hidden = filter.id)`

func readFilter(r *sqlite.Stmt) (f tidings.Filter, err error) {
	f = tidings.Filter{
		ID: r.ColumnInt64(0), Name: r.ColumnText(1), Condition: r.ColumnText(2), Created: db.ColumnTime(r, 4),
		Matched: r.ColumnInt64(5), MatchedAt: db.ColumnTime(r, 6), Skipped: r.ColumnInt64(7),
		SkippedAt: db.ColumnTime(r, 8), Hidden: r.ColumnInt(9),
	}
	if err := json.Unmarshal([]byte(r.ColumnText(3)), &f.Actions); err != nil {
		return f, fmt.Errorf("the actions of filter %d: %w (%w)", f.ID, db.ErrDamaged, err)
	}
	return f, nil
}

func filtersOf(conn *sqlite.Conn, account int64) (all []tidings.Filter, err error) {
	return all, db.Each(conn, `SELECT `+filterColumns+` FROM filter WHERE account = ? ORDER BY place, id`,
		func(r *sqlite.Stmt) error {
			f, err := readFilter(r)
			all = append(all, f)
			return err
		}, account)
}

// List returns the filters of an account in their order. One whose condition cannot be read has a Problem.
func (s *Filters) List(ctx context.Context, account tidings.AccountID) (all []tidings.Filter, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		all, err = filtersOf(conn, int64(account))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listing filters: %w", err)
	}
	for i := range all {
		if _, err := s.language.Compile(all[i].Condition); err != nil {
			all[i].Problem = tidings.Reason(err)
		}
	}
	return all, nil
}

// valid returns settings as they are stored; tidings.ErrInvalid if they cannot be.
func (s *Filters) valid(f tidings.FilterSettings) (tidings.FilterSettings, error) {
	f.Name = strings.TrimSpace(f.Name)
	if len(f.Name) > tidings.MaxFilterName {
		return f, tidings.Invalidf("the name of a filter has at most %d bytes", tidings.MaxFilterName)
	}
	if f.Actions.IsNone() {
		return f, tidings.Invalidf("a filter needs something to do")
	}
	labels := make([]string, 0, len(f.Actions.Labels))
	for _, label := range f.Actions.Labels {
		if label = strings.TrimSpace(label); label == "" || len(label) > tidings.MaxLabel {
			return f, tidings.Invalidf("a label needs a name, of at most %d bytes", tidings.MaxLabel)
		}
		if !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}
	if f.Actions.Labels = labels; len(labels) > tidings.MaxFilterLabels {
		return f, tidings.Invalidf("a filter adds at most %d labels", tidings.MaxFilterLabels)
	}
	condition, err := s.language.Compile(f.Condition)
	if err != nil {
		return f, fmt.Errorf("%w condition: %w", tidings.ErrInvalid, err)
	}
	f.Condition = condition.String()
	return f, nil
}

// write changes the filters of an account.
func (s *Filters) write(ctx context.Context, op string, account tidings.AccountID, run func(t *db.Tx) error) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		s.forget(int64(account))
		t.OnRollback(func() { s.forget(int64(account)) })
		return run(t)
	})
	if err != nil {
		return &tidings.Failure{Op: op, Err: err}
	}
	return nil
}

// Add adds a filter behind those that the account has. tidings.ErrInvalid if there cannot be such a filter, or no more;
// tidings.ErrNotFound if there is no such account any more.
func (s *Filters) Add(ctx context.Context, account tidings.AccountID,
	settings tidings.FilterSettings) (added tidings.Filter, err error) {
	settings, err = s.valid(settings)
	if err != nil {
		return added, &tidings.Failure{Op: "adding a filter", Err: err}
	}
	actions, err := json.Marshal(settings.Actions)
	if err != nil {
		return added, &tidings.Failure{Op: "adding a filter", Err: err}
	}
	return added, s.write(ctx, "adding a filter", account, func(t *db.Tx) error {
		has := 0
		if err := db.Must(
			db.One(t.Conn, `SELECT (SELECT count(*) FROM filter WHERE account = ?1) FROM account WHERE id = ?1`,
				func(r *sqlite.Stmt) { has = r.ColumnInt(0) }, int64(account))); err != nil {
			return err
		}
		if has >= tidings.MaxFilters {
			return tidings.Invalidf("you have %d filters, and more are not possible: remove one first", has)
		}
		if err := db.Exec(t.Conn,
			`INSERT INTO filter (account, place, name, condition, actions, created) VALUES (?, ?, ?, ?, ?, ?)`,
			int64(account), has+1, settings.Name, settings.Condition, string(actions), t.Now); err != nil {
			return err
		}
		added, err = oneFilter(t.Conn, int64(account), t.LastInsertRowID())
		return err
	})
}

func oneFilter(conn *sqlite.Conn, account, id int64) (f tidings.Filter, err error) {
	var malformed error
	found, err := db.One(conn, `SELECT `+filterColumns+` FROM filter WHERE account = ? AND id = ?`,
		func(r *sqlite.Stmt) {
			f, malformed = readFilter(r)
		}, account, id)
	if malformed != nil {
		return f, malformed
	}
	return f, db.Must(found, err)
}

// Change gives a filter other settings. What it has done stays. tidings.ErrNotFound if the account has no such filter;
// tidings.ErrInvalid if there cannot be one.
func (s *Filters) Change(ctx context.Context, account tidings.AccountID, id int64,
	settings tidings.FilterSettings) (changed tidings.Filter, err error) {
	settings, err = s.valid(settings)
	if err != nil {
		return changed, &tidings.Failure{Op: "changing a filter", Err: err}
	}
	actions, err := json.Marshal(settings.Actions)
	if err != nil {
		return changed, &tidings.Failure{Op: "changing a filter", Err: err}
	}
	return changed, s.write(ctx, "changing a filter", account, func(t *db.Tx) error {
		if err := db.Exec(t.Conn, `UPDATE filter SET name = ?, condition = ?, actions = ? WHERE account = ? AND id = ?`,
			settings.Name, settings.Condition, string(actions), int64(account), id); err != nil {
			return err
		}
		changed, err = oneFilter(t.Conn, int64(account), id)
		return err
	})
}

// Move gives a filter a place among those of the account, from 1; beyond the last it is the last. tidings.ErrNotFound
// if the account has no such filter.
func (s *Filters) Move(ctx context.Context, account tidings.AccountID, id int64, place int) error {
	return s.write(ctx, "moving a filter", account, func(t *db.Tx) error {
		order, err := orderOfFilters(t.Conn, int64(account))
		if err != nil {
			return err
		}
		at := slices.Index(order, id)
		if at < 0 {
			return tidings.ErrNotFound
		}
		order = slices.Delete(order, at, at+1)
		order = slices.Insert(order, min(max(place-1, 0), len(order)), id)
		return arrange(t, order)
	})
}

// Remove removes a filter. What it has dropped is shown again, as read. tidings.ErrNotFound if the account has no such
// filter.
func (s *Filters) Remove(ctx context.Context, account tidings.AccountID, id int64) error {
	return s.write(ctx, "removing a filter", account, func(t *db.Tx) error {
		if err := db.Exec(t.Conn, `DELETE FROM filter WHERE account = ? AND id = ?`, int64(account), id); err != nil {
			return err
		}
		if t.Changes() == 0 {
			return tidings.ErrNotFound
		}
		if err := db.Exec(t.Conn, `UPDATE filtered SET hidden = 0 WHERE account = ? AND hidden = ?`, int64(account),
			id); err != nil {
			return err
		}
		order, err := orderOfFilters(t.Conn, int64(account))
		if err != nil {
			return err
		}
		return arrange(t, order)
	})
}

func orderOfFilters(conn *sqlite.Conn, account int64) (order []int64, err error) {
	return order, db.Each(conn, `SELECT id FROM filter WHERE account = ? ORDER BY place, id`,
		func(r *sqlite.Stmt) error {
			order = append(order, r.ColumnInt64(0))
			return nil
		}, account)
}

func arrange(t *db.Tx, order []int64) error {
	for i, id := range order {
		if err := db.Exec(t.Conn, `UPDATE filter SET place = ?1 WHERE id = ?2 AND place != ?1`, i+1, id); err != nil {
			return err
		}
	}
	return nil
}

// Show shows again, as read, what a filter has dropped. tidings.ErrNotFound if the account has no such filter.
func (s *Filters) Show(ctx context.Context, account tidings.AccountID, id int64) (shown int, err error) {
	return shown, s.write(ctx, "showing what a filter has dropped", account, func(t *db.Tx) error {
		if _, err := oneFilter(t.Conn, int64(account), id); err != nil {
			return err
		}
		err := db.Exec(t.Conn, `UPDATE filtered SET hidden = 0 WHERE account = ? AND hidden = ?`, int64(account), id)
		shown = t.Changes()
		return err
	})
}
