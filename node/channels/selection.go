package channels

import (
	"context"

	"tidings"
	"tidings/network/astrolabe/zone"
	"tidings/source/feed"
	"tidings/source/query"
	"tidings/store"
)

// selection is what a channel without an origin selects: the items of a query, those sent to a zone, or those that a
// person's programs post.
type selection struct {
	kind  tidings.Kind
	url   string
	title string
	zone  zone.Path // of KindZone
}

// parseSelection reads the query or the zone of an order. It reads a query's text, or an address that stands for one,
// as in exported lists. It returns false if the order is for something else.
func parseSelection(o tidings.SubscribeRequest) (s selection, is bool, err error) {
	s.kind = tidings.KindOf(o.URL)
	switch {
	case o.Query != "" && o.URL != "":
		return s, true, tidings.Invalidf("an order is for an address or for a query, not for both")
	case o.Query != "":
		s.kind = tidings.KindQuery
	case s.kind.HasOrigin():
		return s, false, nil
	}
	if o.AsPage || !o.Options.IsZero() {
		return s, true, tidings.Invalidf("a %s has no page of which parts could be chosen", s.kind)
	}
	if o.Privacy != "" && o.Privacy != tidings.Unlisted && s.kind != tidings.KindPosted {
		return s, true, tidings.Invalidf("a %s is always unlisted: other nodes are told its topics and no more", s.kind)
	}
	if path, is := tidings.ZonePath(o.URL); is {
		if s.zone, err = zone.Parse(path); err != nil {
			return s, true, tidings.Invalidf("%v", err)
		}
		s.url, s.title = tidings.ZoneURL(string(s.zone)), "Zone "+string(s.zone)
		return s, true, nil
	}
	if s.kind == tidings.KindPosted {
		s.url = o.URL
		return s, true, nil
	}
	text := o.Query
	if text == "" {
		text, _ = tidings.QueryText(o.URL)
	}
	q, err := query.Parse(text)
	if err != nil {
		return s, true, tidings.Invalidf("syntax error: %v", err)
	}
	s.url, s.title = tidings.QueryURL(q.String()), q.String()
	return s, true, nil
}

// subscriptionTo makes of a selection what can be stored.
func (c *Channels) subscriptionTo(ctx context.Context, s selection,
	o tidings.SubscribeRequest) (store.Subscription, error) {
	stored := store.Subscription{URL: s.url, Kind: s.kind, Title: s.title, Privacy: tidings.Unlisted, Name: o.Name,
		Folder: o.Folder, Tags: o.Tags, EditsAsItems: wantsEdits(o), FullText: wantsFullText(o),
		Pictures: picturesOf(o)}
	if s.kind == tidings.KindZone {
		if c.config.Network == nil {
			return stored, tidings.WithHint(tidings.Invalidf("the node works alone, so nothing is sent to it"),
				"start it without --no-network, or wait while its status says that it makes a key")
		}
		if err := c.config.Network.MayFollowZone(ctx, s.zone); err != nil {
			return stored, err
		}
	}
	if s.kind == tidings.KindPosted {
		return stored, tidings.WithHint(tidings.Invalidf("a channel of posted items begins with the first item"),
			"post it with the API: docs/api.md says how")
	}
	all, err := c.config.Store.Content.Followed(ctx, tidings.KindQuery, tidings.KindZone)
	if err == nil && len(all) >= c.config.MaxSelections {
		err = tidings.Invalidf("%d queries and zones are followed at this node, and more are not possible", len(all))
	}
	return stored, err
}

// followSelection makes an account follow a query or a zone.
func (c *Channels) followSelection(ctx context.Context, account tidings.AccountID, selected selection,
	o tidings.SubscribeRequest) (tidings.Subscription, error) {
	s, err := c.subscriptionTo(ctx, selected, o)
	if err != nil {
		return tidings.Subscription{}, err
	}
	f, created, err := c.config.Store.Subscribe(ctx, account, s)
	if err != nil {
		return f, err
	}
	if change := replacing(&f, created, o); change != (tidings.ChannelChange{}) {
		err = c.Change(ctx, account, f.URL, change)
	}
	if err != nil {
		return f, err
	}
	if err := c.config.Queries.Refresh(ctx); err != nil {
		return f, err
	}
	before := f.FolderBefore
	f, err = c.config.Store.Channel(ctx, account, s.URL)
	f.FolderBefore = before
	return f, err
}

// Canonical returns the address under which a channel is kept. That may be the address of a query or a zone, or of a
// person's own channel.
func Canonical(address string) (string, error) {
	s, is, err := parseSelection(tidings.SubscribeRequest{URL: address})
	switch {
	case err != nil:
		return "", err
	case is:
		return s.url, nil
	}
	if public := tidings.PublicURL(address); public != address {
		canonical, err := feed.Canonical(public)
		return canonical + address[len(public):], err
	}
	return feed.Canonical(address)
}
