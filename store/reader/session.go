package reader

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// MaxSessions bounds an account's sessions; a new one replaces the one that would expire first.
const MaxSessions = 200

// maxBrowser bounds what is kept of how a browser calls itself, in bytes.
const maxBrowser = 300

// CreateSession stores a session of a browser under the hash of its secret, or moves the expiry of
// one that is there. tidings.ErrNotFound if there is no such account any more.
func (s *Store) CreateSession(ctx context.Context, tokenHash [32]byte, account tidings.AccountID, expires time.Time,
	browser string) error {
	browser = strings.ToValidUTF8(browser[:min(len(browser), maxBrowser)], "")
	err := s.db.Write(ctx, func(t *db.Tx) error {
		if err := db.Exec(t.Conn, `DELETE FROM session WHERE expires <= ?`, t.Now); err != nil {
			return err
		}
		if err := db.Exec(t.Conn, `INSERT INTO session (hash, account, expires, created, used, browser)
			SELECT ?1, ?2, ?3, ?4, ?4, ?5 WHERE EXISTS (SELECT 1 FROM account WHERE id = ?2)
			ON CONFLICT (hash) DO UPDATE SET expires = excluded.expires, used = excluded.used,
			browser = excluded.browser`,
			tokenHash[:], int64(account), expires, t.Now, browser); err != nil {
			return err
		}
		if t.Changes() == 0 {
			return tidings.ErrNotFound
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

// Sessions lists an account's sessions, the one used last first.
func (s *Store) Sessions(ctx context.Context, account tidings.AccountID) (all []tidings.Session, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn,
			`SELECT hash, created, used, expires, browser FROM session WHERE account = ? AND expires > ?
			ORDER BY used DESC, hash`, func(r *sqlite.Stmt) error {
				all = append(all, tidings.Session{
					ID: tidings.SessionID([32]byte(db.ColumnBlob(r, 0))), Created: db.ColumnTime(r, 1),
					Used:    db.ColumnTime(r, 2),
					Expires: db.ColumnTime(r, 3), Browser: r.ColumnText(4),
				})
				return nil
			}, int64(account), s.db.Now())
	})
	if err != nil {
		return nil, fmt.Errorf("listing sessions: %w", err)
	}
	return all, nil
}

// EndSession ends a session of the account by its ID; tidings.ErrNotFound if it has none such.
func (s *Store) EndSession(ctx context.Context, account tidings.AccountID, id string) error {
	start, err := hex.DecodeString(id)
	if err != nil || len(start) != tidings.SessionIDBytes {
		return fmt.Errorf("ending a session: %w", tidings.ErrNotFound)
	}
	err = s.db.Write(ctx, func(t *db.Tx) error {
		if err := db.Exec(t.Conn, `DELETE FROM session WHERE account = ? AND substr(hash, 1, ?) = ?`, int64(account),
			tidings.SessionIDBytes, start); err != nil {
			return err
		}
		if t.Changes() == 0 {
			return tidings.ErrNotFound
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("ending a session: %w", err)
	}
	return nil
}
