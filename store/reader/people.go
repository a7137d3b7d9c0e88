package reader

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

const personColumns = `id, name, role, created`

func readPerson(r *sqlite.Stmt) tidings.Person {
	id := tidings.AccountID(r.ColumnInt64(0))
	return tidings.Person{ID: id, Name: r.ColumnText(1), Role: tidings.Role(r.ColumnText(2)),
		Owner: id == tidings.Owner, Created: db.ColumnTime(r, 3)}
}

// People lists the people of the node, the owner first, then by name.
func (s *Store) People(ctx context.Context) (all []tidings.Person, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT `+personColumns+` FROM account WHERE role != 'subscriber' ORDER BY id != ?, name`,
			func(r *sqlite.Stmt) error {
				all = append(all, readPerson(r))
				return nil
			}, int64(tidings.Owner))
	})
	if err != nil {
		return nil, fmt.Errorf("listing people: %w", err)
	}
	return all, nil
}

// Person returns an account's person; tidings.ErrNotFound if there is none.
func (s *Store) Person(ctx context.Context, account tidings.AccountID) (p tidings.Person, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Must(db.One(conn, `SELECT `+personColumns+` FROM account WHERE id = ?`, func(r *sqlite.Stmt) {
			p = readPerson(r)
		}, int64(account)))
	})
	if err != nil {
		return p, fmt.Errorf("person of account %d: %w", account, err)
	}
	return p, nil
}

// Secret returns the random bytes that make channels' addresses a person's own; tidings.ErrNotFound if there is none.
func (s *Store) Secret(ctx context.Context, account tidings.AccountID) (secret []byte, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Must(db.One(conn, `SELECT secret FROM account WHERE id = ?`, func(r *sqlite.Stmt) {
			secret = db.ColumnBlob(r, 0)
		}, int64(account)))
	})
	if err != nil {
		return nil, fmt.Errorf("secret of account %d: %w", account, err)
	}
	return secret, nil
}

// AddPerson adds a person. The error is tidings.ErrExists if there is one of that name. It is tidings.ErrInvalid for an
// unusable name or role, without a password, beyond tidings.MaxPeople, and while the owner has no password. Until then
// every visitor of the page is the owner.
func (s *Store) AddPerson(ctx context.Context, name string, role tidings.Role,
	passwordHash string) (p tidings.Person, err error) {
	if err := tidings.ValidatePersonName(name); err != nil {
		return p, &tidings.Failure{Op: "adding a person", Err: err}
	}
	if role, err = tidings.ParseRole(string(role)); err != nil {
		return p, &tidings.Failure{Op: "adding a person", Err: err}
	}
	if passwordHash == "" {
		return p, tidings.Invalidf("a person needs a password")
	}
	err = s.db.Write(ctx, func(t *db.Tx) error {
		p, err = addPerson(t, name, role, passwordHash)
		return err
	})
	if err != nil {
		return tidings.Person{}, &tidings.Failure{Op: "adding " + name, Err: err}
	}
	return p, nil
}

// addPerson adds a person of a valid name and role, if there is room.
func addPerson(t *db.Tx, name string, role tidings.Role, passwordHash string) (p tidings.Person, err error) {
	all, locked, taken := 0, false, false
	if _, err := db.One(t.Conn, `SELECT count(*), max(id = ?1 AND password != ''), max(name = ?2) FROM account
		WHERE role != 'subscriber'`, func(r *sqlite.Stmt) {
		all, locked, taken = r.ColumnInt(0), r.ColumnBool(1), r.ColumnBool(2)
	}, int64(tidings.Owner), name); err != nil {
		return p, err
	}
	switch {
	case taken:
		return p, tidings.ErrExists
	case all >= tidings.MaxPeople:
		return p, tidings.Invalidf("%d people use this node, and more are not possible", all)
	case !locked:
		return p, tidings.WithHint(
			tidings.Invalidf("the owner has no password, so whoever connects would be the owner"),
			"set one first: tidings password")
	}
	if err := db.Exec(t.Conn, `INSERT INTO account (name, password, role, created) VALUES (?, ?, ?, ?)`, name,
		passwordHash, string(role), t.Now); err != nil {
		return p, err
	}
	return p, db.Must(db.One(t.Conn, `SELECT `+personColumns+` FROM account WHERE name = ?`, func(r *sqlite.Stmt) {
		p = readPerson(r)
	}, name))
}

// SetRole gives a person a role; tidings.ErrInvalid if the owner would be no administrator, so that there always is
// one.
func (s *Store) SetRole(ctx context.Context, account tidings.AccountID, role tidings.Role) error {
	role, err := tidings.ParseRole(string(role))
	if err != nil {
		return &tidings.Failure{Op: "setting a role", Err: err}
	}
	if account == tidings.Owner && role != tidings.Administrator {
		return errOwnerStays
	}
	err = s.db.Write(ctx, func(t *db.Tx) error {
		if err := db.Exec(t.Conn, `UPDATE account SET role = ? WHERE id = ? AND role != 'subscriber'`, string(role),
			int64(account)); err != nil {
			return err
		}
		if t.Changes() == 0 {
			return tidings.ErrNotFound
		}
		return nil
	})
	if err != nil {
		return &tidings.Failure{Op: "setting a role", Err: err}
	}
	return nil
}

// errOwnerStays keeps at least one administrator: the one whose commands come from the node's own machine.
var errOwnerStays = tidings.Invalidf("the owner of the node stays, as an administrator")

// Remove removes an account with all that is kept of it, and returns the channels that it followed and that nobody
// follows now. tidings.ErrNotFound if there is none; tidings.ErrInvalid of the owner.
func (s *Store) Remove(t *db.Tx, account tidings.AccountID) (left []int64, err error) {
	if account == tidings.Owner {
		return nil, errOwnerStays
	}
	if err := db.Exec(t.Conn, `DELETE FROM account WHERE id = ?`, int64(account)); err != nil {
		return nil, err
	}
	if t.Changes() == 0 {
		return nil, tidings.ErrNotFound
	}
	if err := db.Each(t.Conn, `SELECT channel FROM subscription s WHERE account = ?1
		AND NOT EXISTS (SELECT 1 FROM subscription o WHERE o.channel = s.channel
		AND o.account != ?1)`, func(r *sqlite.Stmt) error {
		left = append(left, r.ColumnInt64(0))
		return nil
	}, int64(account)); err != nil {
		return nil, err
	}
	var tokens []int64
	if err := db.Each(t.Conn, `SELECT id FROM token WHERE account = ?`, func(r *sqlite.Stmt) error {
		tokens = append(tokens, r.ColumnInt64(0))
		return nil
	}, int64(account)); err != nil {
		return nil, err
	}
	for _, sql := range []string{
		`DELETE FROM mark WHERE account = ?`,
		`DELETE FROM edit_mark WHERE account = ?`,
		`DELETE FROM star WHERE account = ?`,
		`DELETE FROM subscription WHERE account = ?`,
		`DELETE FROM session WHERE account = ?`,
		`DELETE FROM passkey WHERE account = ?`,
		`DELETE FROM token WHERE account = ?`,
		`DELETE FROM feed_address WHERE account = ?`,
		`DELETE FROM openid WHERE account = ?`,
		`DELETE FROM label WHERE account = ?`,
		`DELETE FROM folder WHERE account = ?`,
		`DELETE FROM filter WHERE account = ?`,
		`DELETE FROM filtered WHERE account = ?`,
		`DELETE FROM preference WHERE account = ?`,
		`DELETE FROM tag WHERE account = ?`,
		`DELETE FROM twice WHERE account = ?`,
	} {
		if err := db.Exec(t.Conn, sql, int64(account)); err != nil {
			return nil, err
		}
	}
	t.OnCommit(func() {
		for _, token := range tokens {
			s.uses.forget(token)
		}
	})
	return left, nil
}

// Admit reports why an account cannot follow one more channel: tidings.ErrNotFound if there is no such account any
// more, tidings.ErrInvalid if it is a reader's that follows most channels already; 0: any number is good.
func Admit(t *db.Tx, account tidings.AccountID, url string, most int) error {
	reads := false
	if err := db.Must(db.One(t.Conn, `SELECT role = 'reader' FROM account WHERE id = ?`, func(r *sqlite.Stmt) {
		reads = r.ColumnBool(0)
	}, int64(account))); err != nil || !reads || most <= 0 {
		return err
	}
	full := false
	_, err := db.One(t.Conn, `SELECT (SELECT count(*) FROM subscription WHERE account = ?1) >= ?2 AND NOT EXISTS
		(SELECT 1 FROM subscription WHERE account = ?1 AND channel = (SELECT id FROM channel
		WHERE url = ?3))`, func(r *sqlite.Stmt) {
		full = r.ColumnBool(0)
	}, int64(account), most, url)
	if err == nil && full {
		err = tidings.Invalidf("you follow %d channels, and readers cannot follow more at this node", most)
	}
	return err
}
