package reader

import (
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

const followedColumns = `s.name, s.folder, s.since, c.kept - s.read, c.changed, s.edits IS NOT NULL, s.full_text, s.pictures, s.channel, ` + column.ChannelColumns + `, ` + column.PollColumns

const channelAt = 9 // of followedColumns

const followedTables = ` FROM subscription s JOIN channel c ON c.id = s.channel JOIN watch w ON w.channel = c.id`

// Subscriptions returns what account follows, sorted.
func Subscriptions(conn *sqlite.Conn, account tidings.AccountID) (all []tidings.Subscription, err error) {
	tags, err := tagsOf(conn, account, 0)
	if err != nil {
		return nil, err
	}
	err = db.Each(conn, `SELECT `+followedColumns+followedTables+` WHERE s.account = ?`, func(r *sqlite.Stmt) error {
		f, err := readSubscription(r, tags)
		all = append(all, f)
		return err
	}, int64(account))
	return sorted(all), err
}

// SubscriptionTo returns one channel as account sees it; tidings.ErrNotFollowed if it does not follow it.
func SubscriptionTo(conn *sqlite.Conn, account tidings.AccountID, url string) (f tidings.Subscription, err error) {
	channel, err := Followed(conn, account, url)
	if err != nil {
		return f, err
	}
	tags, err := tagsOf(conn, account, channel)
	if err != nil {
		return f, err
	}
	found := false
	err = db.Each(conn, `SELECT `+followedColumns+followedTables+`
		WHERE s.account = ? AND s.channel = ?`, func(r *sqlite.Stmt) (err error) {
		found = true
		f, err = readSubscription(r, tags)
		return err
	}, int64(account), channel)
	if err == nil && !found {
		err = tidings.ErrNotFollowed
	}
	return f, err
}

// readSubscription reads one, with what of the tags of all channels is its.
func readSubscription(r *sqlite.Stmt, tags map[int64][]string) (f tidings.Subscription, err error) {
	f = tidings.Subscription{
		Name:       r.ColumnText(0),
		Folder:     tidings.CleanFolder(r.ColumnText(1)),
		Since:      db.ColumnTime(r, 2),
		Unread:     r.ColumnInt(3),
		LastChange: db.ColumnTime(r, 4),

		EditsAsItems: r.ColumnBool(5),
		FullText:     r.ColumnBool(6),
		Pictures:     tidings.PicturesWish(r.ColumnText(7)),
		Tags:         tags[r.ColumnInt64(8)],
	}
	if f.Channel, err = column.Channel(r, channelAt); err != nil {
		return f, err
	}
	f.Last, f.Health, f.Failures = column.Poll(r, channelAt+column.ChannelWidth)
	return f, nil
}

// sorted sorts by folder, then label, as [tidings.CompareNames] does.
func sorted(all []tidings.Subscription) []tidings.Subscription {
	type keyed struct {
		label string
		at    int
	}
	keys := make([]keyed, len(all))
	for i := range all {
		keys[i] = keyed{all[i].Label(), i}
	}
	slices.SortFunc(keys, func(a, b keyed) int {
		if c := tidings.CompareNames(all[a.at].Folder, all[b.at].Folder); c != 0 {
			return c
		}
		if c := tidings.CompareNames(a.label, b.label); c != 0 {
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
		seen = coalesce((SELECT max(latest) FROM item WHERE channel = ?2), 0) WHERE account = ?1
		AND channel = ?2`, int64(account), channel); err != nil {
		return err
	}
	for _, item := range unread {
		s, found, err := stateOf(t, int64(account), item)
		if err != nil {
			return err
		}
		if found {
			if err := s.markAlone(t, false); err != nil {
				return err
			}
		}
	}
	return beginTwins(t, account, channel, unread)
}

// Unfollow ends what Follow began, and reports whether nobody follows the channel now.
func Unfollow(t *db.Tx, account tidings.AccountID, channel int64) (last bool, err error) {
	// The reader's place goes with the subscription; stars stay, and show again after resubscribing.
	for _, sql := range []string{
		`DELETE FROM mark WHERE account = ? AND channel = ?`,
		`DELETE FROM edit_mark WHERE account = ? AND channel = ?`,
		`DELETE FROM filtered WHERE account = ? AND channel = ?`,
		`DELETE FROM tag WHERE account = ? AND channel = ?`,
		`DELETE FROM twice WHERE account = ?1 AND (channel = ?2 OR of_channel = ?2)`,
	} {
		if err := db.Exec(t.Conn, sql, int64(account), channel); err != nil {
			return false, err
		}
	}
	view, err := channelView(t, channel)
	if err != nil {
		return false, err
	}
	if err := forgetView(t, int64(account), view); err != nil {
		return false, err
	}
	if err := db.Exec(t.Conn, `DELETE FROM subscription WHERE account = ? AND channel = ?`, int64(account),
		channel); err != nil {
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

// SetShown sets how the items of a channel are shown to an account: by their full texts, and with pictures; nil: as
// before.
func SetShown(t *db.Tx, account tidings.AccountID, channel int64, fullText *bool,
	pictures *tidings.PicturesWish) error {
	if fullText != nil {
		if err := db.Exec(t.Conn, `UPDATE subscription SET full_text = ? WHERE account = ? AND channel = ?`, *fullText,
			int64(account), channel); err != nil {
			return err
		}
	}
	if pictures == nil {
		return nil
	}
	return db.Exec(t.Conn, `UPDATE subscription SET pictures = ? WHERE account = ? AND channel = ?`, string(*pictures),
		int64(account), channel)
}

// ChannelNumbers returns the numbers of the channels that account follows, by their addresses. A number stays whatever
// a channel is called, and is never used twice.
func ChannelNumbers(conn *sqlite.Conn, account tidings.AccountID) (map[string]int64, error) {
	numbers := make(map[string]int64)
	return numbers,
		db.Each(conn, `SELECT c.url, c.id FROM subscription s JOIN channel c ON c.id = s.channel WHERE s.account = ?`,
			func(r *sqlite.Stmt) error {
				numbers[r.ColumnText(0)] = r.ColumnInt64(1)
				return nil
			}, int64(account))
}
