package content

import (
	"context"
	"fmt"

	"tidings"
	"tidings/store/db"
)

// Guests are channels that this node polls for others, and that nobody here has ever followed. No account sees them.
// Their content is kept as that of others, so that polls can be compared with it, but for fewer versions
// (GuestVersions). It goes soon after the last poll (Retention.Guests). The first follower makes a guest an ordinary
// channel.

// GuestVersions is how many versions of a guest are kept.
const GuestVersions = 16

// AddRelayed has a channel polled for other nodes, and makes it a guest where there is none. It can
// be repeated. The URL must be canonical and without credentials.
func (s *Store) AddRelayed(ctx context.Context, url string) error {
	n := NewChannel{URL: url, Privacy: tidings.Public}
	err := n.Validate()
	if err == nil {
		err = s.write(ctx, func(t *Tx) error { return addRelayed(t, n) })
	}
	if err != nil {
		return fmt.Errorf("checking %s for others: %w", Redact(url), err)
	}
	return nil
}

func addRelayed(t *Tx, n NewChannel) error {
	found, err := db.One(t.Conn, `SELECT 1 FROM channel WHERE url = ?`, nil, n.URL)
	if err != nil {
		return err
	}
	if !found {
		id, err := AddChannel(t, n)
		if err != nil {
			return err
		}
		return db.Exec(t.Conn, `UPDATE channel SET guest = 1, orphaned = ?1, polled = ?1 WHERE id = ?2`, t.Now, id)
	}
	return db.Exec(t.Conn, `UPDATE channel SET polled = ? WHERE url = ? AND polled IS NULL`, t.Now, n.URL)
}

// RemoveRelayed ends what AddRelayed began. It can be repeated.
func (s *Store) RemoveRelayed(ctx context.Context, url string) error {
	err := s.write(ctx, func(t *Tx) error {
		return db.Exec(t.Conn, `UPDATE channel SET polled = NULL, orphaned = CASE guest WHEN 0 THEN orphaned ELSE ? END
			WHERE url = ? AND polled IS NOT NULL`, t.Now, url)
	})
	if err != nil {
		return fmt.Errorf("ending the checks of %s for others: %w", Redact(url), err)
	}
	return nil
}

// RemoveAllRelayed is RemoveRelayed for all channels: what a former run was asked for is not this one's.
func (s *Store) RemoveAllRelayed(ctx context.Context) error {
	err := s.write(ctx, func(t *Tx) error {
		return db.Exec(t.Conn, `UPDATE channel SET polled = NULL, orphaned = CASE guest WHEN 0 THEN orphaned ELSE ? END
			WHERE polled IS NOT NULL`, t.Now)
	})
	if err != nil {
		return fmt.Errorf("ending the looks for others: %w", err)
	}
	return nil
}
