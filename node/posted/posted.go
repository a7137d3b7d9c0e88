// Package posted puts items into channels that people's own programs fill, such as a script that reports backups.
//
// Such a channel is of [tidings.KindPosted]. It begins with the first post. Only the person with the posting program
// follows it: its address holds a digest of the person's secret. Items are stored as those of a feed are. One that is
// posted again with the same ID is a revision, and one that says nothing new changes nothing.
package posted

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"tidings"
	"tidings/source/feed"
	"tidings/store"
	"tidings/view"
)

// Store is the part of the store that keeps the channels.
type Store interface {
	// Secret returns the random bytes that make channels' addresses a person's own.
	Secret(ctx context.Context, account tidings.AccountID) ([]byte, error)
	// Followed returns the URLs of all followed channels of the given kinds.
	Followed(ctx context.Context, kinds ...tidings.Kind) ([]string, error)
	Channel(ctx context.Context, account tidings.AccountID, url string) (tidings.Subscription, error)
	Subscribe(ctx context.Context, account tidings.AccountID, s store.Subscription) (tidings.Subscription, bool, error)
	// KnownLike returns the items of a channel that may be those with the given marks, and up to which update that
	// holds.
	KnownLike(ctx context.Context, channel string, marks []tidings.ItemIdentity) ([]tidings.KnownItem, int64, error)
}

// Record stores a change of a channel, and shows it to readers. It fails with [tidings.ErrStale] where the channel has
// changed since its KnownUpTo.
type Record func(ctx context.Context, channel string, c *tidings.Change) error

// Posts puts items into channels. Its methods may be called by many goroutines at once.
type Posts struct {
	store  Store
	record Record
	feed   feed.Config
	node   string
}

// New returns the Posts of a node with an ID. c bounds items.
func New(s Store, record Record, c feed.Config, node string) *Posts {
	return &Posts{s, record, c, node}
}

// staleTries is how often items are compared anew because others have been posted meanwhile.
const staleTries = 5

// Post puts items into the channel that an order names, of an account. The account follows the channel from then on.
// The error is [tidings.ErrInvalid] for an order of which nothing is stored.
func (p *Posts) Post(ctx context.Context, account tidings.AccountID, o view.PostOrder) (r view.PostResult, err error) {
	name, err := tidings.CleanPostedName(o.Channel)
	if err != nil {
		return r, err
	}
	secret, err := p.store.Secret(ctx, account)
	if err != nil {
		return r, err
	}
	r.Channel = tidings.PostedURL(name, secret)
	doc, err := p.read(r.Channel, o.Items)
	if err != nil {
		return r, err
	}
	if err := p.follow(ctx, account, name, r.Channel); err != nil {
		return r, err
	}
	for try := 1; ; try++ {
		err = p.put(ctx, doc, &r)
		if !errors.Is(err, tidings.ErrStale) || try == staleTries {
			return r, err
		}
	}
}

// read reads the entries of an order as a feed, in which the last comes first. Of those with the same ID the last
// counts.
func (p *Posts) read(channel string, entries []tidings.PublishedEntry) (*feed.Document, error) {
	if len(entries) == 0 || len(entries) > view.MaxPostedItems {
		return nil, tidings.WithHint(tidings.Invalidf("an order has 1 to %d items", view.MaxPostedItems),
			`send them as in {"channel": "Backups", "items": [{"title": "Done"}]}`)
	}
	all := &feed.Document{Partial: true}
	seen := make(map[string]bool)
	for i, e := range slices.Backward(entries) {
		if e.News != nil {
			return nil, tidings.Invalidf(`item %d has "news", which is for what is published to others`, i+1)
		}
		if e.ID == "" {
			e.ID = idOf(e)
		}
		doc, err := feed.OfEntry(e, channel, p.feed)
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", i+1, err)
		}
		if id := doc.Items[0].ID; !seen[id] {
			seen[id] = true
			all.Items = append(all.Items, doc.Items[0])
		}
	}
	return all, nil
}

// idOf is what an entry without an ID is known by.
func idOf(e tidings.PublishedEntry) string {
	if e.URL != "" {
		return e.URL
	}
	sum := sha256.Sum256([]byte(e.Title + "\x00" + e.HTML + "\x00" + e.Text + "\x00" + e.Summary))
	return hex.EncodeToString(sum[:16])
}

// follow makes the account follow the channel, and adds it if need be.
func (p *Posts) follow(ctx context.Context, account tidings.AccountID, name, channel string) error {
	if _, err := p.store.Channel(ctx, account, channel); !errors.Is(err, tidings.ErrNotFollowed) {
		return err
	}
	all, err := p.store.Followed(ctx, tidings.KindPosted)
	if err != nil {
		return err
	}
	if len(all) >= view.MaxPosted {
		return tidings.Invalidf("programs post to %d channels of this node, and more are not possible", len(all))
	}
	_, _, err = p.store.Subscribe(ctx, account, store.Subscription{URL: channel, Kind: tidings.KindPosted, Title: name,
		Privacy: tidings.Unlisted})
	return err
}

// put stores those items that are new or say something else than before, and counts them.
func (p *Posts) put(ctx context.Context, doc *feed.Document, r *view.PostResult) error {
	known, upTo, err := p.store.KnownLike(ctx, r.Channel, doc.Marks())
	if err != nil {
		return err
	}
	var found []tidings.FoundItem
	r.New, r.Changed = 0, 0
	for _, i := range feed.Match(known, doc) {
		switch i.Change {
		case "":
			continue
		case tidings.New:
			r.New++
		default:
			r.Changed++
		}
		found = append(found, i)
	}
	if len(found) == 0 {
		return nil
	}
	return p.record(ctx, r.Channel, &tidings.Change{
		Kind: tidings.KindFeed, Items: found, KnownUpTo: upTo, Partial: true, Found: time.Now(), FoundBy: p.node,
	})
}
