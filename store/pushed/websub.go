package pushed

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// Hubs keeps the subscriptions of this node at hubs, one of a channel. What they hold is opaque to it. Its methods may
// be called by many goroutines at once.
type Hubs struct{ db *db.DB }

// NewHubs returns those of a database.
func NewHubs(d *db.DB) *Hubs { return &Hubs{d} }

// HubStates returns all by the URLs of their channels.
func (h *Hubs) HubStates(ctx context.Context) (all map[string][]byte, err error) {
	all = make(map[string][]byte)
	err = h.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT c.url, w.state FROM websub w JOIN channel c ON c.id = w.channel`,
			func(r *sqlite.Stmt) error {
				all[r.ColumnText(0)] = []byte(r.ColumnText(1))
				return nil
			})
	})
	if err != nil {
		return nil, fmt.Errorf("reading subscriptions at hubs: %w", err)
	}
	return all, nil
}

// PutHubState stores the subscription of a channel in the place of the one before. Of a channel that is not there
// nothing is stored.
func (h *Hubs) PutHubState(ctx context.Context, url string, state []byte) error {
	err := h.db.Write(ctx, func(t *db.Tx) error {
		return db.Exec(t.Conn, `INSERT INTO websub (channel, state) SELECT id, ?2 FROM channel WHERE url = ?1
			ON CONFLICT (channel) DO UPDATE SET state = excluded.state`, url, string(state))
	})
	if err != nil {
		return &tidings.Failure{Op: "storing a subscription at a hub", Address: url, Err: err}
	}
	return nil
}

// RemoveHubState removes the subscription of a channel, if there is one.
func (h *Hubs) RemoveHubState(ctx context.Context, url string) error {
	err := h.db.Write(ctx, func(t *db.Tx) error {
		return db.Exec(t.Conn, `DELETE FROM websub WHERE channel = (SELECT id FROM channel WHERE url = ?)`, url)
	})
	if err != nil {
		return &tidings.Failure{Op: "removing a subscription at a hub", Address: url, Err: err}
	}
	return nil
}
