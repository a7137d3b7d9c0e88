package reader

import (
	"context"
	"fmt"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
	"tidings/store/words"
)

// FeedAddresses keeps the addresses of feeds of all accounts. Its methods may be called by many goroutines at once.
type FeedAddresses struct{ db *db.DB }

// NewFeedAddresses returns the part of a database.
func NewFeedAddresses(d *db.DB) *FeedAddresses { return &FeedAddresses{d} }

const feedAddressColumns = `id, name, selection, of, created, used, account`

func readFeedAddress(r *sqlite.Stmt) tidings.FeedAddress {
	return tidings.FeedAddress{
		ID: r.ColumnInt64(0), Name: r.ColumnText(1), Selection: tidings.FeedSelection(r.ColumnText(2)),
		Of:      r.ColumnText(3),
		Created: db.ColumnTime(r, 4), Used: db.ColumnTime(r, 5),
	}
}

// AddFeedAddress stores an address under the hash of its secret. Of f it keeps Name, Selection and Of, and returns it
// with the rest. tidings.ErrInvalid beyond the bounds of feed addresses; tidings.ErrNotFollowed for a channel that the
// account does not follow; tidings.ErrNotFound if there is no such account any more.
func (s *FeedAddresses) AddFeedAddress(ctx context.Context, secretHash [32]byte, account tidings.AccountID,
	f tidings.FeedAddress) (added tidings.FeedAddress, err error) {
	f.Name, f.Of = strings.TrimSpace(f.Name), strings.TrimSpace(f.Of)
	if err := f.Validate(); err != nil {
		return added, &tidings.Failure{Op: "adding a feed address", Err: err}
	}
	switch f.Selection {
	case tidings.SelectFolder:
		f.Of = tidings.CleanFolder(f.Of)
		if f.Of == "" || len(f.Of) > MaxName {
			return added, tidings.Invalidf("the name of a folder has 1 to %d bytes", MaxName)
		}
	case tidings.SelectSearch:
		if words.Parse(f.Of).Empty() {
			return added, tidings.Invalidf("there is no word in the search %s", tidings.Quote(f.Of))
		}
	}
	err = s.db.Write(ctx, func(t *db.Tx) error {
		if f.Selection == tidings.SelectChannel {
			if _, err := oneSubscription(t.Conn, account, f.Of); err != nil {
				return err
			}
		}
		all := 0
		if err := db.Must(
			db.One(t.Conn, `SELECT (SELECT count(*) FROM feed_address WHERE account = ?1) FROM account WHERE id = ?1`,
				func(r *sqlite.Stmt) { all = r.ColumnInt(0) }, int64(account))); err != nil {
			return err
		}
		if all >= tidings.MaxFeedAddresses {
			return tidings.Invalidf("you have %d feeds of your own, and more are not possible: remove one first", all)
		}
		if err := db.Exec(t.Conn,
			`INSERT INTO feed_address (hash, account, name, selection, of, created) VALUES (?, ?, ?, ?, ?, ?)`,
			secretHash[:], int64(account), f.Name, string(f.Selection), f.Of, t.Now); err != nil {
			return err
		}
		return db.Must(db.One(t.Conn, `SELECT `+feedAddressColumns+` FROM feed_address WHERE hash = ?`,
			func(r *sqlite.Stmt) {
				added = readFeedAddress(r)
			}, secretHash[:]))
	})
	if err != nil {
		return tidings.FeedAddress{}, &tidings.Failure{Op: "adding a feed address", Err: err}
	}
	return added, nil
}

// FeedAddressesOf lists an account's addresses, the oldest first.
func (s *FeedAddresses) FeedAddressesOf(ctx context.Context,
	account tidings.AccountID) (all []tidings.FeedAddress, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT `+feedAddressColumns+` FROM feed_address WHERE account = ? ORDER BY id`,
			func(r *sqlite.Stmt) error {
				all = append(all, readFeedAddress(r))
				return nil
			}, int64(account))
	})
	if err != nil {
		return nil, fmt.Errorf("listing feed addresses: %w", err)
	}
	return all, nil
}

// FeedAddress returns the address with a secret, and its account; tidings.ErrNotFound if there is none. It notes the
// day of the use.
func (s *FeedAddresses) FeedAddress(ctx context.Context,
	secretHash [32]byte) (account tidings.AccountID, f tidings.FeedAddress, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Must(db.One(conn, `SELECT `+feedAddressColumns+` FROM feed_address WHERE hash = ?`,
			func(r *sqlite.Stmt) {
				f, account = readFeedAddress(r), tidings.AccountID(r.ColumnInt64(6))
			}, secretHash[:]))
	})
	if err != nil {
		return 0, tidings.FeedAddress{}, fmt.Errorf("feed address: %w", err)
	}
	if day := s.db.Now().UTC().Truncate(24 * time.Hour); !f.Used.Equal(day) {
		// A disk that is full keeps nobody from reading: the day is noted later then.
		_ = s.db.Write(ctx, func(t *db.Tx) error {
			return db.Exec(t.Conn, `UPDATE feed_address SET used = ?1 WHERE id = ?2 AND used IS NOT ?1`, day, f.ID)
		})
	}
	return account, f, nil
}

// RemoveFeedAddress removes an address of the account; tidings.ErrNotFound if it has none such.
func (s *FeedAddresses) RemoveFeedAddress(ctx context.Context, account tidings.AccountID, id int64) error {
	err := s.db.Write(ctx, func(t *db.Tx) error {
		if err := db.Exec(t.Conn, `DELETE FROM feed_address WHERE id = ? AND account = ?`, id,
			int64(account)); err != nil {
			return err
		}
		if t.Changes() == 0 {
			return tidings.ErrNotFound
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("removing feed address %d: %w", id, err)
	}
	return nil
}

// HasFolder reports whether an account has a folder, or one within it.
func (s *FeedAddresses) HasFolder(ctx context.Context, account tidings.AccountID, path string) (found bool, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		all, err := Folders(conn, account)
		for _, f := range all {
			found = found || inFolder(f.Path, path)
		}
		return err
	})
	if err != nil {
		return false, fmt.Errorf("looking for a folder: %w", err)
	}
	return found, nil
}

// moveFeeds has an account's feeds of a channel be of another.
func (m *move) moveFeeds(account int64) error {
	return db.Exec(m.Conn, `UPDATE feed_address SET of = (SELECT url FROM channel WHERE id = ?1)
		WHERE account = ?2 AND selection = 'channel' AND of = (SELECT url FROM channel WHERE id = ?3)`, m.To, account,
		m.From)
}

// renameFeeds has an account's feeds of a folder follow it to another path.
func renameFeeds(t *db.Tx, account tidings.AccountID, from, to string) error {
	return db.Exec(t.Conn, `UPDATE feed_address SET of = ? WHERE account = ? AND selection = 'folder' AND of = ?`, to,
		int64(account), from)
}
