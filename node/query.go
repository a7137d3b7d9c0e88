package node

import (
	"context"
	"time"

	"tidings"
	router "tidings/network"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/node/coop"
	"tidings/node/queries"
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
	if n.coop == nil {
		return
	}
	ids := make([]engine.ID, len(topics))
	for i, topic := range topics {
		ids[i] = topicID(topic)
	}
	n.newsTopics.Store(&ids)
	n.coop.Work(func(ctx context.Context) { // workers may change places: each tells the latest
		n.coop.InLoop(ctx, func() { n.member.zoned.Select(*n.newsTopics.Load()) })
	})
}

// topicID is the topic of news items among the router's topics. Those of channels are hashes of their URLs, which do not begin so.
func topicID(topic string) engine.ID { return engine.IDOf([]byte("tidings news topic\x00" + topic)) }

// brought takes an event of the network that queries may select from; it is called in the loop.
func (n *Node) brought(u *corona.Update) {
	if !n.coop.Fits(u.Channel, u.URL) {
		return // the owners of one channel do not speak for another
	}
	by, given := coop.VouchedBy(u)
	if given && n.republishers.standing(by) == tidings.Distrusted {
		return // no poll of this node's own will show whether it is true
	}
	e := queries.Event{Channel: u.URL, Version: u.Version, Hash: u.Hash, Payload: u.Payload}
	stated := tidings.Change{}
	coop.Attribute(&stated, u)
	e.FoundBy, e.Found, e.Changed = stated.FoundBy, stated.Found, stated.OriginChanged
	n.queries.Arrived(e)
}

// wantsUpdate reports whether queries may select from an event of the network; it is called in the loop. The whole query is evaluated by a worker, as
// an event takes long to read.
func (n *Node) wantsUpdate(event engine.Message) bool {
	switch e := event.(type) {
	case *corona.Update:
		return len(e.Payload) > 0 && n.queries.Any()
	case *feedtree.Item:
		return n.queries.Any()
	}
	return false
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
