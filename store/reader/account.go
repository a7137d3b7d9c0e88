package reader

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// Account returns the account of that name and its password hash ("" if none is
// set), by its name in any case. The name of tidings.Owner is "owner". tidings.ErrNotFound if there is none, and of a
// tidings.Subscriber.
func (s *Store) Account(ctx context.Context, name string) (account tidings.AccountID, passwordHash string, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Must(db.One(conn, `SELECT id, password FROM account WHERE name = ? AND role != 'subscriber'`,
			func(r *sqlite.Stmt) {
				account, passwordHash = tidings.AccountID(r.ColumnInt64(0)), r.ColumnText(1)
			}, name))
	})
	if err != nil {
		return 0, "", fmt.Errorf("account %q: %w", name, err)
	}
	return account, passwordHash, nil
}

// PasswordHash returns an account's password hash, "" if none is set.
func (s *Store) PasswordHash(ctx context.Context, account tidings.AccountID) (hash string, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Must(db.One(conn, `SELECT password FROM account WHERE id = ?`, func(r *sqlite.Stmt) {
			hash = r.ColumnText(0)
		}, int64(account)))
	})
	if err != nil {
		return "", fmt.Errorf("password of account %d: %w", account, err)
	}
	return hash, nil
}

// SetPasswordHash sets an account's password hash; "" removes it, which is possible where the owner uses the node
// alone. The account's sessions end and its passkeys go, so that nothing of before lets anybody in.
func (s *Store) SetPasswordHash(ctx context.Context, account tidings.AccountID, hash string) error {
	return s.setPassword(ctx, account, hash, false)
}

// ChangePasswordHash is SetPasswordHash for a person that has proved to know the password of before: passkeys stay.
func (s *Store) ChangePasswordHash(ctx context.Context, account tidings.AccountID, hash string) error {
	return s.setPassword(ctx, account, hash, hash != "")
}

func (s *Store) setPassword(ctx context.Context, account tidings.AccountID, hash string, keepPasskeys bool) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		if hash == "" {
			others, err := db.One(t.Conn, `SELECT 1 FROM account WHERE id != ? AND role != 'subscriber'`, nil,
				int64(tidings.Owner))
			if err != nil {
				return err
			}
			if others {
				return tidings.Invalidf("where several people use a node, each needs a password")
			}
		}
		if err := db.Exec(t.Conn, `UPDATE account SET password = ? WHERE id = ? AND role != 'subscriber'`, hash,
			int64(account)); err != nil {
			return err
		}
		if t.Changes() == 0 {
			return tidings.ErrNotFound
		}
		if !keepPasskeys {
			if err := db.Exec(t.Conn, `DELETE FROM passkey WHERE account = ?`, int64(account)); err != nil {
				return err
			}
		}
		return db.Exec(t.Conn, `DELETE FROM session WHERE account = ?`, int64(account))
	})
	if err != nil {
		return &tidings.Failure{Op: fmt.Sprint("setting the password of account ", account), Err: err}
	}
	return nil
}
