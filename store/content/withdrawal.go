package content

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
)

// Withdraw marks the update that a version of the network's has made, as false. The update stays, as do those by which
// queries and zones have selected from it, which are marked too.
func Withdraw(t *Tx, url string, number uint64, hash [32]byte, why tidings.Withdrawal) error {
	text, err := json.Marshal(why)
	if err != nil {
		return fmt.Errorf("writing why an update is withdrawn: %w", err)
	}
	var id int64
	found, err := db.One(t.Conn, `SELECT id FROM version WHERE channel = (SELECT id FROM channel WHERE url = ?)
		AND number = ? AND shared_hash = ?`,
		func(r *sqlite.Stmt) { id = r.ColumnInt64(0) }, url, int64(number), hash[:])
	if err != nil || !found {
		return err
	}
	return mark(t, id, string(text))
}

// mark writes why an update is withdrawn, nil if it is not. It does so, too, for updates of queries and zones with
// items from it.
func mark(t *Tx, id int64, why any) error {
	return db.Exec(t.Conn, `UPDATE version SET withdrawn = ?1 WHERE id = ?2 OR id IN (
		SELECT q.id FROM version v JOIN channel c ON c.id = v.channel JOIN channel k ON k.kind IN ('query', 'zone')
			JOIN version q ON q.channel = k.id AND q.found = v.found AND q.found_by = v.found_by
		WHERE v.id = ?2 AND v.found_by != '' AND EXISTS (SELECT 1 FROM revision r
			WHERE r.id BETWEEN q.first AND q.last AND r.extra != '' AND json_extract(r.extra, '$.o.url') = c.url))`,
		why, id)
}

// Restore removes the marks of withdrawn updates if a poll of this node has found all that they say. A part of a
// document cannot show that.
func Restore(t *Tx, url string, p *Prepared) error {
	if p.Partial || p.Notice != nil {
		return nil
	}
	var marked []int64
	if err := db.Each(t.Conn,
		`SELECT v.id FROM version v JOIN channel c ON c.id = v.channel WHERE c.url = ? AND v.withdrawn IS NOT NULL`,
		func(r *sqlite.Stmt) error { marked = append(marked, r.ColumnInt64(0)); return nil }, url); err != nil ||
		len(marked) == 0 {
		return err
	}
	now, err := Now(t.Conn, url)
	if err != nil {
		return err
	}
	for _, id := range marked {
		there, err := holds(t, &now, id)
		if err == nil && there {
			err = mark(t, id, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// holds reports whether what is there now has all that an update says.
func holds(t *Tx, now *Present, id int64) (there bool, err error) {
	if now.kind == tidings.KindPage {
		return db.One(t.Conn, `SELECT 1 FROM version WHERE id = ? AND kind = 'page' AND hash = ?`, nil, id, now.hash)
	}
	missing := false
	err = db.Each(t.Conn,
		`SELECT r.item, i.latest = r.id FROM version v JOIN revision r ON r.id BETWEEN v.first AND v.last
		JOIN item i ON i.channel = r.channel AND i.id = r.item WHERE v.id = ?`, func(r *sqlite.Stmt) error {
			missing = missing || !r.ColumnBool(1) || !slices.Contains(now.order, r.ColumnInt64(0))
			there = !missing
			return nil
		}, id)
	return there, err
}

// SetHash notes how nodes name the content that an update has left.
func SetHash(t *Tx, update int64, hash [32]byte) error {
	return db.Exec(t.Conn, `UPDATE version SET shared_hash = ? WHERE id = ?`, hash[:], update)
}

// SetNumber is SetHash, and notes the number that the network has given the content.
func SetNumber(t *Tx, update int64, number uint64, hash [32]byte) error {
	return db.Exec(t.Conn, `UPDATE version SET number = ?, shared_hash = ? WHERE id = ?`, int64(number), hash[:],
		update)
}

// Seen names the nodes that have seen a content that is here.
type Seen struct {
	FoundBy     string    // its finder, as other nodes say; empty: they do not
	Found       time.Time // when that was
	ConfirmedBy []string  // other nodes that have seen it
}

// Confirm adds nodes that have seen a content to the update that made it, if nodes name it by that hash. A node that
// had found it earlier becomes its finder, and the former finder counts as confirming. The latest confirming nodes
// stand first, at most tidings.MaxConfirmedBy.
func Confirm(t *Tx, update int64, hash [32]byte, by []Seen) error {
	for _, seen := range by {
		if seen.FoundBy != "" || len(seen.ConfirmedBy) > 0 {
			if err := seen.note(t, update, hash); err != nil {
				return err
			}
		}
	}
	return nil
}

func (seen *Seen) note(t *Tx, update int64, hash [32]byte) error {
	var finder string
	var at time.Time
	var before []string
	found, err := db.One(t.Conn, `SELECT found_by, found, confirmed_by FROM version
		WHERE id = ? AND shared_hash = ? AND found_by != '' AND signed_by = ''`, func(r *sqlite.Stmt) {
		finder, at, before = r.ColumnText(0), db.ColumnTime(r, 1), column.Nodes(r, 2)
	}, update, hash[:])
	if err != nil || !found {
		return err
	}
	now := finder
	var all []string
	if seen.FoundBy != "" && seen.Found.Before(at) {
		now = seen.FoundBy
	}
	for _, node := range slices.Concat([]string{seen.FoundBy, finder}, seen.ConfirmedBy) {
		if node != "" && node != now && !slices.Contains(all, node) && !slices.Contains(before, node) {
			all = append(all, node)
		}
	}
	for _, node := range before {
		if node != now {
			all = append(all, node)
		}
	}
	all = all[:min(len(all), tidings.MaxConfirmedBy)]
	if now == finder && slices.Equal(all, before) {
		return nil
	}
	return db.Exec(t.Conn, `UPDATE version SET found_by = ?, confirmed_by = ? WHERE id = ?`, now,
		strings.Join(all, " "), update)
}
