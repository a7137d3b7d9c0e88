package outbox

import (
	"fmt"
	"maps"
	"slices"

	"zombiezen.com/go/sqlite"

	"tidings/store/db"
)

// filtered is what filters of an account have made of revisions of an update.
type filtered struct {
	silent map[int64]bool // no target gets these
	loud   []int64        // all targets get these, ascending
}

// filteredOf returns it by accounts.
func filteredOf(t *db.Tx, v Version) (map[int64]filtered, error) {
	made := make(map[int64]filtered)
	return made, db.Each(t.Conn, `SELECT f.account, r.id, f.silent, f.loud FROM revision r
		CROSS JOIN filtered f INDEXED BY filtered_item ON f.item = r.item AND f.revision = r.id
		WHERE r.id BETWEEN ? AND ? ORDER BY r.id`, func(r *sqlite.Stmt) error {
		account, revision := r.ColumnInt64(0), r.ColumnInt64(1)
		of := made[account]
		if r.ColumnInt(2) != 0 {
			if of.silent == nil {
				of.silent = make(map[int64]bool)
			}
			of.silent[revision] = true
		}
		if r.ColumnInt(3) != 0 {
			of.loud = append(of.loud, revision)
		}
		made[account] = of
		return nil
	}, v.First, v.Last)
}

// without returns the revisions of an update but for some: the oldest first, which has the smallest number. They stand
// in the reverse order of the document. Of an update without revisions it is the whole.
func (v Version) without(some map[int64]bool) (rest []int64) {
	if v.Last < v.First {
		return []int64{0}
	}
	for revision := v.First; revision <= v.Last; revision++ {
		if !some[revision] {
			rest = append(rest, revision)
		}
	}
	return rest
}

// enqueueLoud puts what filters notify of into the outbox of those targets of their accounts that have not selected the
// update. It returns them.
func enqueueLoud(t *db.Tx, v Version, made map[int64]filtered, selected []recipient) (targets []int64, err error) {
	for _, account := range slices.Sorted(maps.Keys(made)) {
		of := made[account]
		if len(of.loud) == 0 {
			continue
		}
		var more []int64
		if err := db.Each(t.Conn, `SELECT id FROM target WHERE account = ? AND (expires IS NULL OR expires > ?)`,
			func(r *sqlite.Stmt) error {
				if id := r.ColumnInt64(0); !slices.ContainsFunc(selected,
					func(to recipient) bool { return to.id == id }) {
					more = append(more, id)
				}
				return nil
			}, account, t.Now); err != nil {
			return nil, err
		}
		revisions := of.loud
		if v.Page {
			revisions = []int64{0}
		}
		for _, target := range more {
			for _, revision := range revisions {
				if err := add(t, target, v.ID, revision); err != nil {
					return nil, fmt.Errorf("target %d: %w", target, err)
				}
			}
		}
		targets = append(targets, more...)
	}
	return targets, nil
}

// keepsLoud is an SQL condition: a filter has notified of revision r although it has marked it read.
const keepsLoud = `EXISTS (SELECT 1 FROM filtered f WHERE f.account = t.account AND f.item = r.item AND f.revision = r.id AND f.loud = 2)`
