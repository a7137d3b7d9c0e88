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
func (s *Store) Channel(ctx context.Context, account tidings.AccountID,
	url string) (f tidings.Subscription, err error) {
	err = s.DB.Read(ctx, func(conn *sqlite.Conn) (err error) {
		if f, err = reader.SubscriptionTo(conn, account, url); err != nil {
			return err
		}
		s.overlay(&f)
		if f.Privacy != tidings.Credentialed {
			return nil
		}
		id, _, err := content.IDOf(conn, url)
		if err != nil {
			return err
		}
		access, err := content.AccessOf(conn, id)
		f.Access = access.Names()
		return err
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

// Change is what Change changes. With Options and NewAccess go what the next poll is to remember, and
// when it is due.
type Change struct {
	tidings.ChannelChange
	NewAccess *tidings.Access // what ChannelChange.Access makes of it; nil: it stays
	Memory    []byte
	Next      time.Time
}

// setAccess changes what the origin of a channel is sent of its own, and by which proxy. The channel is then
// credentialed; without any of that, it is unlisted, as what is kept was fetched with it.
func setAccess(t *content.Tx, account tidings.AccountID, channel int64, url string, c Change) error {
	others, _, err := reader.Followers(t.Tx, channel, account)
	if err != nil {
		return err
	}
	if others > 0 {
		return tidings.Invalidf("others follow this channel, too: its headers, cookies and proxy stay as they are")
	}
	if err := content.SetAccess(t, channel, *c.NewAccess); err != nil {
		return err
	}
	class := tidings.Credentialed
	if c.NewAccess.IsZero() {
		class = tidings.Unlisted
	}
	if err := content.SetPrivacy(t, channel, class); err != nil {
		return err
	}
	return content.Replan(t, channel, url, c.Memory, c.Next)
}

// Change changes the account's own name for a channel and its folder, either of which may be empty. It changes its
// tags, whether edits are items to it, and how its items are shown. It also changes the channel's privacy class, and
// its core content from now on. It does all of it or nothing. Noise learned under other options is forgotten. The error
// is tidings.ErrNotFollowed if the account does not follow the channel.
func (s *Store) Change(ctx context.Context, account tidings.AccountID, url string, c Change) error {
	if err := reader.ValidateChange(c.ChannelChange); err != nil {
		return fmt.Errorf("changing %s: %w", url, err)
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
		if c.NewAccess != nil {
			if err := setAccess(t, account, channel, url, c); err != nil {
				return err
			}
		}
		if c.Privacy != nil {
			if err := content.SetPrivacy(t, channel, *c.Privacy); err != nil {
				return err
			}
		}
		return reader.Change(t.Tx, account, channel, c.ChannelChange)
	})
	if err != nil {
		return fmt.Errorf("changing %s: %w", url, err)
	}
	return nil
}
