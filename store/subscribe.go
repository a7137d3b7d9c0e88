package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tidings"
	"tidings/store/content"
	"tidings/store/reader"
)

// subscribesAtOne is how many subscriptions of a bulk are made in one operation.
const subscribesAtOne = 200

// Subscription is what Subscribe stores. What it says of the channel counts only
// where the channel is new. Where it is not, but nobody follows it, its privacy counts
// if it is narrower than the channel's.
type Subscription struct {
	URL          string // canonical, without credentials
	Kind         tidings.Kind
	Title, Site  string
	Icon         string // as tidings.Channel.Icon
	Privacy      tidings.Privacy
	Options      tidings.PageOptions
	Name, Folder string
	Tags         []string // at most tidings.MaxTags
	EditsAsItems bool     // for the account
	FullText     bool     // for the account
	Pictures     tidings.PicturesWish
	Access       tidings.Access // of the origin
	Next         time.Time      // when the first poll is due
}

// channel returns what the subscription says of the channel.
func (n *Subscription) channel() content.NewChannel {
	return content.NewChannel{
		URL: n.URL, Kind: n.Kind, Title: n.Title, Site: n.Site, Icon: n.Icon, Privacy: n.Privacy, Options: n.Options,
		Access: n.Access, Next: n.Next,
	}
}

// validate reports what cannot be stored.
func (n *Subscription) validate() error {
	if err := n.channel().Validate(); err != nil {
		return err
	}
	if err := n.Pictures.Validate(); err != nil {
		return err
	}
	for _, tag := range n.Tags {
		if err := tidings.ValidateTag(tag); err != nil {
			return err
		}
	}
	if len(n.Tags) > tidings.MaxTags {
		return tidings.Invalidf("a channel has at most %d tags", tidings.MaxTags)
	}
	return reader.ValidateName(n.Name, n.Folder)
}

// Subscribe makes account follow a channel. What the channel lists now is unread to it, as it would be if nobody here
// had followed the channel before; older content that is kept counts as read. A second call changes nothing, and
// created is false.
//
// A channel that needs credentials, or has headers, cookies or a proxy, is watched once like any other. Another account
// may follow it only with the same credentials; else the error is tidings.ErrUnauthorized. Two accounts may give new
// credentials: the owner when nobody else follows the channel, and the person whose own channel it is.
func (s *Store) Subscribe(ctx context.Context, account tidings.AccountID,
	n Subscription) (f tidings.Subscription, created bool, err error) {
	if err := n.validate(); err != nil {
		return f, false, &tidings.Failure{Op: "subscribing", Err: err}
	}
	err = s.write(ctx, func(t *content.Tx) (err error) {
		if created, err = s.subscribe(t, account, n); err != nil {
			return err
		}
		f, err = reader.SubscriptionTo(t.Conn, account, n.URL)
		s.overlay(&f)
		return err
	})
	if err != nil {
		return tidings.Subscription{}, false, &tidings.Failure{Op: "subscribing to", Address: n.URL, Err: err}
	}
	return f, created, nil
}

// SubscribeAll is Subscribe for many. It returns an error (or nil) for each; those
// without are on the disk. The second error is that of the whole, after which the
// rest was not tried.
func (s *Store) SubscribeAll(ctx context.Context, account tidings.AccountID, all []Subscription) ([]error, error) {
	results := make([]error, len(all))
	for start := 0; start < len(all); start += subscribesAtOne {
		chunk := all[start:min(start+subscribesAtOne, len(all))]
		err := s.write(ctx, func(t *content.Tx) error {
			for i, n := range chunk {
				err := n.validate()
				if err == nil {
					_, err = s.subscribe(t, account, n)
				}
				if err != nil && !isRefusal(err) {
					return err
				}
				if err != nil {
					results[start+i] = &tidings.Failure{Op: "subscribing to", Address: content.Redact(n.URL), Err: err}
				}
			}
			return nil
		})
		if err != nil {
			for i := start; i < len(all); i++ {
				results[i] = err
			}
			return results, fmt.Errorf("subscribing to %d channels: %w", len(all), err)
		}
	}
	return results, nil
}

// subscribe refuses before it changes anything.
func (s *Store) subscribe(t *content.Tx, account tidings.AccountID, n Subscription) (created bool, err error) {
	if err := reader.Admit(t.Tx, account, n.URL, s.config.ReaderSubscriptions); err != nil {
		return false, err
	}
	id, fresh, err := channelFor(t, account, n)
	if err != nil {
		return false, err
	}
	if created, err = reader.Follow(t.Tx, account, id, n.Name, n.Folder); err != nil || !created {
		return created, err
	}
	if len(n.Tags) > 0 {
		if err := reader.SetTags(t.Tx, account, id, tidings.TagChange{Only: &n.Tags}); err != nil {
			return false, err
		}
	}
	if n.EditsAsItems {
		if err := reader.SetEdits(t.Tx, account, id, true); err != nil {
			return false, err
		}
	}
	if n.FullText || n.Pictures != "" {
		if err := reader.SetShown(t.Tx, account, id, &n.FullText, &n.Pictures); err != nil {
			return false, err
		}
	}
	if fresh {
		return true, nil
	}
	first, err := content.Adopt(t, id, n.Privacy)
	if err != nil {
		return false, err
	}
	if first {
		if err := s.Search.AddChannel(t.Tx, id); err != nil {
			return false, err
		}
	}
	listed, err := content.Listed(t.Conn, n.URL)
	if err != nil {
		return false, err
	}
	if err := reader.Begin(t.Tx, account, id, listed); err != nil {
		return false, err
	}
	return true, s.Filters.Begin(t.Tx, account, id, listed)
}

// channelFor returns the channel of a subscription, and makes it where there is none.
func channelFor(t *content.Tx, account tidings.AccountID, n Subscription) (id int64, fresh bool, err error) {
	id, found, err := content.IDOf(t.Conn, n.URL)
	if err != nil {
		return 0, false, err
	}
	if !found {
		id, err = content.AddChannel(t, n.channel())
		return id, true, err
	}
	same, err := content.HasAccess(t, id, n.Access)
	if err != nil || same {
		return id, false, err
	}
	others, follows, err := reader.Followers(t.Tx, id, account)
	switch {
	case err != nil || follows:
		return id, false, err
	case others > 0 || account != tidings.Owner && !tidings.IsOwnURL(n.URL):
		return 0, false, fmt.Errorf("%w: it is followed with other credentials", tidings.ErrUnauthorized)
	}
	return id, false, content.SetAccess(t, id, n.Access)
}

// Unsubscribe ends what Subscribe began; tidings.ErrNotFollowed if the account does not follow the channel. last says
// that it was the last follower: the channel is no longer watched. Its content stays for Retention.Orphans. An account
// that subscribes before then finds it again.
func (s *Store) Unsubscribe(ctx context.Context, account tidings.AccountID, url string) (last bool, err error) {
	err = s.write(ctx, func(t *content.Tx) error {
		channel, err := reader.Followed(t.Conn, account, url)
		if err != nil {
			return err
		}
		if last, err = reader.Unfollow(t.Tx, account, channel); err != nil || !last {
			return err
		}
		return content.Orphan(t, channel)
	})
	if err != nil {
		return false, fmt.Errorf("unsubscribing from %s: %w", url, err)
	}
	return last, nil
}

// isRefusal reports whether err says that a caller asked for something impossible,
// rather than that the store could not do it.
func isRefusal(err error) bool {
	for _, refusal := range []error{tidings.ErrInvalid, tidings.ErrUnauthorized, tidings.ErrNotFollowed,
		tidings.ErrNotFound} {
		if errors.Is(err, refusal) {
			return true
		}
	}
	return false
}
