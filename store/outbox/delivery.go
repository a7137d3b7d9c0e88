package outbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
)

// Version is an update as it is stored, with the numbers of its items' revisions, which may be none.
type Version struct {
	ID, Channel int64
	First, Last int64
	Page        bool
	Notice      bool // it says something of the channel itself, whose content is as it was
}

// recipient is a target that an update is for.
type recipient struct {
	id, account int64
	whole       bool // its kind carries all items in one message
}

// Enqueue puts an update into the outbox of each target that selects it, but for items that filters keep from it; and
// items of which a filter of its account notifies into that of each target. So filters have been applied before.
func (s *Store) Enqueue(t *db.Tx, v Version) error {
	var targets []recipient
	if err := db.Each(t.Conn, `SELECT t.id, t.account, t.kind FROM subscription s JOIN target t ON t.account = s.account
		WHERE s.channel = ?1 AND s.account IS NOT `+hubAccount+` AND (t.channel = '' OR t.channel = (SELECT url
		FROM channel WHERE id = ?1))
		AND (t.folder = '' OR t.folder = s.folder OR substr(s.folder, 1, length(t.folder) + 1) = t.folder || '/')
		AND (t.expires IS NULL OR t.expires > ?2)`,
		func(r *sqlite.Stmt) error {
			targets = append(targets,
				recipient{r.ColumnInt64(0), r.ColumnInt64(1), tidings.TargetKind(r.ColumnText(2)).Whole()})
			return nil
		}, v.Channel, t.Now); err != nil {
		return fmt.Errorf("looking for targets: %w", err)
	}
	if v.Last < v.First && !v.Page {
		return nil
	}
	var hub []int64
	if !v.Notice {
		var err error
		if hub, err = enqueueHub(t, v); err != nil {
			return fmt.Errorf("putting an update into the outbox of the hub: %w", err)
		}
	}
	made, err := filteredOf(t, v)
	if err != nil {
		return fmt.Errorf("looking for what filters have made of an update: %w", err)
	}
	var ready []int64
	for _, to := range targets {
		rest := v.without(made[to.account].silent)
		if len(rest) == 0 {
			continue
		}
		if to.whole || v.Page || len(rest) > tidings.MaxBurst {
			rest = []int64{0} // the whole
		}
		for _, revision := range rest {
			if err := add(t, to.id, v.ID, revision); err != nil {
				return fmt.Errorf("putting an update into the outbox: %w", err)
			}
		}
		ready = append(ready, to.id)
	}
	louder, err := enqueueLoud(t, v, made, targets)
	if err != nil {
		return fmt.Errorf("putting into the outbox what filters notify of: %w", err)
	}
	if ready = slices.Concat(ready, louder, hub); len(ready) == 0 {
		return nil
	}
	t.OnCommit(func() { s.ready(ready...) })
	return nil
}

// add adds a delivery, and drops the target's oldest one where there is no room.
func add(t *db.Tx, target, version, revision int64) error {
	if err := db.Exec(t.Conn, `INSERT INTO delivery (target, version, revision, made) VALUES (?, ?, ?, ?)`,
		target, version, revision, t.Now); err != nil {
		return err
	}
	if err := db.Exec(t.Conn, `UPDATE target SET pending = pending + 1 WHERE id = ?`, target); err != nil {
		return err
	}
	return crowdOut(t, target, false)
}

// crowdOut drops the oldest of a target's pending or failed deliveries beyond tidings.MaxPending.
func crowdOut(t *db.Tx, target int64, failed bool) error {
	counter, excess := counterOf(failed), 0
	if _, err := db.One(t.Conn, `SELECT `+counter+` FROM target WHERE id = ?`, func(r *sqlite.Stmt) {
		excess = r.ColumnInt(0) - tidings.MaxPending
	}, target); err != nil || excess <= 0 {
		return err
	}
	if err := db.Exec(t.Conn, `DELETE FROM delivery
		WHERE id IN (SELECT id FROM delivery WHERE target = ? AND failed = ? ORDER BY id LIMIT +?)`,
		target, failed, excess); err != nil {
		return err
	}
	return db.Exec(t.Conn, `UPDATE target SET dropped = dropped + ?2, `+counter+` = `+counter+` - ?2 WHERE id = ?1`,
		target, excess)
}

// counterOf is the column of target that counts a kind of deliveries.
func counterOf(failed bool) string {
	if failed {
		return "failed"
	}
	return "pending"
}

// Waiting lists the targets for which something is pending or to be retracted, but for suspended ones.
func (s *Store) Waiting(ctx context.Context) (targets []int64, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT id FROM target
			WHERE suspended = 0 AND (pending > 0 OR EXISTS (SELECT 1 FROM sent WHERE target = target.id
			AND read = 1))`, func(r *sqlite.Stmt) error {
			targets = append(targets, r.ColumnInt64(0))
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("listing targets with pending deliveries: %w", err)
	}
	return targets, nil
}

// maxDigest bounds the contents of the items of a digest, in bytes; the first part is in it however large it is.
const maxDigest = 8 << 20

// Next returns what is to be sent to a target next: its oldest delivery that has not been given up, or all that a
// digest of now has. Messages that are to be retracted go before, at any time of the schedule. Until the job is due,
// its Parts are empty. tidings.ErrNotFound if nothing is pending, the target is suspended or has expired, or there is
// no such target.
func (s *Store) Next(ctx context.Context, target int64) (j tidings.DeliveryJob, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) (err error) {
		j, err = next(conn, target, s.db.Now())
		return err
	})
	if err != nil {
		return j, fmt.Errorf("the next delivery to target %d: %w", target, err)
	}
	return j, nil
}

// row is a row of the table delivery.
type row struct {
	id, version, revision int64
	made                  time.Time
	tries                 int
}

func next(conn *sqlite.Conn, target int64, now time.Time) (j tidings.DeliveryJob, err error) {
	var malformed error
	found, err := db.One(conn, `SELECT `+targetColumns+`, tries, due FROM target
		WHERE id = ?1 AND suspended = 0 AND (expires IS NULL OR expires > ?2)
		AND (pending > 0 OR EXISTS (SELECT 1 FROM sent WHERE sent.target = ?1 AND sent.read = 1))`, func(r *sqlite.Stmt) {
		j.Target, malformed = readTarget(r)
		j.Failures, j.Due = r.ColumnInt(targetFields), db.ColumnTime(r, targetFields+1)
	}, target, now)
	if malformed != nil {
		return j, malformed
	}
	if err := db.Must(found, err); err != nil {
		return j, err
	}
	if j.Retracts, err = retractable(conn, j.Target); err != nil || len(j.Retracts) > 0 {
		return j, err
	}
	schedule := j.Target.Schedule
	j.Digest = schedule.Digest != nil
	limit := 1
	if j.Digest {
		limit = tidings.MaxDigest
	}
	var rows []row
	if err := db.Each(conn, `SELECT id, version, revision, made, tries FROM delivery
		WHERE target = ? AND failed = 0 ORDER BY id LIMIT +?`, func(r *sqlite.Stmt) error {
		rows = append(rows, row{r.ColumnInt64(0), r.ColumnInt64(1), r.ColumnInt64(2), db.ColumnTime(r, 3),
			r.ColumnInt(4)})
		return nil
	}, target, limit); err != nil || len(rows) == 0 {
		return j, db.Must(false, err)
	}
	first := rows[0]
	j.Made, j.Ready, j.Tries = first.made, schedule.Next(first.made, first.made), first.tries
	if due := schedule.Next(now, first.made); due.After(now) && due.After(j.Due) {
		j.Due = due
	}
	if j.Due.After(now) {
		j.Deliveries = []int64{first.id}
		return j, nil
	}
	return j, fill(conn, &j, rows, now)
}

// fill reads the parts of a message. Deliveries whose updates are not kept any more are a job of their own.
func fill(conn *sqlite.Conn, j *tidings.DeliveryJob, rows []row, now time.Time) error {
	size := 0
	var gone []int64
	for _, r := range rows {
		if j.Target.Schedule.Next(now, r.made).After(now) {
			continue // it came after the time of this digest
		}
		part, err := load(conn, j.Target.Account, r.version, r.revision)
		if err != nil {
			return err
		}
		if part == nil {
			gone = append(gone, r.id)
			continue
		}
		if size += part.size(); size > maxDigest && len(j.Parts) > 0 {
			break
		}
		j.Deliveries, j.Parts = append(j.Deliveries, r.id), append(j.Parts, part.DeliveryPart)
	}
	if len(j.Parts) == 0 {
		j.Deliveries = gone
	}
	return nil
}

// part is what a row of the table delivery brings.
type part struct{ tidings.DeliveryPart }

// size is the length of the contents of its items, in bytes.
func (p part) size() (size int) {
	if p.Item != nil {
		return len(p.Item.Content)
	}
	for _, i := range p.Update.Items {
		size += len(i.Content)
	}
	return size
}

// load reads an update without what filters of an account keep from its targets, or an item of it; nil if nothing of it
// is kept any more.
func load(conn *sqlite.Conn, account tidings.AccountID, version, revision int64) (*part, error) {
	kept, err := db.One(conn, `SELECT 1 FROM version v
		WHERE v.id = ?1 AND (?2 = 0 OR EXISTS (SELECT 1 FROM revision WHERE id = ?2))`, nil, version, revision)
	if err != nil || !kept {
		return nil, err
	}
	p := &part{tidings.DeliveryPart{Revision: revision}}
	if p.Update, err = column.Update(conn, version, column.View{Account: account, Silent: true}); err != nil {
		return nil, err
	}
	if revision == 0 {
		// filters have come to keep all of it from the target
		if p.Update.Kind == tidings.KindFeed && len(p.Update.Items) == 0 {
			return nil, nil
		}
		if len(p.Update.Items) == 1 {
			p.Item = &p.Update.Items[0]
		}
		return p, nil
	}
	_, readErr := db.One(conn, `SELECT `+column.ItemColumns+` FROM revision r WHERE r.id = ?`, func(r *sqlite.Stmt) {
		var item tidings.Item
		if item, err = column.Item(r, 0); err == nil {
			p.Item = &item
		}
	}, revision)
	return p, errors.Join(err, readErr)
}

// Delivered removes what a target has accepted of a job. That is on the disk when it returns: so a crash repeats no
// more than the message to each target that was under way.
func (s *Store) Delivered(ctx context.Context, j tidings.DeliveryJob) error {
	target := j.Target.ID
	err := s.db.Write(ctx, func(t *db.Tx) error {
		if err := remove(t, target, j.Deliveries); err != nil {
			return err
		}
		if err := keepSent(t, s.ready, j); err != nil {
			return err
		}
		if err := forgetSent(t, target, j.Retracts); err != nil {
			return err
		}
		return db.Exec(t.Conn,
			`UPDATE target SET delivered = CASE WHEN ?3 THEN ?2 ELSE delivered END, tries = 0, due = NULL,
			problem = '' WHERE id = ?1`, target, t.Now, len(j.Deliveries) > 0)
	})
	if err != nil {
		return fmt.Errorf("noting that deliveries %v are done: %w", append(j.Deliveries, j.Retracts...), err)
	}
	return nil
}

// remove removes those deliveries that are still there and pending.
func remove(t *db.Tx, target int64, deliveries []int64) error {
	removed := 0
	for _, id := range deliveries {
		if err := db.Exec(t.Conn, `DELETE FROM delivery WHERE id = ? AND target = ? AND failed = 0`, id,
			target); err != nil {
			return err
		}
		removed += t.Changes()
	}
	if removed == 0 {
		return nil
	}
	return db.Exec(t.Conn, `UPDATE target SET pending = pending - ?2 WHERE id = ?1`, target, removed)
}

// Forgotten removes the deliveries of a job, whose updates are not kept any more. They count as dropped. Of a job that
// retracts messages it removes what is to be retracted: nothing more is tried.
func (s *Store) Forgotten(ctx context.Context, j tidings.DeliveryJob) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		if err := remove(t, j.Target.ID, j.Deliveries); err != nil {
			return err
		}
		if err := forgetSent(t, j.Target.ID, j.Retracts); err != nil {
			return err
		}
		return db.Exec(t.Conn, `UPDATE target SET dropped = dropped + ?2 WHERE id = ?1`, j.Target.ID, len(j.Deliveries))
	})
	if err != nil {
		return fmt.Errorf("dropping deliveries %v: %w", append(j.Deliveries, j.Retracts...), err)
	}
	return nil
}

// Postpone notes that an attempt failed for a reason, and that nothing is to be tried at the target before a time.
func (s *Store) Postpone(ctx context.Context, target int64, deliveries []int64, problem string, until time.Time) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		for _, id := range deliveries {
			if err := db.Exec(t.Conn, `UPDATE delivery SET tries = tries + 1, problem = ?2 WHERE id = ?1`, id,
				problem); err != nil {
				return err
			}
		}
		return db.Exec(t.Conn, `UPDATE target SET tries = tries + 1, problem = ?2, due = ?3 WHERE id = ?1`,
			target, problem, until)
	})
	if err != nil {
		return fmt.Errorf("postponing deliveries %v: %w", deliveries, err)
	}
	return nil
}

// GiveUp notes that deliveries failed for good, and why. The next one to their target is tried no sooner than a time;
// zero: at once.
func (s *Store) GiveUp(ctx context.Context, target int64, deliveries []int64, problem string, until time.Time) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		given := 0
		for _, id := range deliveries {
			if err := db.Exec(t.Conn, `UPDATE delivery SET tries = tries + 1, failed = 1, problem = ?2
				WHERE id = ?1 AND failed = 0`, id, problem); err != nil {
				return err
			}
			given += t.Changes()
		}
		if given == 0 {
			return nil
		}
		if err := db.Exec(t.Conn, `UPDATE target SET pending = pending - ?4, failed = failed + ?4, tries = tries + 1,
			problem = ?2, due = ?3 WHERE id = ?1`, target, problem, until, given); err != nil {
			return err
		}
		return crowdOut(t, target, true)
	})
	if err != nil {
		return fmt.Errorf("giving up deliveries %v: %w", deliveries, err)
	}
	return nil
}

// Suspend notes that a target is no more, and why. Nothing is tried there until its owner resumes it.
func (s *Store) Suspend(ctx context.Context, target int64, problem string) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		return db.Exec(t.Conn, `UPDATE target SET suspended = 1, problem = ?2 WHERE id = ?1`, target, problem)
	})
	if err != nil {
		return fmt.Errorf("suspending target %d: %w", target, err)
	}
	return nil
}
