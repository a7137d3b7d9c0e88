package store

import (
	"context"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/content"
	"tidings/store/db"
	"tidings/store/fulltext"
	"tidings/store/outbox"
)

// RemovePerson removes an account with all that is kept of it and of nobody else, in one transaction. It returns the
// addresses of channels that nobody follows now: they go the way of [Store.Unsubscribe], and what was kept to enter
// them at their origins goes at once. tidings.ErrNotFound if there is no such account; tidings.ErrInvalid of the owner.
func (s *Store) RemovePerson(ctx context.Context, account tidings.AccountID) (left []string, err error) {
	err = s.write(ctx, func(t *content.Tx) error {
		left = nil
		channels, err := s.Reader.Remove(t.Tx, account)
		if err != nil {
			return err
		}
		if err := outbox.RemoveOf(t.Tx, account); err != nil {
			return err
		}
		if err := fulltext.RemovePerson(t.Tx, account); err != nil {
			return err
		}
		for _, channel := range channels {
			if err := content.Orphan(t, channel); err != nil {
				return err
			}
			if err := content.SetAccess(t, channel, tidings.Access{}); err != nil {
				return err
			}
			if _, err := db.One(t.Conn, `SELECT url FROM channel WHERE id = ?`, func(r *sqlite.Stmt) {
				left = append(left, r.ColumnText(0))
			}, channel); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, &tidings.Failure{Op: "removing a person", Err: err}
	}
	return left, nil
}
