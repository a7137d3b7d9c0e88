// Package chat keeps what addresses of the chat network follow: each address has an account without sign-in, with
// ordinary subscriptions. Its updates go to one target, through the outbox.
package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"tidings"
	"tidings/node/channels"
)

// scheme is that of the names of accounts, and of the URLs of targets.
const scheme = "xmpp:"

// targetName is the name of an account's only target.
const targetName = "chat"

// Subscribers are the accounts that stand for addresses outside.
type Subscribers interface {
	Find(ctx context.Context, name string) (tidings.AccountID, error)
	Add(ctx context.Context, name string) (tidings.AccountID, error)
}

// Channels are what people and addresses here follow.
type Channels interface {
	PublicAddress(address string) (string, error)
	SubscribeOutside(ctx context.Context, account tidings.AccountID, address string) (tidings.Subscription, error)
	Unsubscribe(ctx context.Context, account tidings.AccountID, address string) error
	RemovePerson(ctx context.Context, account tidings.AccountID) error
}

// Library is what accounts follow, and what has been found.
type Library interface {
	Channels(ctx context.Context, account tidings.AccountID) ([]tidings.Subscription, error)
	Channel(ctx context.Context, account tidings.AccountID, url string) (tidings.Subscription, error)
	Entries(ctx context.Context, account tidings.AccountID, q tidings.EntryQuery) ([]tidings.Entry, error)
}

// Targets are those to which updates are sent.
type Targets interface {
	Targets(ctx context.Context, account tidings.AccountID) ([]tidings.Target, error)
	AddTarget(ctx context.Context, t tidings.Target) (tidings.Target, error)
	ChangeTarget(ctx context.Context, t tidings.Target) error
	Retry(ctx context.Context, account tidings.AccountID, which tidings.DeliverySelection) (int, error)
}

// Directory is what addresses follow. Its methods may be called by many goroutines at once, one at a time for an
// address.
type Directory struct {
	Subscribers Subscribers
	Follow      Channels
	Library     Library
	Outbox      Targets
}

// Find returns the account of an address; tidings.ErrNotFound if it has none.
func (d *Directory) Find(ctx context.Context, address string) (tidings.AccountID, error) {
	return d.Subscribers.Find(ctx, scheme+address)
}

// Subscribe has an address follow a public channel, and makes its account if there is none. It fails beyond most
// channels. Where the URL leads is found out later.
func (d *Directory) Subscribe(ctx context.Context, address, url string, most int) (s tidings.Subscription, err error) {
	if url, err = d.Follow.PublicAddress(url); err != nil {
		return s, err
	}
	account, err := d.Subscribers.Add(ctx, scheme+address)
	if err != nil {
		return s, err
	}
	all, err := d.Library.Channels(ctx, account)
	if err != nil {
		return s, err
	}
	if len(all) >= most && !slices.ContainsFunc(all, func(s tidings.Subscription) bool { return s.URL == url }) {
		return s, tidings.Invalidf("you follow %d channels, and more are not possible: end one first", len(all))
	}
	if _, err := d.target(ctx, account, address); err != nil {
		return s, err
	}
	s, err = d.Follow.SubscribeOutside(ctx, account, url)
	if err != nil && len(all) == 0 {
		err = errors.Join(err, d.Follow.RemovePerson(context.WithoutCancel(ctx), account))
	}
	return s, err
}

// admit returns the account of an address, and makes it with its target if there is none.
func (d *Directory) admit(ctx context.Context, address string) (tidings.AccountID, error) {
	account, err := d.Subscribers.Add(ctx, scheme+address)
	if err != nil {
		return 0, err
	}
	_, err = d.target(ctx, account, address)
	return account, err
}

// target returns the target of an account. It makes one if there is none and the address is known.
func (d *Directory) target(ctx context.Context, account tidings.AccountID,
	address string) (t tidings.Target, err error) {
	all, err := d.Outbox.Targets(ctx, account)
	switch {
	case err != nil:
		return t, err
	case len(all) > 0:
		return all[0], nil
	case address == "":
		return t, fmt.Errorf("the target of account %d: %w", account, tidings.ErrNotFound)
	}
	return d.Outbox.AddTarget(ctx, tidings.Target{Account: account, Name: targetName, Kind: tidings.XMPP,
		URL: scheme + address})
}

// Unsubscribe ends a subscription; tidings.ErrNotFollowed if there is none.
func (d *Directory) Unsubscribe(ctx context.Context, account tidings.AccountID, url string) error {
	url, err := d.followed(ctx, account, url)
	if err != nil {
		return err
	}
	return d.Follow.Unsubscribe(ctx, account, url)
}

// followed returns the URL of a channel that an account follows. A person may name it by its own URL, or by that of the
// page to which it belongs.
func (d *Directory) followed(ctx context.Context, account tidings.AccountID, url string) (string, error) {
	canonical, err := channels.Canonical(url)
	if err != nil {
		return "", err
	}
	if _, err = d.Library.Channel(ctx, account, canonical); err == nil || !errors.Is(err, tidings.ErrNotFollowed) {
		return canonical, err
	}
	all, err2 := d.Library.Channels(ctx, account)
	if err2 != nil {
		return "", err2
	}
	found := ""
	for _, s := range all {
		if site, siteErr := channels.Canonical(s.Site); siteErr == nil && site == canonical {
			if found != "" {
				return "", tidings.Invalidf("you follow several channels of %s: write the number in the list",
					tidings.Quote(url))
			}
			found = s.URL
		}
	}
	if found == "" {
		return "", err
	}
	return found, nil
}

// Channels lists what an account follows, in the order in which it subscribed.
func (d *Directory) Channels(ctx context.Context, account tidings.AccountID) ([]tidings.Subscription, error) {
	all, err := d.Library.Channels(ctx, account)
	slices.SortFunc(all, func(a, b tidings.Subscription) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.URL, b.URL))
	})
	return all, err
}

// Latest returns the latest entries of a channel that an account follows, the newest first.
func (d *Directory) Latest(ctx context.Context, account tidings.AccountID, url string,
	most int) ([]tidings.Entry, error) {
	url, err := d.followed(ctx, account, url)
	if err != nil {
		return nil, err
	}
	return d.Library.Entries(ctx, account, tidings.EntryQuery{Channel: url, Limit: most})
}

// Schedule returns when messages are sent to an account's address.
func (d *Directory) Schedule(ctx context.Context, account tidings.AccountID) (tidings.Schedule, error) {
	t, err := d.target(ctx, account, "")
	return t.Schedule, err
}

// Reschedule changes that.
func (d *Directory) Reschedule(ctx context.Context, account tidings.AccountID, s tidings.Schedule) error {
	if err := s.Validate(); err != nil {
		return err
	}
	t, err := d.target(ctx, account, "")
	if err != nil {
		return err
	}
	t.Schedule = s
	return d.Outbox.ChangeTarget(ctx, t)
}

// Resume resumes messages to an address that is suspended because it refused messages.
func (d *Directory) Resume(ctx context.Context, account tidings.AccountID) error {
	all, err := d.Outbox.Targets(ctx, account)
	for _, t := range all {
		if t.Standing.Suspended {
			if _, err := d.Outbox.Retry(ctx, account, tidings.DeliverySelection{Target: t.ID}); err != nil {
				return err
			}
		}
	}
	return err
}

// Forget removes an account with all that it follows.
func (d *Directory) Forget(ctx context.Context, account tidings.AccountID) error {
	return d.Follow.RemovePerson(ctx, account)
}
