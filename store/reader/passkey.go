package reader

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// Passkeys keeps the passkeys of all accounts. Its methods may be called by many goroutines at once.
type Passkeys struct{ db *db.DB }

// NewPasskeys returns the part of a database.
func NewPasskeys(d *db.DB) *Passkeys { return &Passkeys{d} }

const passkeyColumns = `id, name, host, created, used, account, credential, public_key, counter, copied`

func readPasskey(r *sqlite.Stmt) tidings.Passkey {
	return tidings.Passkey{
		ID: r.ColumnInt64(0), Name: r.ColumnText(1), Host: r.ColumnText(2), Created: db.ColumnTime(r, 3),
		Used: db.ColumnTime(r, 4),
		Credential: tidings.PasskeyCredential{
			Account: tidings.AccountID(r.ColumnInt64(5)), ID: db.ColumnBlob(r, 6), PublicKey: db.ColumnBlob(r, 7),
			Counter: uint32(r.ColumnInt64(8)), Copied: r.ColumnBool(9),
		},
	}
}

// PasskeysOf lists an account's passkeys, the oldest first.
func (s *Passkeys) PasskeysOf(ctx context.Context, account tidings.AccountID) (all []tidings.Passkey, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT `+passkeyColumns+` FROM passkey WHERE account = ? ORDER BY id`,
			func(r *sqlite.Stmt) error {
				all = append(all, readPasskey(r))
				return nil
			}, int64(account))
	})
	if err != nil {
		return nil, fmt.Errorf("listing passkeys: %w", err)
	}
	return all, nil
}

// Passkey returns the passkey with a credential's ID; tidings.ErrNotFound if there is none.
func (s *Passkeys) Passkey(ctx context.Context, credential []byte) (p tidings.Passkey, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Must(db.One(conn, `SELECT `+passkeyColumns+` FROM passkey WHERE credential = ?`,
			func(r *sqlite.Stmt) {
				p = readPasskey(r)
			}, credential))
	})
	if err != nil {
		return p, fmt.Errorf("passkey: %w", err)
	}
	return p, nil
}

// HasPasskeysAt reports whether anybody has a passkey for a host.
func (s *Passkeys) HasPasskeysAt(ctx context.Context, host string) (found bool, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) (err error) {
		found, err = db.One(conn, `SELECT 1 FROM passkey WHERE host = ? LIMIT 1`, nil, host)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("looking for passkeys: %w", err)
	}
	return found, nil
}

// AddPasskey stores a passkey of p.Credential.Account; its ID and Created are set here. The session, by the hash of its
// secret, is the one in which it is added: tidings.ErrNotFound if that has ended, as by a new password meanwhile.
// tidings.ErrExists if anybody has the credential already; tidings.ErrInvalid beyond the bounds of passkeys.
func (s *Passkeys) AddPasskey(ctx context.Context, p tidings.Passkey, session [32]byte) error {
	c := p.Credential
	switch {
	case p.Name == "" || len(p.Name) > tidings.MaxPasskeyName:
		return tidings.Invalidf("a passkey's name has 1 to %d bytes", tidings.MaxPasskeyName)
	case len(c.ID) == 0 || len(c.ID) > tidings.MaxPasskeyID, len(c.PublicKey) == 0 ||
		len(c.PublicKey) > tidings.MaxPasskeyPublicKey:
		return tidings.Invalidf("this is no credential of a known size")
	}
	err := s.db.Write(ctx, func(t *db.Tx) error {
		known, all := false, 0
		if err := db.Must(db.One(t.Conn, `SELECT EXISTS (SELECT 1 FROM passkey WHERE credential = ?4),
			(SELECT count(*) FROM passkey WHERE account = ?1) FROM session WHERE account = ?1 AND hash = ?2
			AND expires > ?3`, func(r *sqlite.Stmt) {
			known, all = r.ColumnBool(0), r.ColumnInt(1)
		}, int64(c.Account), session[:], t.Now, c.ID)); err != nil {
			return err
		}
		switch {
		case known:
			return tidings.ErrExists
		case all >= tidings.MaxPasskeys:
			return tidings.Invalidf("you have %d passkeys, and more are not possible: remove one first", all)
		}
		return db.Exec(t.Conn,
			`INSERT INTO passkey (credential, account, host, name, public_key, counter, copied, created)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, c.ID, int64(c.Account), p.Host, p.Name, c.PublicKey, int64(c.Counter),
			c.Copied, t.Now)
	})
	if err != nil {
		return &tidings.Failure{Op: "adding a passkey", Err: err}
	}
	return nil
}

// UsePasskey notes that a passkey signed something, with the authenticator's counter after it. tidings.ErrNotFound if
// it is gone, or if the counter has not risen although the authenticator counts: the credential may have been copied.
func (s *Passkeys) UsePasskey(ctx context.Context, id int64, counter uint32) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		if err := db.Exec(t.Conn, `UPDATE passkey SET counter = ?2, used = ?3
			WHERE id = ?1 AND (?2 > counter OR ?2 = 0 AND counter = 0)`, id, int64(counter), t.Now); err != nil {
			return err
		}
		if t.Changes() == 0 {
			return tidings.ErrNotFound
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("noting the use of passkey %d: %w", id, err)
	}
	return nil
}

// RemovePasskey removes a passkey of the account; tidings.ErrNotFound if it has none such.
func (s *Passkeys) RemovePasskey(ctx context.Context, account tidings.AccountID, id int64) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		if err := db.Exec(t.Conn, `DELETE FROM passkey WHERE id = ? AND account = ?`, id, int64(account)); err != nil {
			return err
		}
		if t.Changes() == 0 {
			return tidings.ErrNotFound
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("removing passkey %d: %w", id, err)
	}
	return nil
}
