package outbox

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
)

// Deliveries lists what is pending and what was given up of an account's targets, in the order of delivery: at most
// limit, of those with larger IDs than after.
func (s *Store) Deliveries(
	ctx context.Context, account tidings.AccountID, after int64, limit int,
) (all []tidings.Delivery, err error) {
	return s.list(ctx, `AND d.id > ?2 ORDER BY d.id LIMIT +?3`, account, after, limit)
}

// NewestDeliveries lists the same, the last first.
func (s *Store) NewestDeliveries(ctx context.Context, account tidings.AccountID,
	limit int) ([]tidings.Delivery, error) {
	return s.list(ctx, `AND d.id > ?2 ORDER BY d.id DESC LIMIT +?3`, account, 0, limit)
}

func (s *Store) list(
	ctx context.Context, which string, account tidings.AccountID, after int64, limit int,
) (all []tidings.Delivery, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn,
			`SELECT d.id, d.target, t.name, d.version, d.revision, d.made, d.failed, d.tries, d.problem,
			t.due, t.suspended, coalesce(c.url, ''), coalesce(nullif(r.title, ''), c.title, '')
			FROM target t JOIN delivery d ON d.target = t.id
			LEFT JOIN version v ON v.id = d.version LEFT JOIN channel c ON c.id = v.channel
			LEFT JOIN revision r ON r.id = d.revision
			WHERE t.account = ?1 `+which, func(r *sqlite.Stmt) error {
				d := tidings.Delivery{
					ID: r.ColumnInt64(0), Target: r.ColumnInt64(1), Name: r.ColumnText(2),
					Update: r.ColumnInt64(3), Whole: r.ColumnInt64(4) == 0, Made: db.ColumnTime(r, 5),
					Failed: r.ColumnBool(6), Tries: r.ColumnInt(7), Problem: r.ColumnText(8),
					Stopped: r.ColumnBool(10), Channel: r.ColumnText(11), Title: r.ColumnText(12),
				}
				if !d.Failed {
					d.Due = db.ColumnTime(r, 9)
				}
				all = append(all, d)
				return nil
			}, int64(account), after, column.Limit(limit))
	})
	if err != nil {
		return nil, fmt.Errorf("listing deliveries: %w", err)
	}
	return all, nil
}

// Retry tries deliveries again at once, those that were given up too, and returns how many they are. A suspended
// target is resumed. tidings.ErrNotFound if the account has no such target or delivery.
func (s *Store) Retry(ctx context.Context, account tidings.AccountID,
	which tidings.DeliverySelection) (count int, err error) {
	err = s.db.Write(ctx, func(t *db.Tx) error {
		per, err := selected(t, account, which)
		if err != nil {
			return err
		}
		if _, has := per[which.Target]; !has && which.Target != 0 {
			per[which.Target] = counts{} // it may be suspended
		}
		count = 0
		for target, of := range per {
			count += of.pending + of.failed
			if err := db.Exec(t.Conn, `UPDATE delivery SET failed = 0, problem = '', made = ?3
				WHERE target = ?1 AND (?2 = 0 OR id = ?2) AND (failed = 1 OR NOT ?4)`,
				target, which.Delivery, t.Now, which.Failed); err != nil {
				return err
			}
			if err := db.Exec(t.Conn,
				`UPDATE target SET pending = pending + ?2, failed = failed - ?2, tries = 0, due = NULL,
				problem = '', suspended = 0 WHERE id = ?1`, target, of.failed); err != nil {
				return err
			}
			if err := s.changed(t, target); err != nil {
				return err
			}
			if err := crowdOut(t, target, false); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, &tidings.Failure{Op: "retrying deliveries", Err: err}
	}
	return count, nil
}

// Drop removes deliveries, and returns how many they were. tidings.ErrNotFound if the account has no such target or
// delivery.
func (s *Store) Drop(ctx context.Context, account tidings.AccountID,
	which tidings.DeliverySelection) (count int, err error) {
	err = s.db.Write(ctx, func(t *db.Tx) error {
		per, err := selected(t, account, which)
		if err != nil {
			return err
		}
		count = 0
		for target, of := range per {
			count += of.pending + of.failed
			if err := db.Exec(t.Conn, `DELETE FROM delivery WHERE target = ?1 AND (?2 = 0 OR id = ?2)
				AND (failed = 1 OR NOT ?3)`, target, which.Delivery, which.Failed); err != nil {
				return err
			}
			if err := db.Exec(t.Conn, `UPDATE target SET pending = pending - ?2, failed = failed - ?3 WHERE id = ?1`,
				target, of.pending, of.failed); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, &tidings.Failure{Op: "dropping deliveries", Err: err}
	}
	return count, nil
}

type counts struct{ pending, failed int }

// selected counts by target the deliveries that are named; tidings.ErrNotFound if one that is named by its number is
// not among the account's.
func selected(t *db.Tx, account tidings.AccountID, which tidings.DeliverySelection) (map[int64]counts, error) {
	if which.Target != 0 {
		if err := db.Must(db.One(t.Conn, `SELECT 1 FROM target WHERE id = ? AND account = ?`,
			nil, which.Target, int64(account))); err != nil {
			return nil, err
		}
	}
	per := make(map[int64]counts)
	err := db.Each(t.Conn, `SELECT d.target, sum(d.failed = 0), sum(d.failed = 1)
		FROM target t JOIN delivery d ON d.target = t.id WHERE t.account = ?1 AND (?2 = 0 OR t.id = ?2)
		AND (?3 = 0 OR d.id = ?3) AND (d.failed = 1 OR NOT ?4) GROUP BY d.target`, func(r *sqlite.Stmt) error {
		per[r.ColumnInt64(0)] = counts{r.ColumnInt(1), r.ColumnInt(2)}
		return nil
	}, int64(account), which.Target, which.Delivery, which.Failed)
	if err == nil && which.Delivery != 0 && len(per) == 0 {
		err = tidings.ErrNotFound
	}
	return per, err
}
