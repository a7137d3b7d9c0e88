package reader

import (
	"context"
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// Identities keep which user of an OpenID Connect provider each account is. An account is at most one user of an
// issuer, and a user is at most one account. Its methods may be called by many goroutines at once.
type Identities struct{ db *db.DB }

// NewIdentities returns the part of a database.
func NewIdentities(d *db.DB) *Identities { return &Identities{d} }

// SignIn returns the person that a provider's user is, and gives that person the role of u. At the first sign-in it
// binds the user to an account, by these rules:
//
//   - The owner's account is bound to the user that the settings name, and to no other. If they name another later, the
//     binding ends.
//   - An account of one of the user's names is bound if it is a reader's that nobody has used yet. u.TrustNames admits
//     any account but the owner's.
//   - Else u.Create makes a reader of the preferred name.
//
// [tidings.ErrExists] says that the account of the user's name cannot be bound, [tidings.ErrNotFound] that there is
// none, and [tidings.ErrInvalid] that no more people can be added.
func (s *Identities) SignIn(ctx context.Context, u tidings.ProviderUser) (p tidings.Person, err error) {
	err = s.db.Write(ctx, func(t *db.Tx) error {
		account, err := bind(t, u)
		if err != nil {
			return err
		}
		if u.Role != "" && account != tidings.Owner {
			if err := db.Exec(t.Conn, `UPDATE account SET role = ? WHERE id = ?`, string(u.Role),
				int64(account)); err != nil {
				return err
			}
		}
		return db.Must(db.One(t.Conn, `SELECT `+personColumns+` FROM account WHERE id = ?`, func(r *sqlite.Stmt) {
			p = readPerson(r)
		}, int64(account)))
	})
	if err != nil {
		return tidings.Person{}, fmt.Errorf("signing in a provider's user: %w", err)
	}
	return p, nil
}

// Refuse ends what a provider's user may do that has no role there any more: the account becomes a reader's, and its
// sessions end. The owner's account stays as it is. It is no error if the user is bound to no account.
func (s *Identities) Refuse(ctx context.Context, issuer, subject string) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		account, err := boundTo(t, issuer, subject)
		if errors.Is(err, tidings.ErrNotFound) || account == tidings.Owner {
			return nil
		}
		if err != nil {
			return err
		}
		if err := db.Exec(t.Conn, `UPDATE account SET role = ? WHERE id = ?`, string(tidings.Reader),
			int64(account)); err != nil {
			return err
		}
		return db.Exec(t.Conn, `DELETE FROM session WHERE account = ?`, int64(account))
	})
	if err != nil {
		return fmt.Errorf("refusing a provider's user: %w", err)
	}
	return nil
}

// boundTo returns the account that a user is bound to, or tidings.ErrNotFound.
func boundTo(t *db.Tx, issuer, subject string) (account tidings.AccountID, err error) {
	err = db.Must(db.One(t.Conn, `SELECT account FROM openid WHERE issuer = ? AND subject = ?`, func(r *sqlite.Stmt) {
		account = tidings.AccountID(r.ColumnInt64(0))
	}, issuer, subject))
	return account, err
}

// bind returns the account of a user, and binds the user to it if need be.
func bind(t *db.Tx, u tidings.ProviderUser) (account tidings.AccountID, err error) {
	account, err = boundTo(t, u.Issuer, u.Subject)
	switch {
	case err == nil && (account == tidings.Owner) == u.Owner:
		return account, nil
	case err != nil && !errors.Is(err, tidings.ErrNotFound):
		return 0, err
	}
	// The settings name the owner. A binding that contradicts them goes: the user's own, and that of the owner before.
	if err := db.Exec(t.Conn, `DELETE FROM openid WHERE issuer = ?1 AND (subject = ?2 OR account = ?3 AND ?4)`,
		u.Issuer, u.Subject, int64(tidings.Owner), u.Owner); err != nil {
		return 0, err
	}
	if account = tidings.Owner; !u.Owner {
		if account, err = accountFor(t, u); err != nil {
			return 0, err
		}
	}
	return account, db.Exec(t.Conn, `INSERT INTO openid (issuer, subject, account, since) VALUES (?, ?, ?, ?)`,
		u.Issuer, u.Subject, int64(account), t.Now)
}

// accountFor finds or makes the account of a user that is bound to none and is not the owner.
func accountFor(t *db.Tx, u tidings.ProviderUser) (account tidings.AccountID, err error) {
	for _, name := range u.Names {
		bound, used := false, false
		found, err :=
			db.One(t.Conn, `SELECT id, EXISTS (SELECT 1 FROM openid o WHERE o.account = a.id AND o.issuer = ?2),
			role != 'reader' OR EXISTS (SELECT 1 FROM openid o WHERE o.account = a.id)
			OR EXISTS (SELECT 1 FROM session s WHERE s.account = a.id)
			OR EXISTS (SELECT 1 FROM token k WHERE k.account = a.id)
			OR EXISTS (SELECT 1 FROM feed_address d WHERE d.account = a.id)
			OR EXISTS (SELECT 1 FROM subscription f WHERE f.account = a.id)
			FROM account a WHERE name = ?1`, func(r *sqlite.Stmt) {
				account, bound, used = tidings.AccountID(r.ColumnInt64(0)), r.ColumnBool(1), r.ColumnBool(2)
			}, name, u.Issuer)
		switch {
		case err != nil:
			return 0, err
		case !found:
			continue
		case account == tidings.Owner, bound, used && !u.TrustNames:
			return 0, fmt.Errorf("the account %s: %w", tidings.Quote(name), tidings.ErrExists)
		}
		return account, nil
	}
	if !u.Create || len(u.Names) == 0 {
		return 0, tidings.ErrNotFound
	}
	p, err := addPerson(t, u.Names[0], tidings.Reader, u.NoPassword)
	return p.ID, err
}
