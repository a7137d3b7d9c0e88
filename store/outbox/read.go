package outbox

import (
	"fmt"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// What a person reads need not be announced to that person any more. Pending deliveries are dropped, and sent ones are
// retracted if the target's protocol knows that. Marks decide, in the transaction that sets them: so a crash leaves
// nothing to be made up for. Rows are visited from the side of the targets, of which an account has at most
// tidings.MaxTargets, and not from that of the items, which may be many.

// revisionRead is an SQL expression: whether the account of target t has read revision r, as an item or as an edit of
// its own.
const revisionRead = `(EXISTS (SELECT 1 FROM mark m
		WHERE m.account = t.account AND m.channel = r.channel AND m.item = r.item AND m.read >= r.id AND NOT ` + keepsLoud + `)
	OR EXISTS (SELECT 1 FROM edit e JOIN edit_mark k ON k.edit = e.id AND k.account = t.account
		WHERE e.latest = r.id AND k.read = 1 AND NOT ` + keepsLoud + `))`

// isRead is an SQL expression: whether the account of target t has read all that d brings, a row of delivery or of
// sent.
const isRead = `CASE WHEN d.revision != 0
	THEN EXISTS (SELECT 1 FROM revision r WHERE r.id = d.revision AND ` + revisionRead + `)
	ELSE EXISTS (SELECT 1 FROM version v JOIN revision r ON r.id BETWEEN v.first AND v.last WHERE v.id = d.version)
		AND NOT EXISTS (SELECT 1 FROM version v JOIN revision r ON r.id BETWEEN v.first AND v.last
			WHERE v.id = d.version AND NOT ` + revisionRead + `) END`

// personal lists in SQL the kinds of targets whose persons are not sent what they have read.
var personal = func() string {
	var kinds []string
	for _, k := range tidings.TargetKinds {
		if k.Personal() {
			kinds = append(kinds, `'`+string(k)+`'`)
		}
	}
	return `(` + strings.Join(kinds, `, `) + `)`
}()

// DropRead drops pending deliveries to an account's personal targets if the account has read all that they bring. Sent
// ones of that kind are retracted. It is called in the transaction in which something was read. Its work is bounded by
// what is pending and was sent last, however much was read: tidings.MaxPending rows of each target, and those of
// tidings.TargetKind.Retractable.
func (s *Store) DropRead(t *db.Tx, account tidings.AccountID) error {
	pending := make(map[int64][]int64) // by targets
	if err := db.Each(t.Conn, `SELECT t.id, d.id FROM target t CROSS JOIN delivery d ON d.target = t.id AND d.failed = 0
		WHERE t.account = ? AND t.pending > 0 AND t.kind IN `+personal+` AND `+isRead, func(r *sqlite.Stmt) error {
		pending[r.ColumnInt64(0)] = append(pending[r.ColumnInt64(0)], r.ColumnInt64(1))
		return nil
	}, int64(account)); err != nil {
		return fmt.Errorf("looking for deliveries of what was read: %w", err)
	}
	for target, deliveries := range pending {
		if err := remove(t, target, deliveries); err != nil {
			return fmt.Errorf("dropping deliveries of what was read: %w", err)
		}
	}
	if err := retract(t, s.ready, `t.account = ?`, int64(account)); err != nil {
		return fmt.Errorf("retracting messages of what was read: %w", err)
	}
	return nil
}

// retract has those messages to targets t retracted that bring only what was read, and calls ready with the targets.
func retract(t *db.Tx, ready func(targets ...int64), of string, arguments ...any) error {
	var targets []int64
	if err := db.Each(t.Conn, `SELECT t.id FROM target t CROSS JOIN sent d ON d.target = t.id AND d.read = 0
		WHERE `+of+` AND `+isRead, func(r *sqlite.Stmt) error {
		targets = append(targets, r.ColumnInt64(0))
		return nil
	}, arguments...); err != nil || len(targets) == 0 {
		return err
	}
	targets = slices.Compact(targets)
	for _, id := range targets {
		if err := db.Exec(t.Conn, `UPDATE sent SET read = 1 WHERE (target, delivery) IN
			(SELECT d.target, d.delivery FROM sent d JOIN target t ON t.id = d.target WHERE d.target = ? AND d.read = 0
			AND `+isRead+`)`,
			id); err != nil {
			return err
		}
	}
	t.OnCommit(func() { ready(targets...) })
	return nil
}

// keepSent keeps in mind what a target has accepted, if it can be retracted. It may have been read while it was sent.
func keepSent(t *db.Tx, ready func(targets ...int64), j tidings.DeliveryJob) error {
	most := j.Target.Kind.Retractable()
	if most == 0 || j.Digest || len(j.Parts) != 1 || len(j.Deliveries) != 1 {
		return nil
	}
	part := j.Parts[0]
	if err := db.Exec(t.Conn,
		`INSERT INTO sent (target, delivery, version, revision) SELECT id, ?2, ?3, ?4 FROM target WHERE id = ?1
		ON CONFLICT DO NOTHING`, j.Target.ID, j.Deliveries[0], part.Update.ID, part.Revision); err != nil {
		return err
	}
	if err := db.Exec(t.Conn, `DELETE FROM sent WHERE target = ?1 AND delivery <=
		(SELECT delivery FROM sent WHERE target = ?1 ORDER BY delivery DESC LIMIT 1 OFFSET +?2)`, j.Target.ID,
		most); err != nil {
		return err
	}
	return retract(t, ready, `t.id = ?`, j.Target.ID)
}

// retractable returns the deliveries whose messages a target is to retract next: as many as one message to it can.
func retractable(conn *sqlite.Conn, to tidings.Target) (deliveries []int64, err error) {
	most := 1
	if to.Kind == tidings.BrowserPush {
		most = to.Kind.Retractable()
	}
	return deliveries,
		db.Each(conn, `SELECT delivery FROM sent WHERE target = ? AND read = 1 ORDER BY delivery LIMIT +?`,
			func(r *sqlite.Stmt) error {
				deliveries = append(deliveries, r.ColumnInt64(0))
				return nil
			}, to.ID, most)
}

// forgetSent forgets messages, which are retracted, or are not tried to be any more.
func forgetSent(t *db.Tx, target int64, deliveries []int64) error {
	for _, id := range deliveries {
		if err := db.Exec(t.Conn, `DELETE FROM sent WHERE target = ? AND delivery = ?`, target, id); err != nil {
			return err
		}
	}
	return nil
}
