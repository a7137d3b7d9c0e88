package node

import (
	"context"
	"time"

	"tidings"
	router "tidings/network"
	"tidings/network/astrolabe/zone"
	"tidings/node/queries"
	"tidings/source/feed"
	"tidings/source/query"
	"tidings/store"
)

// querying is the node as package queries sees it.
type querying struct{ *Node }

// Record stores what a query has selected, and shows it to readers.
func (n querying) Record(ctx context.Context, channel string, f *tidings.Change) error {
	_, err := n.entrance.Apply(ctx, store.Remote{Shared: store.Shared{URL: channel}, Change: f})
	return err
}

// Want has the network send what queries need, where its router can.
func (n querying) Want(topics []string) {
	if n.zones != nil {
		n.zones.Want(topics)
	}
}

// routesNews reports whether the network brings what queries need from channels that the node does not have.
func (n *Node) routesNews() bool {
	return n.member != nil && n.coop.Params().Router == router.NewsWire
}

// checkWithin bounds how long the store is looked through for a query.
const checkWithin = 20 * time.Second

// CheckQuery tells what is to be known of a query before an account follows it.
func (n *Node) CheckQuery(ctx context.Context, text string) (tidings.QueryCheck, error) {
	ctx, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	c, err := n.queries.Check(ctx, text)
	c.Network = n.routesNews()
	return c, err
}

// QueryOf returns the text of the query that a form asks for.
func (n *Node) QueryOf(f tidings.QueryForm) string { return query.Form(f).Query() }

// selection is what a channel without an origin selects: the items that a query does, or those that are sent to a zone.
type selection struct {
	kind  tidings.Kind
	url   string
	title string
	zone  zone.Path // of KindZone
}

// parseSelection reads the query or the zone of an order: of a query's text, or of an address that stands for one, as in exported lists. It returns false if
// the order is for something else.
func parseSelection(o tidings.SubscribeRequest) (s selection, is bool, err error) {
	s.kind = tidings.KindOf(o.URL)
	switch {
	case o.Query != "" && o.URL != "":
		return s, true, invalid("an order is for an address or for a query, not for both")
	case o.Query != "":
		s.kind = tidings.KindQuery
	case s.kind.HasOrigin():
		return s, false, nil
	}
	if o.AsPage || !o.Options.IsZero() {
		return s, true, invalid("a %s has no page of which parts could be chosen", s.kind)
	}
	if o.Privacy != "" && o.Privacy != tidings.Unlisted {
		return s, true, invalid("a %s is always unlisted: other nodes are told its topics and no more", s.kind)
	}
	if path, is := tidings.ZonePath(o.URL); is {
		if s.zone, err = zone.Parse(path); err != nil {
			return s, true, invalid("%v", err)
		}
		s.url, s.title = tidings.ZoneURL(string(s.zone)), "Zone "+string(s.zone)
		return s, true, nil
	}
	text := o.Query
	if text == "" {
		text, _ = tidings.QueryText(o.URL)
	}
	q, err := query.Parse(text)
	if err != nil {
		return s, true, invalid("that is no query: %v", err)
	}
	s.url, s.title = tidings.QueryURL(q.String()), q.String()
	return s, true, nil
}

// subscriptionTo makes of a selection what can be stored.
func (n *Node) subscriptionTo(ctx context.Context, s selection, o tidings.SubscribeRequest) (store.Subscription, error) {
	stored := store.Subscription{URL: s.url, Kind: s.kind, Title: s.title, Privacy: tidings.Unlisted, Name: o.Name, Folder: o.Folder}
	if s.kind == tidings.KindZone {
		if err := n.mayFollowZone(ctx, s.zone); err != nil {
			return stored, err
		}
	}
	all, err := n.store.Queries(ctx)
	if err == nil && len(all) >= queries.MaxQueries {
		err = invalid("%d queries and zones are followed at this node, and more are not possible", len(all))
	}
	return stored, err
}

// followSelection makes an account follow a query or a zone.
func (n *Node) followSelection(ctx context.Context, account tidings.AccountID, selected selection, o tidings.SubscribeRequest) (tidings.Subscription, error) {
	s, err := n.subscriptionTo(ctx, selected, o)
	if err != nil {
		return tidings.Subscription{}, err
	}
	f, created, err := n.store.Subscribe(ctx, account, s)
	if err != nil {
		return f, err
	}
	if err := n.replace(ctx, account, &f, created, o); err != nil {
		return f, err
	}
	if err := n.queries.Refresh(ctx); err != nil {
		return f, err
	}
	before := f.FolderBefore
	f, err = n.store.Channel(ctx, account, s.URL)
	f.FolderBefore = before
	return f, err
}

// canonical gives the address under which a channel is kept, which may be that of a query or a zone.
func canonical(address string) (string, error) {
	s, is, err := parseSelection(tidings.SubscribeRequest{URL: address})
	switch {
	case err != nil:
		return "", err
	case is:
		return s.url, nil
	}
	return feed.Canonical(address)
}
