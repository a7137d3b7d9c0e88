package channels

import (
	"context"
	"errors"
	"time"

	"tidings"
	"tidings/store"
)

// PublicAddress returns the canonical form of an address that strangers may follow here: one of the web that is public.
// The error is a tidings.ErrInvalid that says why an address is none.
func (c *Channels) PublicAddress(address string) (string, error) {
	clean, access, err := c.split(tidings.SubscribeRequest{URL: address})
	switch {
	case err != nil:
		return "", err
	case !access.IsZero():
		return "", tidings.Invalidf("an address with a password cannot be followed here")
	case !tidings.KindOf(clean).HasOrigin() || tidings.IsOwnURL(clean):
		return "", tidings.Invalidf("%s is no address of the web", tidings.Quote(clean))
	case c.classify(clean, tidings.Access{}) != tidings.Public:
		return "", tidings.Invalidf("%s is not public: it is in a private network, or has a secret in it",
			tidings.Quote(clean))
	}
	return clean, nil
}

// SubscribeOutside is Subscribe for an account that stands for an address outside (tidings.Subscriber). It accepts only
// public addresses, as PublicAddress returns them. It answers before a poll is made, and nothing in its answer depends
// on what others follow here.
func (c *Channels) SubscribeOutside(ctx context.Context, account tidings.AccountID,
	address string) (tidings.Subscription, error) {
	clean, err := c.PublicAddress(address)
	if err != nil {
		return tidings.Subscription{}, err
	}
	s := store.Subscription{URL: clean, Privacy: tidings.Public, Next: time.Now().Add(PreviewWithin)}
	f, created, err := c.config.Store.Subscribe(ctx, account, s)
	switch {
	case errors.Is(err, tidings.ErrUnauthorized): // a person here has a password for it
		return f, tidings.Invalidf("%s cannot be followed here", tidings.Quote(clean))
	case err != nil:
		return f, err
	case created:
		err = c.beginAlike(ctx, followUp{account: account, order: tidings.SubscribeRequest{URL: clean}, url: clean,
			outside: true}, f.Version == 0)
	}
	return bare(s, f.Since), err
}
