package store

import (
	"context"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/content"
	"tidings/store/reader"
)

// Channels returns what account follows, sorted by folder, then label, without
// regard to case.
func (s *Store) Channels(ctx context.Context, account tidings.AccountID) (all []tidings.Subscription, err error) {
	err = s.DB.Read(ctx, func(conn *sqlite.Conn) error {
		if all, err = reader.Subscriptions(conn, account); err != nil {
			return err
		}
		for i := range all {
			s.overlay(&all[i])
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing channels: %w", err)
	}
	return all, nil
}

// Channel returns one channel as account sees it; tidings.ErrNotFollowed if it does not follow it.
func (s *Store) Channel(ctx context.Context, account tidings.AccountID, url string) (f tidings.Subscription, err error) {
	err = s.DB.Read(ctx, func(conn *sqlite.Conn) (err error) {
		if f, err = reader.SubscriptionTo(conn, account, url); err != nil {
			return err
		}
		s.overlay(&f)
		return nil
	})
	if err != nil {
		return tidings.Subscription{}, fmt.Errorf("channel %s: %w", url, err)
	}
	return f, nil
}

// overlay puts what waits to be written of the last poll over what was read.
func (s *Store) overlay(f *tidings.Subscription) {
	s.Content.Overlay(f.URL, &f.Last, &f.Health, &f.Failures)
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
		if err := reader.ValidateName(*text, ""); err != nil {
			return fmt.Errorf("changing %s: %w", url, err)
		}
	}
	err := s.write(ctx, func(t *content.Tx) error {
		channel, err := reader.Followed(t.Conn, account, url)
		if err != nil {
			return err
		}
		if c.Options != nil {
			if err := content.SetOptions(t, channel, url, *c.Options, c.Memory, c.Next); err != nil {
				return err
			}
		}
		if c.Privacy != nil {
			if err := content.SetPrivacy(t, channel, *c.Privacy); err != nil {
				return err
			}
		}
		return reader.Rename(t.Tx, account, channel, c.Name, c.Folder)
	})
	if err != nil {
		return fmt.Errorf("changing %s: %w", url, err)
	}
	return nil
}
