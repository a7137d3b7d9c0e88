package node

import (
	"context"
	"time"

	"tidings"
	router "tidings/network"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/node/queries"
	"tidings/source/feed"
	"tidings/source/query"
	"tidings/store"
)

// querying is the node as package queries sees it.
type querying struct{ *Node }

// Record stores what a query has selected, and shows it to readers.
func (n querying) Record(ctx context.Context, channel string, f *tidings.Finding) error {
	update, err := n.store.Take(ctx, f, store.Shared{URL: channel})
	if update != nil {
		n.wake.ring()
	}
	return err
}

// Want has the network send what queries need, where its router can.
func (n querying) Want(topics []string) {
	if n.sharing == nil {
		return
	}
	ids := make([]engine.ID, len(topics))
	for i, topic := range topics {
		ids[i] = topicID(topic)
	}
	n.sharing.work(func(ctx context.Context) {
		n.sharing.inLoop(ctx, func() { n.member.zoned.Select(ids) })
	})
}

// topicID is the topic of news items among the router's topics. Those of channels are hashes of their URLs, which do not begin so.
func topicID(topic string) engine.ID { return engine.IDOf([]byte("tidings news topic\x00" + topic)) }

// brought takes an event of the network that queries may select from; it is called in the loop.
func (n *Node) brought(u *corona.Update) {
	if !n.sharing.fit(corona.Channel{ID: u.Channel, URL: u.URL}) {
		return // the owners of one channel do not speak for another
	}
	by, given := standsFor(u)
	if given && n.republishers.standing(by) == tidings.Distrusted {
		return // no look of this node's own will show whether it is true
	}
	e := queries.Event{Channel: u.URL, Version: u.Version, Hash: u.Hash, Payload: u.Payload}
	stated := tidings.Finding{}
	attribute(&stated, u)
	e.FoundBy, e.Found, e.Changed = stated.FoundBy, stated.Found, stated.OriginChanged
	n.queries.Arrived(e)
}

// wantsUpdate reports whether queries may select from an event of the network; it is called in the loop. The whole query is evaluated by a worker, as
// an event takes long to read.
func (n *Node) wantsUpdate(event engine.Message) bool {
	u, is := event.(*corona.Update)
	return is && len(u.Payload) > 0 && n.queries.Any()
}

// routesNews reports whether the network brings what queries need from channels that the node does not have.
func (n *Node) routesNews() bool {
	return n.member != nil && n.sharing.terms().Router == router.NewsWire
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

// parseQuery reads the query of an order: of its text, or of an address that stands for one, as in exported lists. It returns false if the order is
// for something else.
func parseQuery(o tidings.Order) (q *query.Query, is bool, err error) {
	text := o.Query
	if text == "" {
		if text, is = tidings.QueryText(o.URL); !is {
			return nil, false, nil
		}
	} else if o.URL != "" {
		return nil, true, invalid("an order is for an address or for a query, not for both")
	}
	if o.AsPage || !o.Options.IsZero() {
		return nil, true, invalid("a query has no page of which parts could be chosen")
	}
	if o.Privacy != "" && o.Privacy != tidings.Unlisted {
		return nil, true, invalid("a query is always unlisted: other nodes are told its topics and no more")
	}
	if q, err = query.Parse(text); err != nil {
		return nil, true, invalid("that is no query: %v", err)
	}
	return q, true, nil
}

// querySubscription makes of a query what can be stored.
func (n *Node) querySubscription(ctx context.Context, q *query.Query, o tidings.Order) (s store.Subscription, err error) {
	s = store.Subscription{
		URL: tidings.QueryURL(q.String()), Kind: tidings.KindQuery, Title: q.String(), Privacy: tidings.Unlisted, Name: o.Name, Folder: o.Folder,
	}
	all, err := n.store.Queries(ctx)
	if err == nil && len(all) >= queries.MaxQueries {
		err = invalid("%d queries are followed at this node, and more are not possible", len(all))
	}
	return s, err
}

// followQuery makes an account follow a query.
func (n *Node) followQuery(ctx context.Context, account tidings.AccountID, q *query.Query, o tidings.Order) (tidings.Followed, error) {
	s, err := n.querySubscription(ctx, q, o)
	if err != nil {
		return tidings.Followed{}, err
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

// canonical gives the address under which a channel is kept, which may be a query.
func canonical(address string) (string, error) {
	q, is, err := parseQuery(tidings.Order{URL: address})
	switch {
	case err != nil:
		return "", err
	case is:
		return tidings.QueryURL(q.String()), nil
	}
	return feed.Canonical(address)
}
