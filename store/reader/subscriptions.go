package reader

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
)

// MaxName bounds a name or folder, in bytes.
const MaxName = 1 << 10

const followedColumns = `s.name, s.folder, s.since, c.kept - s.read, c.changed, ` + column.ChannelColumns + `, ` + column.PollColumns

const followedTables = ` FROM subscription s JOIN channel c ON c.id = s.channel JOIN watch w ON w.channel = c.id`

// Subscriptions returns what account follows, sorted.
func Subscriptions(conn *sqlite.Conn, account tidings.AccountID) (all []tidings.Subscription, err error) {
	err = db.Each(conn, `SELECT `+followedColumns+followedTables+` WHERE s.account = ?`, func(r *sqlite.Stmt) error {
		f, err := readSubscription(r)
		all = append(all, f)
		return err
	}, int64(account))
	return sorted(all), err
}

// SubscriptionTo returns one channel as account sees it; tidings.ErrNotFollowed if it does not follow it.
func SubscriptionTo(conn *sqlite.Conn, account tidings.AccountID, url string) (f tidings.Subscription, err error) {
	found := false
	err = db.Each(conn, `SELECT `+followedColumns+followedTables+`
		WHERE s.account = ? AND s.channel = (SELECT id FROM channel WHERE url = ?)`, func(r *sqlite.Stmt) (err error) {
		found = true
		f, err = readSubscription(r)
		return err
	}, int64(account), url)
	if err == nil && !found {
		err = tidings.ErrNotFollowed
	}
	return f, err
}

func readSubscription(r *sqlite.Stmt) (f tidings.Subscription, err error) {
	f = tidings.Subscription{
		Name:       r.ColumnText(0),
		Folder:     tidings.CleanFolder(r.ColumnText(1)),
		Since:      db.ColumnTime(r, 2),
		Unread:     r.ColumnInt(3),
		LastChange: db.ColumnTime(r, 4),
	}
	if f.Channel, err = column.Channel(r, 5); err != nil {
		return f, err
	}
	f.Last, f.Health, f.Failures = column.Poll(r, 5+column.ChannelWidth)
	return f, nil
}

// sorted sorts by folder, then label, without regard to case.
func sorted(all []tidings.Subscription) []tidings.Subscription {
	type keyed struct {
		folder, label string
		at            int
	}
	keys := make([]keyed, len(all))
	for i := range all {
		keys[i] = keyed{strings.ToLower(all[i].Folder), strings.ToLower(all[i].Label()), i}
	}
	slices.SortFunc(keys, func(a, b keyed) int {
		if c := cmp.Or(strings.Compare(a.folder, b.folder), strings.Compare(a.label, b.label)); c != 0 {
			return c
		}
		return strings.Compare(all[a.at].URL, all[b.at].URL)
	})
	inOrder := make([]tidings.Subscription, len(all))
	for i, key := range keys {
		inOrder[i] = all[key.at]
	}
	return inOrder
}

// subscribed is a subscription as queries for readers need it.
type subscribed struct {
	channel int64
	folder  string
}

// oneSubscription returns an account's subscription to a channel, or tidings.ErrNotFollowed.
func oneSubscription(conn *sqlite.Conn, account tidings.AccountID, url string) (sub subscribed, err error) {
	found, err := db.One(conn, `SELECT s.channel, s.folder FROM subscription s
		WHERE s.account = ? AND s.channel = (SELECT id FROM channel WHERE url = ?)`, func(r *sqlite.Stmt) {
		sub = subscribed{r.ColumnInt64(0), r.ColumnText(1)}
	}, int64(account), url)
	if err == nil && !found {
		err = tidings.ErrNotFollowed
	}
	return sub, err
}

// Followed returns the channel with an address that account follows, or tidings.ErrNotFollowed.
func Followed(conn *sqlite.Conn, account tidings.AccountID, url string) (channel int64, err error) {
	sub, err := oneSubscription(conn, account, url)
	return sub.channel, err
}

// ValidateName reports what cannot be stored.
func ValidateName(name, folder string) error {
	if len(name) > MaxName || len(folder) > MaxName {
		return fmt.Errorf("%w name or folder: longer than %d bytes", tidings.ErrInvalid, MaxName)
	}
	return nil
}

// Followers returns how many other accounts follow a channel, and whether account does.
func Followers(t *db.Tx, channel int64, account tidings.AccountID) (others int, follows bool, err error) {
	_, err = db.One(t.Conn, `SELECT (SELECT count(*) FROM subscription WHERE channel = ?1 AND account != ?2),
		EXISTS (SELECT 1 FROM subscription WHERE channel = ?1 AND account = ?2)`, func(r *sqlite.Stmt) {
		others, follows = r.ColumnInt(0), r.ColumnBool(1)
	}, channel, int64(account))
	return others, follows, err
}

// Follow makes account follow a channel, and reports whether it did not before.
func Follow(t *db.Tx, account tidings.AccountID, channel int64, name, folder string) (created bool, err error) {
	err = db.Exec(t.Conn, `INSERT INTO subscription (account, channel, name, folder, since) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`, int64(account), channel, name, folder, t.Now)
	if created = t.Changes() > 0; err != nil || !created {
		return false, err
	}
	return true, noteFolder(t, account, folder)
}

// Begin has an account that begins to follow a channel have read all that is kept of it, but for some items.
func Begin(t *db.Tx, account tidings.AccountID, channel int64, unread []int64) error {
	if err := db.Exec(t.Conn, `UPDATE subscription SET read = (SELECT kept FROM channel WHERE id = ?2),
		seen = coalesce((SELECT max(latest) FROM item WHERE channel = ?2), 0) WHERE account = ?1 AND channel = ?2`, int64(account), channel); err != nil {
		return err
	}
	for _, item := range unread {
		if err := markItem(t, int64(account), item, false); err != nil {
			return err
		}
	}
	return nil
}

// Unfollow ends what Follow began, and reports whether nobody follows the channel now.
func Unfollow(t *db.Tx, account tidings.AccountID, channel int64) (last bool, err error) {
	// The reader's place goes with the subscription; stars stay, and show again after resubscribing.
	if err := db.Exec(t.Conn, `DELETE FROM mark WHERE account = ? AND channel = ?`, int64(account), channel); err != nil {
		return false, err
	}
	if err := db.Exec(t.Conn, `DELETE FROM subscription WHERE account = ? AND channel = ?`, int64(account), channel); err != nil {
		return false, err
	}
	followed, err := db.One(t.Conn, `SELECT 1 FROM subscription WHERE channel = ?`, nil, channel)
	return !followed, err
}

// Rename changes the account's own name for a channel and its folder; nil: it stays.
func Rename(t *db.Tx, account tidings.AccountID, channel int64, name, folder *string) error {
	if folder != nil {
		if err := noteFolder(t, account, *folder); err != nil {
			return err
		}
	}
	for _, set := range []struct {
		sql   string
		value *string
	}{
		{`UPDATE subscription SET name = ? WHERE account = ? AND channel = ?`, name},
		{`UPDATE subscription SET folder = ? WHERE account = ? AND channel = ?`, folder},
	} {
		if set.value == nil {
			continue
		}
		if err := db.Exec(t.Conn, set.sql, *set.value, int64(account), channel); err != nil {
			return err
		}
	}
	return nil
}

// ChannelNumbers returns the numbers of the channels that account follows, by their addresses. A number stays whatever a channel
// is called, and is never used twice.
func ChannelNumbers(conn *sqlite.Conn, account tidings.AccountID) (map[string]int64, error) {
	numbers := make(map[string]int64)
	return numbers, db.Each(conn, `SELECT c.url, c.id FROM subscription s JOIN channel c ON c.id = s.channel WHERE s.account = ?`, func(r *sqlite.Stmt) error {
		numbers[r.ColumnText(0)] = r.ColumnInt64(1)
		return nil
	}, int64(account))
}
