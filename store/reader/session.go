package reader

import (
	"context"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// MaxSessions bounds an account's sessions; a new one takes the place of the one
// that would expire first.
const MaxSessions = 200

// CreateSession stores a session under the hash of its secret, or moves the expiry of
// one that is there.
func (s *Store) CreateSession(ctx context.Context, tokenHash [32]byte, account tidings.AccountID, expires time.Time) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		if err := db.Exec(t.Conn, `DELETE FROM session WHERE expires <= ?`, t.Now); err != nil {
			return err
		}
		if err := db.Exec(t.Conn, `INSERT INTO session (hash, account, expires) VALUES (?, ?, ?)
			ON CONFLICT (hash) DO UPDATE SET expires = excluded.expires`,
			tokenHash[:], int64(account), expires); err != nil {
			return err
		}
		return db.Exec(t.Conn, `DELETE FROM session WHERE account = ?1 AND hash NOT IN
			(SELECT hash FROM session WHERE account = ?1 ORDER BY expires DESC LIMIT +?2)`, int64(account), MaxSessions)
	})
	if err != nil {
		return fmt.Errorf("storing a session: %w", err)
	}
	return nil
}

// Session returns the account whose session it is; tidings.ErrNotFound also when it has expired.
func (s *Store) Session(ctx context.Context, tokenHash [32]byte) (account tidings.AccountID, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Must(db.One(conn, `SELECT account FROM session WHERE hash = ? AND expires > ?`, func(r *sqlite.Stmt) {
			account = tidings.AccountID(r.ColumnInt64(0))
		}, tokenHash[:], s.db.Now()))
	})
	if err != nil {
		return 0, fmt.Errorf("session: %w", err)
	}
	return account, nil
}

// DeleteSession ends a session. It is no error if there is none.
func (s *Store) DeleteSession(ctx context.Context, tokenHash [32]byte) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		return db.Exec(t.Conn, `DELETE FROM session WHERE hash = ?`, tokenHash[:])
	})
	if err != nil {
		return fmt.Errorf("ending a session: %w", err)
	}
	return nil
}
