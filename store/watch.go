package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// Watch is what polling a channel needs to know.
type Watch struct {
	tidings.Channel
	Memory    []byte // what the fetcher remembers: opaque here
	Noise     []byte // what has been learned to be noise: opaque here
	User      string // for the origin; never to be shown or logged
	Password  string
	Next      time.Time // when the next poll is due; zero: as the watcher thinks fit
	Last      tidings.Poll
	Health    tidings.Health
	Failures  int  // polls in a row that did not read it
	Ended     bool // not to be polled by itself any more
	Followers int  // here; 0: it is polled for others
}

const watchColumns = channelColumns + `, ` + pollColumns + `, w.ended, w.memory, n.body, p.user, p.password,
	(SELECT count(*) FROM subscription s WHERE s.channel = c.id)`

const watchTables = ` FROM channel c JOIN watch w ON w.channel = c.id
	LEFT JOIN noise n ON n.channel = c.id LEFT JOIN credential p ON p.channel = c.id`

// Watches returns every channel with an origin that somebody follows, those that have ended too.
func (s *Store) Watches(ctx context.Context) (watches []Watch, err error) {
	err = s.read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT `+watchColumns+watchTables+` WHERE c.orphaned IS NULL AND c.kind NOT IN ('query', 'zone') ORDER BY c.id`,
			func(r *sqlite.Stmt) error {
				w, err := s.readWatch(r)
				watches = append(watches, w)
				return err
			})
	})
	if err != nil {
		return nil, fmt.Errorf("listing what to watch: %w", err)
	}
	return watches, nil
}

// Watch returns one channel that somebody follows, or that is polled for others;
// tidings.ErrNotFollowed if there is none such.
func (s *Store) Watch(ctx context.Context, url string) (w Watch, err error) {
	err = s.read(ctx, func(conn *sqlite.Conn) error {
		found := false
		if err := db.Each(conn, `SELECT `+watchColumns+watchTables+` WHERE c.url = ? AND (c.orphaned IS NULL OR c.polled IS NOT NULL)`,
			func(r *sqlite.Stmt) (err error) {
				found = true
				w, err = s.readWatch(r)
				return err
			}, url); err != nil {
			return err
		}
		if !found {
			return tidings.ErrNotFollowed
		}
		return nil
	})
	if err != nil {
		return Watch{}, fmt.Errorf("watch of %s: %w", url, err)
	}
	return w, nil
}

func (s *Store) readWatch(r *sqlite.Stmt) (w Watch, err error) {
	if w.Channel, err = readChannel(r, 0); err != nil {
		return w, err
	}
	w.Last, w.Health, w.Failures = readPoll(r, channelWidth)
	at := channelWidth + pollWidth
	w.Ended = r.ColumnBool(at)
	w.Memory = db.ColumnBlob(r, at+1)
	w.Noise = db.ColumnBlob(r, at+2)
	w.User = r.ColumnText(at + 3)
	w.Password = r.ColumnText(at + 4)
	w.Followers = r.ColumnInt(at + 5)
	if t := s.memory.touches.get(w.URL); t != nil {
		t.overlay(&w.Last, &w.Health, &w.Failures)
		if !t.planned {
			w.Ended = t.Ended
		}
		if t.Memory != nil {
			w.Memory = t.Memory
		}
		if t.Noise != nil {
			w.Noise = t.Noise
		}
	}
	w.Next = w.Last.Next
	return w, nil
}

// Columns of tables channel (c) and watch (w), and how they are read.
const (
	channelColumns = `c.url, c.moved, c.kind, c.title, c.site, c.privacy, c.options, c.version, c.added`
	channelWidth   = 9
	pollColumns    = `w.at, w.why, w.outcome, w.status, w.bytes, w.took, w.error, w.next, w.next_why, w.health, w.failures`
	pollWidth      = 11
)

func readChannel(r *sqlite.Stmt, at int) (c tidings.Channel, err error) {
	c = tidings.Channel{
		URL:     r.ColumnText(at),
		Moved:   r.ColumnText(at + 1),
		Kind:    tidings.Kind(r.ColumnText(at + 2)),
		Title:   r.ColumnText(at + 3),
		Site:    r.ColumnText(at + 4),
		Privacy: tidings.Privacy(r.ColumnText(at + 5)),
		Version: tidings.Version(r.ColumnInt64(at + 7)),
		Added:   db.ColumnTime(r, at+8),
	}
	if text := r.ColumnText(at + 6); text != "" {
		if err := json.Unmarshal([]byte(text), &c.Options); err != nil {
			return c, fmt.Errorf("options of %s: %w (%w)", c.URL, db.ErrDamaged, err)
		}
	}
	return c, nil
}

func readPoll(r *sqlite.Stmt, at int) (l tidings.Poll, health tidings.Health, failures int) {
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

func optionsText(o tidings.PageOptions) (string, error) {
	if o.IsZero() {
		return "", nil
	}
	text, err := json.Marshal(o)
	if err != nil {
		return "", fmt.Errorf("options: %w (%w)", tidings.ErrInvalid, err)
	}
	return string(text), nil
}
