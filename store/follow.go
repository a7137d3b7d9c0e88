package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
)

const followedColumns = `s.name, s.folder, s.since, s.unread, c.changed, ` + channelColumns + `, ` + pollColumns

const followedTables = ` FROM subscription s JOIN channel c ON c.id = s.channel JOIN watch w ON w.channel = c.id`

// Channels returns what account follows, sorted by folder, then label, without
// regard to case.
func (s *Store) Channels(ctx context.Context, account tidings.AccountID) (all []tidings.Subscription, err error) {
	err = s.read(ctx, func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT `+followedColumns+followedTables+` WHERE s.account = ?`, func(r *sqlite.Stmt) error {
			f, err := s.readFollowed(r)
			all = append(all, f)
			return err
		}, int64(account))
	})
	if err != nil {
		return nil, fmt.Errorf("listing channels: %w", err)
	}
	return sortFollowed(all), nil
}

// Channel returns one channel as account sees it; tidings.ErrNotFollowed if it does not follow it.
func (s *Store) Channel(ctx context.Context, account tidings.AccountID, url string) (f tidings.Subscription, err error) {
	err = s.read(ctx, func(conn *sqlite.Conn) (err error) {
		f, err = s.followed(conn, account, url)
		return err
	})
	if err != nil {
		return tidings.Subscription{}, fmt.Errorf("channel %s: %w", url, err)
	}
	return f, nil
}

func (s *Store) followed(conn *sqlite.Conn, account tidings.AccountID, url string) (f tidings.Subscription, err error) {
	found := false
	err = db.Each(conn, `SELECT `+followedColumns+followedTables+`
		WHERE s.account = ? AND s.channel = (SELECT id FROM channel WHERE url = ?)`, func(r *sqlite.Stmt) (err error) {
		found = true
		f, err = s.readFollowed(r)
		return err
	}, int64(account), url)
	if err == nil && !found {
		err = tidings.ErrNotFollowed
	}
	return f, err
}

func (s *Store) readFollowed(r *sqlite.Stmt) (f tidings.Subscription, err error) {
	f = tidings.Subscription{
		Name:       r.ColumnText(0),
		Folder:     tidings.CleanFolder(r.ColumnText(1)),
		Since:      db.ColumnTime(r, 2),
		Unread:     r.ColumnInt(3),
		LastChange: db.ColumnTime(r, 4),
	}
	if f.Channel, err = readChannel(r, 5); err != nil {
		return f, err
	}
	f.Last, f.Health, f.Failures = readPoll(r, 5+channelWidth)
	if t := s.memory.touches.get(f.URL); t != nil {
		t.overlay(&f.Last, &f.Health, &f.Failures)
	}
	return f, nil
}

func sortFollowed(all []tidings.Subscription) []tidings.Subscription {
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
	sorted := make([]tidings.Subscription, len(all))
	for i, key := range keys {
		sorted[i] = all[key.at]
	}
	return sorted
}

// Change is what Change changes. With Options go what the next poll is to remember, and when it is due.
type Change struct {
	tidings.ChannelChange
	Memory []byte
	Next   time.Time
}

// Change changes the account's own name for a channel and its folder, which may be empty, and the channel's privacy class and
// what a page's core content is from now on: all of it or nothing. What was learned to be noise under other options is
// forgotten. tidings.ErrNotFollowed if the account does not follow the channel.
func (s *Store) Change(ctx context.Context, account tidings.AccountID, url string, c Change) error {
	for _, text := range []*string{c.Name, c.Folder} {
		if text == nil {
			continue
		}
		if err := validateName(*text, ""); err != nil {
			return fmt.Errorf("changing %s: %w", url, err)
		}
	}
	err := s.write(ctx, func(t *tx) error {
		sub, err := oneSubscription(t.Conn, account, url)
		if err != nil {
			return err
		}
		if c.Options != nil {
			if err := changeOptions(t, sub.channel, waiting(t, url), c); err != nil {
				return err
			}
		}
		for _, set := range []struct {
			sql   string
			value *string
		}{
			{`UPDATE subscription SET name = ?1 WHERE account = ?2 AND channel = ?3`, c.Name},
			{`UPDATE subscription SET folder = ?1 WHERE account = ?2 AND channel = ?3`, c.Folder},
			{`UPDATE channel SET privacy = ?1 WHERE id = ?3 AND ?2 = ?2`, (*string)(c.Privacy)},
		} {
			if set.value == nil {
				continue
			}
			if err := db.Exec(t.Conn, set.sql, *set.value, int64(account), sub.channel); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("changing %s: %w", url, err)
	}
	return nil
}

// changeOptions does the part of Change that is about options, after what polls have left to write.
func changeOptions(t *tx, channel int64, waiting *Record, c Change) error {
	text, err := optionsText(*c.Options)
	if err == nil && waiting != nil {
		err = waiting.writePoll(t.Tx)
	}
	if err == nil {
		err = db.Exec(t.Conn, `UPDATE channel SET options = ? WHERE id = ?`, text, channel)
	}
	if err == nil {
		err = db.Exec(t.Conn, `UPDATE watch SET memory = ?, next = ? WHERE channel = ?`, c.Memory, c.Next, channel)
	}
	if err != nil {
		return err
	}
	return db.Exec(t.Conn, `DELETE FROM noise WHERE channel = ?`, channel)
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

// isRefusal reports whether err says that a caller asked for something impossible,
// rather than that the store could not do it.
func isRefusal(err error) bool {
	for _, refusal := range []error{tidings.ErrInvalid, tidings.ErrUnauthorized, tidings.ErrNotFollowed, tidings.ErrNotFound} {
		if errors.Is(err, refusal) {
			return true
		}
	}
	return false
}
