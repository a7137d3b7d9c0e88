package content

import (
	"context"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
)

// Watch is what polling a channel needs to know.
type Watch struct {
	tidings.Channel
	Memory    []byte         // what the fetcher remembers: opaque here
	Noise     []byte         // what has been learned to be noise: opaque here
	Access    tidings.Access // of the origin; never to be shown or logged
	Next      time.Time      // when the next poll is due; zero: as the watcher thinks fit
	Last      tidings.Poll
	Health    tidings.Health
	Failures  int  // polls in a row that did not read it
	Ended     bool // not to be polled by itself any more
	Followers int  // here; 0: it is polled for others
}

const watchColumns = column.ChannelColumns + `, ` + column.PollColumns +
	`, w.ended, w.memory, n.body, p.user, p.password, p.request,
	(SELECT count(*) FROM subscription s WHERE s.channel = c.id)`

const watchTables = ` FROM channel c JOIN watch w ON w.channel = c.id
	LEFT JOIN noise n ON n.channel = c.id LEFT JOIN credential p ON p.channel = c.id`

// Watches returns every channel with an origin that somebody follows, those that have ended too.
func (s *Store) Watches(ctx context.Context) (watches []Watch, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT `+watchColumns+watchTables+
			` WHERE c.orphaned IS NULL AND c.kind NOT IN ('query', 'zone') ORDER BY c.id`,
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
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		found := false
		if err := db.Each(conn, `SELECT `+watchColumns+watchTables+
			` WHERE c.url = ? AND (c.orphaned IS NULL OR c.polled IS NOT NULL)`,
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
	if w.Channel, err = column.Channel(r, 0); err != nil {
		return w, err
	}
	w.Last, w.Health, w.Failures = column.Poll(r, column.ChannelWidth)
	at := column.ChannelWidth + column.PollWidth
	w.Ended = r.ColumnBool(at)
	w.Memory = db.ColumnBlob(r, at+1)
	w.Noise = db.ColumnBlob(r, at+2)
	if w.Access, err = access(r, at+3); err != nil {
		return w, err
	}
	w.Followers = r.ColumnInt(at + 6)
	if t := s.waiting.get(w.URL); t != nil {
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
