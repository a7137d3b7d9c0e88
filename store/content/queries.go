package content

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
)

// Followed returns the URLs of all channels of some kinds that somebody follows, sorted.
func (s *Store) Followed(ctx context.Context, kinds ...tidings.Kind) (urls []string, err error) {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k)
	}
	list, err := json.Marshal(names)
	if err != nil {
		return nil, fmt.Errorf("listing channels by kind: %w", err)
	}
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn,
			`SELECT url FROM channel WHERE kind IN (SELECT value FROM json_each(?)) AND orphaned IS NULL
			ORDER BY url`, func(r *sqlite.Stmt) error {
				urls = append(urls, r.ColumnText(0))
				return nil
			}, string(list))
	})
	if err != nil {
		return nil, fmt.Errorf("listing channels of kinds %q: %w", names, err)
	}
	return urls, nil
}

// PublicQuery asks for updates of public feeds.
type PublicQuery struct {
	After, Before int64     // only updates with IDs between; a Before of 0: all after After
	Since         time.Time // received at or after; zero: at any time
	Newest        bool      // the newest of them first, instead of the oldest
	Limit         int       // at most tidings.MaxLimit; 0: 50
}

// PublicUpdates returns updates that queries select from: those of public feeds, whether somebody here follows them or
// they are kept for others. Fewer than q.Limit does not mean that there are no more, none does: results with much text
// are cut.
func (s *Store) PublicUpdates(ctx context.Context, q PublicQuery) (updates []tidings.Update, err error) {
	order := ""
	if q.Newest {
		order = " DESC"
	}
	since, before := int64(0), q.Before
	if before == 0 {
		before = math.MaxInt64
	}
	if !q.Since.IsZero() {
		since = q.Since.UnixMicro()
	}
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		var ids []int64
		if err := db.Each(conn,
			`SELECT v.id FROM version v CROSS JOIN channel c WHERE v.id > ?1 AND v.id < ?2 AND v.received >= ?3
			AND v.kind = 'feed' AND c.id = v.channel AND c.privacy = 'public' AND c.kind NOT IN ('query', 'zone')
			AND `+notGoing+` ORDER BY v.id`+order+` LIMIT +?4`, func(r *sqlite.Stmt) error {
				ids = append(ids, r.ColumnInt64(0))
				return nil
			}, q.After, before, since, column.Limit(q.Limit)); err != nil {
			return err
		}
		size := 0
		for _, id := range ids {
			u, err := column.Update(conn, id, column.View{})
			if err != nil {
				return err
			}
			if size += column.UpdateSize(&u); size > column.MaxResult && len(updates) > 0 {
				break
			}
			updates = append(updates, u)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading public updates: %w", err)
	}
	return updates, nil
}
