package column

import (
	"encoding/json"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// Columns of tables channel (c) and watch (w), and how they are read.
const (
	ChannelColumns = `c.url, c.moved, c.kind, c.title, c.site, c.icon, c.privacy, c.options, c.version, c.added`
	ChannelWidth   = 10
	PollColumns    = `w.at, w.why, w.outcome, w.status, w.bytes, w.took, w.error, w.next, w.next_why, w.health, w.failures`
	PollWidth      = 11
)

// Channel reads a channel from a row that ChannelColumns begin at.
func Channel(r *sqlite.Stmt, at int) (c tidings.Channel, err error) {
	c = tidings.Channel{
		URL:     r.ColumnText(at),
		Moved:   r.ColumnText(at + 1),
		Kind:    tidings.Kind(r.ColumnText(at + 2)),
		Title:   r.ColumnText(at + 3),
		Site:    r.ColumnText(at + 4),
		Icon:    r.ColumnText(at + 5),
		Privacy: tidings.Privacy(r.ColumnText(at + 6)),
		Version: tidings.Version(r.ColumnInt64(at + 8)),
		Added:   db.ColumnTime(r, at+9),
	}
	if text := r.ColumnText(at + 7); text != "" {
		if err := json.Unmarshal([]byte(text), &c.Options); err != nil {
			return c, fmt.Errorf("options of %s: %w (%w)", c.URL, db.ErrDamaged, err)
		}
	}
	return c, nil
}

// Poll reads the last poll of a channel from a row that PollColumns begin at.
func Poll(r *sqlite.Stmt, at int) (l tidings.Poll, health tidings.Health, failures int) {
	l = tidings.Poll{
		At:      db.ColumnTime(r, at),
		Why:     r.ColumnText(at + 1),
		Outcome: tidings.Outcome(r.ColumnText(at + 2)),
		Status:  r.ColumnInt(at + 3),
		Bytes:   r.ColumnInt64(at + 4),
		Took:    time.Duration(r.ColumnInt64(at + 5)),
		Error:   r.ColumnText(at + 6),
		Next:    db.ColumnTime(r, at+7),
		NextWhy: r.ColumnText(at + 8),
	}
	return l, tidings.Health(r.ColumnText(at + 9)), r.ColumnInt(at + 10)
}
