package reader

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// Followings are notes of what addresses of chat follow, for other nodes with the same account. The methods may be
// called by many goroutines at once.
type Followings struct{ db *db.DB }

// NewFollowings returns those of a database.
func NewFollowings(d *db.DB) *Followings { return &Followings{d} }

const (
	followingColumns = `address, channel, changed, ended, schedule`

	// maxEnded is how many channels that an address does not follow any more are noted of it.
	maxEnded = 200
	// maxForgotten is how many forgotten addresses are noted.
	maxForgotten = 20_000
)

func readFollowing(r *sqlite.Stmt) (f tidings.Following, err error) {
	f = tidings.Following{Address: r.ColumnText(0), Channel: r.ColumnText(1), Changed: db.ColumnTime(r, 2),
		Ended: r.ColumnBool(3)}
	if f.Address == "" {
		f.Forgotten, f.Channel = f.Channel, ""
	}
	if text := r.ColumnText(4); text != "" {
		if err := json.Unmarshal([]byte(text), &f.Schedule); err != nil {
			return f, fmt.Errorf("the schedule of %s: %w", tidings.Quote(f.Address), err)
		}
	}
	return f, nil
}

func (s *Followings) read(ctx context.Context, sql string, args ...any) (all []tidings.Following, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, sql, func(r *sqlite.Stmt) error {
			f, err := readFollowing(r)
			all = append(all, f)
			return err
		}, args...)
	})
	if err != nil {
		return nil, fmt.Errorf("reading what addresses follow: %w", err)
	}
	return all, nil
}

// Of lists what is noted of an address.
func (s *Followings) Of(ctx context.Context, address string) ([]tidings.Following, error) {
	return s.read(ctx, `SELECT `+followingColumns+` FROM following WHERE address = ? ORDER BY channel`, address)
}

// List lists what is noted, in order, after a place: at most so many.
func (s *Followings) List(ctx context.Context, after tidings.FollowingCursor, most int) ([]tidings.Following, error) {
	return s.read(ctx, `SELECT `+followingColumns+
		` FROM following WHERE (address, channel) > (?, ?) ORDER BY address, channel LIMIT +?`,
		after.Address, after.Channel, most)
}

// Addresses lists the addresses of which something is noted, but for forgotten ones.
func (s *Followings) Addresses(ctx context.Context) (all []string, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT DISTINCT address FROM following WHERE address > ''`, func(r *sqlite.Stmt) error {
			all = append(all, r.ColumnText(0))
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("listing addresses: %w", err)
	}
	return all, nil
}

// Forgotten returns when an address was forgotten, by its hash; the zero time if it was not.
func (s *Followings) Forgotten(ctx context.Context, hash string) (at time.Time, err error) {
	all, err := s.read(ctx, `SELECT `+followingColumns+` FROM following WHERE address = '' AND channel = ?`, hash)
	if err != nil || len(all) == 0 {
		return at, err
	}
	return all[0].Changed, nil
}

// Put notes changes in the place of what was noted for the same.
func (s *Followings) Put(ctx context.Context, rows []tidings.Following) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		for _, f := range rows {
			if err := put(t, f); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("noting what addresses follow: %w", err)
	}
	return nil
}

func put(t *db.Tx, f tidings.Following) error {
	schedule := ""
	if f.Schedule != nil {
		text, err := json.Marshal(f.Schedule)
		if err != nil {
			return err
		}
		schedule = string(text)
	}
	channel, most, which := f.Channel, maxEnded, `address = ?1 AND ended = 1`
	if f.Address == "" {
		channel, most, which = f.Forgotten, maxForgotten, `address = ?1`
	}
	if err := db.Exec(t.Conn, `INSERT OR REPLACE INTO following (`+followingColumns+`) VALUES (?, ?, ?, ?, ?)`,
		f.Address, channel, f.Changed, f.Ended, schedule); err != nil {
		return err
	}
	if !f.Ended && f.Address != "" {
		return nil
	}
	return db.Exec(t.Conn, `DELETE FROM following WHERE `+which+` AND channel IN (SELECT channel FROM following
		WHERE `+which+` ORDER BY changed DESC LIMIT -1 OFFSET ?2)`, f.Address, most)
}

// Forget removes what is noted of an address, and notes when it was forgotten by its hash alone.
func (s *Followings) Forget(ctx context.Context, address, hash string, at time.Time) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		if err := db.Exec(t.Conn, `DELETE FROM following WHERE address = ?`, address); err != nil {
			return err
		}
		return put(t, tidings.Following{Forgotten: hash, Changed: at})
	})
	if err != nil {
		return fmt.Errorf("forgetting what an address follows: %w", err)
	}
	return nil
}

// Expire removes notes of what has ended, and of forgotten addresses, from before a time.
func (s *Followings) Expire(ctx context.Context, before time.Time) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		return db.Exec(t.Conn, `DELETE FROM following WHERE changed < ? AND (ended = 1 OR address = '')`, before)
	})
	if err != nil {
		return fmt.Errorf("removing old notes of what addresses follow: %w", err)
	}
	return nil
}
