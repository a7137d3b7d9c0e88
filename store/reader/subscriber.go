package reader

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

// Subscribers are the accounts that stand for addresses outside (tidings.Subscriber). The methods may be called by many
// goroutines at once.
type Subscribers struct{ db *db.DB }

// NewSubscribers returns those of a database.
func NewSubscribers(d *db.DB) *Subscribers { return &Subscribers{d} }

// Find returns the account that stands for an address outside; tidings.ErrNotFound if there is none.
func (s *Subscribers) Find(ctx context.Context, name string) (account tidings.AccountID, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error { return subscriber(conn, name, &account) })
	if err != nil {
		return 0, fmt.Errorf("the account of %s: %w", tidings.Quote(name), err)
	}
	return account, nil
}

// Names lists the addresses outside that have accounts, of those that begin with a prefix.
func (s *Subscribers) Names(ctx context.Context, prefix string) (names []string, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn,
			`SELECT name FROM account WHERE role = 'subscriber' AND substr(name, 1, length(?1)) = ?1 ORDER BY id`,
			func(r *sqlite.Stmt) error {
				names = append(names, r.ColumnText(0))
				return nil
			}, prefix)
	})
	if err != nil {
		return nil, fmt.Errorf("listing subscribers: %w", err)
	}
	return names, nil
}

func subscriber(conn *sqlite.Conn, name string, account *tidings.AccountID) error {
	return db.Must(db.One(conn, `SELECT id FROM account WHERE name = ? AND role = 'subscriber'`, func(r *sqlite.Stmt) {
		*account = tidings.AccountID(r.ColumnInt64(0))
	}, name))
}

// Add returns the account that stands for an address outside, and makes it if there is none. The name has a
// scheme and a colon. tidings.ErrInvalid for a name that cannot be, and beyond tidings.MaxSubscribers.
func (s *Subscribers) Add(ctx context.Context, name string) (account tidings.AccountID, err error) {
	if !strings.Contains(name, ":") || len(name) > tidings.MaxSubscriberName {
		return 0, tidings.Invalidf("%s is no address of a subscriber", tidings.Quote(name))
	}
	err = s.db.Write(ctx, func(t *db.Tx) error {
		if err := subscriber(t.Conn, name, &account); !errors.Is(err, tidings.ErrNotFound) {
			return err
		}
		all := 0
		if _, err := db.One(t.Conn, `SELECT count(*) FROM account WHERE role = 'subscriber'`, func(r *sqlite.Stmt) {
			all = r.ColumnInt(0)
		}); err != nil {
			return err
		}
		if all >= tidings.MaxSubscribers {
			return tidings.Invalidf("%d addresses subscribe at this node, and more are not possible", all)
		}
		if err := db.Exec(t.Conn, `INSERT INTO account (name, role, created) VALUES (?, 'subscriber', ?)`, name,
			t.Now); err != nil {
			return err
		}
		account = tidings.AccountID(t.LastInsertRowID())
		return nil
	})
	if err != nil {
		return 0, &tidings.Failure{Op: "adding subscriber " + tidings.Quote(name), Err: err}
	}
	return account, nil
}
